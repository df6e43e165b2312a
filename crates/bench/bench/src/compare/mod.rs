//! Whether B was faster than A: runs in pairs, differences with their intervals, and how many more runs would tell.

mod difference;
mod read;
mod sample;
#[cfg(test)]
mod tests;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use difference::{DifferenceVerdict, IntervalMethod, RunDifference};
pub use read::read;
pub use sample::{KindSample, RunSample};

use crate::{BenchError, RunFault};

/// How B compares with A.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunComparison {
    /// Always [`Comparison::FORMAT`].
    pub format: String,
    /// What A is.
    pub a: String,
    /// What B is.
    pub b: String,
    /// Runs of both with the same number.
    pub pairs: usize,
    /// Operations a second; more is better.
    pub throughput: RunDifference,
    /// 99th percentile of the latency of each kind, in nanoseconds; less is better.
    pub p99_ns: BTreeMap<String, RunDifference>,
    /// What to mind when reading it.
    pub cautions: Vec<String>,
}

impl RunComparison {
    /// How a file says that it is one, and of which make.
    pub const FORMAT: &str = "diskwright bench compare 1";

    /// As JSON.
    ///
    /// # Errors
    /// When a number is infinite or none at all.
    pub fn json(&self) -> Result<String, BenchError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// For people: at most 100 columns.
    pub fn text(&self) -> String {
        text::text(self)
    }
}

/// Pairs the runs of both by their numbers and compares them. `seed` is that of the bootstrap.
///
/// # Errors
/// When no run of A has the number of a run of B, a number comes twice, or a run measured nothing or failed.
pub fn compare(
    (a, one): (&str, &[RunSample]),
    (b, other): (&str, &[RunSample]),
    seed: u64,
) -> Result<RunComparison, BenchError> {
    let pairs = pair((a, one), (b, other))?;
    let mut cautions = Vec::new();
    if one.len().max(other.len()) > pairs.len() {
        let alone = one.len() + other.len() - 2 * pairs.len();
        cautions.push(format!("{alone} runs have no partner and are left out"));
    }
    if pairs.len() == 1 {
        cautions.push("one run each: what differs from run to run is not in the intervals; run at least 3".to_owned());
    }
    for (name, samples) in [(a, one), (b, other)] {
        let unsteady: Vec<_> = samples.iter().filter(|one| !one.steady).map(|one| one.run.to_string()).collect();
        if !unsteady.is_empty() {
            cautions.push(format!("{name}: not steady when measured: run {}", unsteady.join(", ")));
        }
        let failed: Vec<_> = samples.iter().filter(|one| one.failed).map(|one| one.run.to_string()).collect();
        if !failed.is_empty() {
            cautions
                .push(format!("{name}: operations failed, which no rate or latency shows: run {}", failed.join(", ")));
        }
    }
    let throughput = RunDifference::of_throughput(&pairs);
    let kinds: BTreeSet<&String> = pairs.iter().flat_map(|(one, _)| one.kinds.keys()).collect();
    let p99_ns =
        kinds.into_iter().filter_map(|kind| Some((kind.clone(), RunDifference::of_p99(&pairs, kind, seed)?))).collect();
    let (a, b) = (a.to_owned(), b.to_owned());
    Ok(RunComparison {
        format: RunComparison::FORMAT.to_owned(),
        a,
        b,
        pairs: pairs.len(),
        throughput,
        p99_ns,
        cautions,
    })
}

/// A run of A and the run of B with its number.
pub(crate) type Pair<'s> = (&'s RunSample, &'s RunSample);

fn pair<'s>(
    (a, one): (&str, &'s [RunSample]),
    (b, other): (&str, &'s [RunSample]),
) -> Result<Vec<Pair<'s>>, BenchError> {
    let by_run = |name: &str, samples: &'s [RunSample]| {
        let mut runs = BTreeMap::new();
        for sample in samples {
            let fault = |why| Err(BenchError::Incomparable { side: name.to_owned(), run: sample.run, why });
            if let Some(reason) = &sample.rejected {
                return fault(RunFault::Failed { reason: reason.clone() });
            }
            if !(sample.throughput.is_finite() && sample.throughput > 0.0) {
                return fault(RunFault::Empty);
            }
            if runs.insert(sample.run, sample).is_some() {
                return fault(RunFault::Twice);
            }
        }
        Ok(runs)
    };
    let (one, mut other) = (by_run(a, one)?, by_run(b, other)?);
    let pairs: Vec<_> = one.into_iter().filter_map(|(run, sample)| Some((sample, other.remove(&run)?))).collect();
    if pairs.is_empty() {
        return Err(BenchError::NoPairs { a: a.to_owned(), b: b.to_owned() });
    }
    Ok(pairs)
}
