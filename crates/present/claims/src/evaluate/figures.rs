//! Figures of disks, nodes and deployments: throughput, IOPS, durability, monthly costs.

use availability::stripe_durability;
use disk::{Disk, IoDirection, StartCredits};
use units::{Bytes, Ratio};

use crate::combine::Combination;
use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::files::LedgerPath;
use crate::rung::Rung;

/// Seconds of virtual time over which throughput is measured.
const SECONDS: u32 = 60;

/// `[figures]`: one figure or several, combined.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Figures {
    of: Vec<Figure>,
    #[serde(default)]
    ours: Combination,
}

/// One figure.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum Figure {
    /// Sustained throughput of 256 KiB writes, burst credits spent, behind an instance if one is named.
    Throughput { disk: Disk, instance: Option<String>, unit: ThroughputUnit },
    /// Sustained I/Os a second.
    Iops { disk: Disk },
    /// USD a month of a disk.
    DiskMonthly { disk: Disk },
    /// USD a month of 730 hours of an instance and a disk.
    NodeMonthly { instance: String, disk: Disk },
    /// USD a month of a deployment.
    DeploymentMonthly { deployment: LedgerPath },
    /// Percent of the volumes, or of the stripe, that survive a year, at the lower end of what the cloud states.
    Durability { disk: Disk },
}

/// Unit of a throughput.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
enum ThroughputUnit {
    #[serde(rename = "MiB/s")]
    MebibytesPerSecond,
    #[serde(rename = "MB/s")]
    MegabytesPerSecond,
}

impl Evaluator for Figures {
    fn rung(&self) -> Rung {
        Rung::Model
    }

    fn files(&self) -> Vec<(String, &LedgerPath)> {
        let figures = self.of.iter().enumerate();
        figures
            .filter_map(|(i, figure)| match figure {
                Figure::DeploymentMonthly { deployment } => {
                    Some((format!("of.{i}.deployment-monthly.deployment"), deployment))
                }
                _ => None,
            })
            .collect()
    }

    fn check(&self) -> Result<(), RecipeFault> {
        self.ours.check("of", self.of.len())
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let numbers = self.of.iter().map(|figure| Ok(vec![figure.of(context)?]));
        Ok(self.ours.of(&numbers.collect::<Result<Vec<_>, ClaimError>>()?).into())
    }
}

impl Figure {
    fn of(&self, context: &EvaluationContext<'_>) -> Result<f64, ClaimError> {
        let view = &context.view;
        Ok(match self {
            Self::Throughput { disk, instance, unit } => {
                let instance = instance.as_ref().map(|name| view.instance(name)).transpose()?;
                let caps = instance.and_then(|instance| instance.caps.as_ref());
                let spec = disk.spec(view, instance)?;
                let block = Bytes::kib(256);
                let rate = disk::deliverable(spec, caps, block, IoDirection::Write, SECONDS, StartCredits::Spent);
                match unit {
                    ThroughputUnit::MebibytesPerSecond => rate.as_mib(),
                    ThroughputUnit::MegabytesPerSecond => rate.as_mb(),
                }
            }
            Self::Iops { disk } => context.limits(disk)?.iops.0,
            Self::DiskMonthly { disk } => context.disk_monthly(disk)?.0,
            Self::NodeMonthly { instance, disk } => {
                let compute = view.instance_price(&context.source.region, instance)? * plan::MONTH_HOURS;
                (compute + context.disk_monthly(disk)?).0
            }
            Self::DeploymentMonthly { deployment } => context.deployment(deployment)?.monthly(view)?.total().0,
            Self::Durability { disk } => {
                let volume = &disk.volume.kind;
                let (low, _) = view
                    .volume(volume)?
                    .durability
                    .ok_or_else(|| ClaimError::NoDurability { volume: volume.clone() })?;
                stripe_durability(Ratio(low), disk.stripe).0 * 100.0
            }
        })
    }
}
