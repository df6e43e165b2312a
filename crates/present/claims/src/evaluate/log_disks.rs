//! Choice of a disk for the raft log, by cloud.

use std::collections::BTreeMap;

use catalog::{CatalogView, IopsRule};
use plan::LogDisk;

use crate::error::ClaimError;
use crate::evaluate::device_rates::rates_of;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator};
use crate::files::LedgerPath;
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[log-disks]`: the cheapest and the fastest disk that carry the rates of a device, in each region.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LogDisksRecipe {
    iostat: LedgerPath,
    device: String,
    regions: Vec<CloudRegion>,
    /// Volume types that are not considered.
    #[serde(default)]
    exclude: Vec<String>,
    /// The source's names of volume types, by the catalogue's.
    #[serde(default)]
    names: BTreeMap<String, String>,
}

/// A region and the name of its cloud in the claim.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CloudRegion {
    cloud: String,
    region: String,
}

impl Evaluator for LogDisksRecipe {
    fn rung(&self) -> Rung {
        Rung::Plan
    }

    fn files(&self) -> Vec<(String, &LedgerPath)> {
        vec![("iostat".to_owned(), &self.iostat)]
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let rates = rates_of(context, &self.iostat, &self.device)?;
        let exclude: Vec<&str> = self.exclude.iter().map(String::as_str).collect();
        let (mut middle, mut high) = (Vec::new(), Vec::new());
        for CloudRegion { cloud, region } in &self.regions {
            let disks = plan::log_disks(&context.view, region, &rates, &exclude)?;
            middle.push(format!("{cloud} {}", self.in_words(&context.view, disks.middle)?));
            high.push(format!("{cloud} {}", self.in_words(&context.view, disks.high)?));
        }
        Ok(ClaimValue::words([middle.join(" / "), high.join(" / ")]).into())
    }
}

impl LogDisksRecipe {
    /// The volume type, and the size where IOPS follow from it.
    fn in_words(&self, view: &CatalogView, disk: Option<LogDisk>) -> Result<String, ClaimError> {
        let Some(disk) = disk else { return Ok("none".to_owned()) };
        let name = self.names.get(&disk.kind).unwrap_or(&disk.kind);
        let by_size = matches!(view.volume(&disk.kind)?.iops, IopsRule::BySize { .. });
        Ok(match disk.volume.filter(|_| by_size) {
            Some(volume) => format!("{name} {} GB", volume.size.as_gib()),
            None => name.clone(),
        })
    }
}
