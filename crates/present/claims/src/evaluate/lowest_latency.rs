//! The mounted disk with the lowest latency.

use disk::Disk;
use probe::fio::AccessPattern;
use units::Iops;

use crate::error::ClaimError;
use crate::evaluate::mounted::MountedDisk;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[lowest-latency]`: the disk with the lowest mean and 99th percentile, of reads and writes, under every load.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LowestLatency {
    disks: Vec<NamedDisk>,
    loads: Vec<PacedLoad>,
}

/// A disk and its name in the claim.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NamedDisk {
    name: String,
    disk: Disk,
    /// Of local flash, the instance that it is in.
    instance: Option<String>,
}

/// Threads, and I/Os a second of all together.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PacedLoad {
    threads: u32,
    rate: Iops,
}

/// Mean and 99th percentile in µs, of reads and of writes under each load.
type Latencies = Vec<(f64, f64)>;

impl Evaluator for LowestLatency {
    fn rung(&self) -> Rung {
        Rung::Mount
    }

    fn check(&self) -> Result<(), RecipeFault> {
        for (key, count, least) in [("disks", self.disks.len(), 2), ("loads", self.loads.len(), 1)] {
            if count < least {
                return Err(RecipeFault::new(key, format!("`{key}` has {count}; expected at least {least}")));
            }
        }
        Ok(())
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let mut measured: Vec<(&str, Latencies)> = Vec::new();
        for NamedDisk { name, disk, instance } in &self.disks {
            let mounted = MountedDisk::up(context.test_bed()?, disk, instance.as_deref(), context.source.as_of)?;
            let mut latencies = Vec::new();
            for load in &self.loads {
                for pattern in [AccessPattern::RandRead, AccessPattern::RandWrite] {
                    latencies.push(mounted.latency_at(pattern, load.threads, load.rate)?);
                }
            }
            measured.push((name, latencies));
        }
        let names = lowest(&measured);
        let line = |(name, latencies): &(&str, Latencies)| {
            let numbers: Vec<String> = latencies.iter().map(|(mean, p99)| format!("{mean:.0}/{p99:.0}")).collect();
            format!("{name} {}", numbers.join(" "))
        };
        let remark = format!(
            "mean/p99 in µs of reads and of writes under each load: {}",
            measured.iter().map(line).collect::<Vec<_>>().join("; ")
        );
        Ok(ClaimAnswer::from(ClaimValue::words([format!("{} lowest", names.join(" and "))])).remark(remark))
    }
}

/// Names of disks that are lowest at anything, each once.
fn lowest<'a>(measured: &[(&'a str, Latencies)]) -> Vec<&'a str> {
    let at = |i: usize, of: fn(&(f64, f64)) -> f64| {
        let least = measured.iter().min_by(|a, b| of(&a.1[i]).total_cmp(&of(&b.1[i])));
        least.map_or("", |(name, _)| *name)
    };
    let columns = measured.first().map_or(0, |(_, latencies)| latencies.len());
    let mut names: Vec<&str> =
        (0..columns).flat_map(|i| [at(i, |latency| latency.0), at(i, |latency| latency.1)]).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_lowest_alone_only_where_no_other_is_lower_at_anything() {
        assert_eq!(lowest(&[("a", vec![(1.0, 5.0)]), ("b", vec![(2.0, 6.0)])]), ["a"]);
        assert_eq!(lowest(&[("a", vec![(1.0, 5.0)]), ("b", vec![(2.0, 4.0)])]), ["a", "b"]);
    }
}
