//! Facts of volume types as the catalogue has them.

use catalog::{IopsRule, ThroughputRule, VolumeType};

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator};
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[catalogue-facts]`: for each volume type its facts, joined by ` / `.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CatalogueFacts {
    volumes: Vec<String>,
    facts: Vec<VolumeFact>,
}

/// A fact of a volume type.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum VolumeFact {
    /// Percent that survive a year.
    Durability,
    /// MiB/s.
    Throughput,
    /// I/Os a second.
    Iops,
}

impl Evaluator for CatalogueFacts {
    fn rung(&self) -> Rung {
        Rung::Model
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let row = |name: &String| -> Result<String, ClaimError> {
            let kind = context.view.volume(name)?;
            let facts = self.facts.iter().map(|fact| fact.of(kind)).collect::<Result<Vec<_>, _>>()?;
            Ok(facts.join(" / "))
        };
        Ok(ClaimValue::Words(self.volumes.iter().map(row).collect::<Result<_, _>>()?).into())
    }
}

impl VolumeFact {
    fn of(self, kind: &VolumeType) -> Result<String, ClaimError> {
        Ok(match self {
            Self::Durability => {
                let none = || ClaimError::NoDurability { volume: kind.name.clone() };
                let (low, high) = kind.durability.ok_or_else(none)?;
                range(low * 100.0, high * 100.0)
            }
            Self::Throughput => throughput(&kind.throughput),
            Self::Iops => iops(kind),
        })
    }
}

fn throughput(rule: &ThroughputRule) -> String {
    match rule {
        ThroughputRule::Provisioned { min, max, .. } => range(min.as_mib(), max.as_mib()),
        ThroughputRule::ByIops(bands) => {
            format!("up to {}", bands.iter().map(|band| band.max.as_mib()).fold(0.0, f64::max))
        }
        ThroughputRule::BySize(bands) => bands.last().map_or(0.0, |band| band.max.as_mib()).to_string(),
        ThroughputRule::ByInstance => "by instance".to_owned(),
    }
}

fn iops(kind: &VolumeType) -> String {
    match kind.iops {
        IopsRule::BySize { per_gib, .. } => format!("{per_gib} per GB"),
        // Where throughput is sold besides, both rates start from what every volume has for free.
        IopsRule::Provisioned { min, max, .. } => match kind.throughput {
            ThroughputRule::Provisioned { .. } => range(min.0, max.0),
            _ => format!("up to {}", max.0),
        },
        IopsRule::ByInstance => "by instance".to_owned(),
    }
}

fn range(low: f64, high: f64) -> String {
    // Percentages such as 99.9 come from fractions and carry their rounding.
    let tidy = |number: f64| (number * 1e6).round() / 1e6;
    if tidy(low) == tidy(high) { tidy(low).to_string() } else { format!("{}-{}", tidy(low), tidy(high)) }
}
