//! Recovery of a range after one zone and one node elsewhere were lost.

use availability::{ClusterShape, FailureRates, NodeStorage, ZoneAndNode, assess};

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator};
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[recovery]`: what ends the outage, for each kind of storage.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RecoveryRecipe {
    replicas: u32,
    zones: u32,
    nodes: u32,
    storage: Vec<StorageKind>,
}

/// Where a node's data are.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StorageKind {
    /// Flash on the host, lost with it.
    Local,
    /// Network volumes, attached again to another node.
    Volumes,
}

impl Evaluator for RecoveryRecipe {
    fn rung(&self) -> Rung {
        Rung::Model
    }

    fn answer(&self, _: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let lost = |storage: &StorageKind| -> Result<ZoneAndNode, ClaimError> {
            let &Self { replicas, zones, nodes, .. } = self;
            let shape = ClusterShape { replicas, zones, nodes, storage: storage.noun(), ..ClusterShape::default() };
            assess(&shape, &FailureRates::default())?.zone_and_node.ok_or(ClaimError::QuorumSurvives)
        };
        let lost = self.storage.iter().map(lost).collect::<Result<Vec<_>, _>>()?;
        let remarks: Vec<String> = self.storage.iter().zip(&lost).map(|(storage, lost)| storage.remark(lost)).collect();
        let value = ClaimValue::words(lost.iter().map(|lost| lost.recovery));
        Ok(ClaimAnswer::from(value).remark(format!("a given range: {}", remarks.join("; "))))
    }
}

impl StorageKind {
    fn noun(self) -> NodeStorage {
        match self {
            Self::Local => NodeStorage::Local,
            Self::Volumes => NodeStorage::Reattachable,
        }
    }

    fn remark(self, lost: &ZoneAndNode) -> String {
        let rate =
            format!("{:.1e} a year, back after {:.0} min", -(-lost.losses_per_year).exp_m1(), lost.minutes_to_recover);
        match self {
            Self::Local => {
                format!(
                    "on local disks {rate}, if an outage of the zone costs its nodes their local data, as is assumed"
                )
            }
            Self::Volumes => format!("on volumes {rate}"),
        }
    }
}
