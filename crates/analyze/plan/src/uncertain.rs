//! Plans for a workload whose numbers are intervals: how each fares over sampled futures, and which is regretted least.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use units::{Interval, Usd};
use workload::{Task, Workload, WorkloadError};

use crate::answer::{PlanResult, PlanUncertainty};
use crate::layout::Candidate;
use crate::options::{Allowed, PlanError, PlanOptions};
use crate::planner::Planner;
use crate::present::without_growth;
use crate::problem::{Problem, Watch};
use crate::progress::SEARCH;
use crate::sample;
use crate::verdict;

/// Futures, from easy to hard, whose own cheapest plans compete: shares of the futures that are easier.
const RIVALS: [f64; 6] = [0.5, 0.75, 0.9, 0.95, 0.99, 1.0];

/// How a candidate fares in a future.
#[derive(Clone, Copy)]
struct Outcome {
    /// What a month costs, in dollars.
    usd: f64,
    /// By what share it misses the target that it misses most; zero if it meets all.
    miss: f64,
}

/// Why an uncertain workload cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum UncertainError {
    /// As for a certain one.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A number that cannot be inside its interval.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

/// Sampled futures. Their tasks are made when they are asked for: each takes some kilobytes, a future's quantiles some bytes.
struct Futures<'a> {
    workload: &'a Workload,
    inputs: &'a [(String, Interval<f64>)],
    quantiles: Vec<Vec<f64>>,
    /// Looks at a future that are done; each is looked at twice.
    looks: AtomicUsize,
}

impl Futures<'_> {
    /// Counts a look at a future; the error says that whoever watches does not want to wait for more.
    fn done(&self, watch: Watch<'_>) -> Result<(), PlanError> {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        if watch(looks as f64 / (2 * self.quantiles.len()) as f64) { Ok(()) } else { Err(PlanError::GivenUp) }
    }

    fn task(&self, future: usize) -> Result<Task, WorkloadError> {
        self.workload.task(&mut |key, interval| {
            let index = self.inputs.iter().position(|(known, _)| known == key);
            index.map_or_else(|| interval.middle(), |i| interval.at(self.quantiles[future][i]))
        })
    }
}

impl Planner<'_> {
    /// Plans the middle future, then tells how the plans fare over sampled ones; the plan of least regret joins the list if it is
    /// not on it. A workload without intervals is planned as it is.
    ///
    /// The regret of a plan in a future is what it costs more than the cheapest candidate that meets that future's targets. If it
    /// misses a target itself, the share by which it does (at most 1) times that candidate's price is added: missing by half costs
    /// as much as half a deployment more. Room for growth is for what comes later and is not asked of a future; the planning
    /// ceilings are. Candidates are the plans for the middle future and the cheapest ones for futures of rising load.
    ///
    /// # Errors
    /// As [`Planner::plan`], or when a number of the workload cannot be.
    pub fn plan_uncertain(
        &self,
        workload: &Workload,
        options: &PlanOptions,
        futures: u32,
        seed: u64,
    ) -> Result<PlanResult, UncertainError> {
        let inputs = workload.inputs();
        if !inputs.is_empty() && futures > 0 {
            // Each future is looked at twice: how hard it is, and how the plans fare.
            self.expect(RIVALS.len() as u64 * SEARCH + 2 * u64::from(futures));
        }
        let (mut answer, mut candidates) = self.plan_with_candidates(&workload.middle()?, options)?;
        if inputs.is_empty() || candidates.is_empty() || futures == 0 {
            return Ok(answer);
        }
        let quantiles = sample::quantiles(inputs.len(), futures as usize, seed);
        let sampled = Futures { workload, inputs: &inputs, quantiles, looks: AtomicUsize::new(0) };

        let shown = candidates.len();
        candidates.extend(self.rivals(&sampled, options, &candidates[0])?);
        let outcome = |future| {
            let outcomes = self.outcomes(&sampled.task(future)?, &candidates);
            self.done(1);
            sampled.done(self.watch)?;
            Ok(outcomes)
        };
        let outcomes: Result<Vec<Vec<Outcome>>, UncertainError> =
            (0..sampled.quantiles.len()).into_par_iter().map(outcome).collect();
        let outcomes = outcomes?;
        let regret = regrets(&outcomes, candidates.len());
        let least = (0..candidates.len()).min_by(|a, b| regret[*a].total_cmp(&regret[*b])).unwrap_or(0);

        let mut keep: Vec<usize> = (0..shown).collect();
        if least >= shown {
            let middle = workload.middle()?;
            let problem = Problem::new(self.model, self.market, self.space, self.ceilings, &middle);
            answer.plans.push(problem.plan(&problem.at_home(&candidates[least])));
            keep.push(least);
        }
        let missing =
            |c: usize| outcomes.iter().filter(|future| future[c].miss > 0.0).count() as f64 / outcomes.len() as f64;
        answer.uncertainty = Some(PlanUncertainty {
            futures,
            cheapest: 0,
            least_regret: keep.iter().position(|c| *c == least).unwrap_or(0),
            odds_of_missing: keep.iter().map(|c| missing(*c)).collect(),
            regret: keep.iter().map(|c| Usd(regret[*c])).collect(),
            inputs: inputs
                .iter()
                .map(|(key, interval)| (key.clone(), interval.to_string()))
                .collect::<BTreeMap<_, _>>(),
        });
        Ok(answer)
    }

    /// The cheapest plans of futures that are as hard on `yardstick` as shares of all are.
    fn rivals(
        &self,
        futures: &Futures<'_>,
        options: &PlanOptions,
        yardstick: &Candidate,
    ) -> Result<Vec<Candidate>, UncertainError> {
        let hardness = |future| {
            let hardness = self.hardness(&futures.task(future)?, yardstick);
            self.done(1);
            futures.done(self.watch)?;
            Ok((hardness, future))
        };
        let by_hardness: Result<Vec<(f64, usize)>, UncertainError> =
            (0..futures.quantiles.len()).into_par_iter().map(hardness).collect();
        let mut by_hardness = by_hardness?;
        by_hardness.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let limit = options.max_usd.map_or(f64::INFINITY, |usd| usd.0);
        let hard = |share: f64| by_hardness[((by_hardness.len() - 1) as f64 * share) as usize].1;
        let chosen: Result<Vec<Task>, WorkloadError> = RIVALS.iter().map(|share| futures.task(hard(*share))).collect();
        let chosen = chosen?;
        let found: Result<Vec<Option<Candidate>>, PlanError> = chosen
            .par_iter()
            .map(|task| {
                let rule = crate::SurvivalRule::of(task.engine, task.targets.availability);
                let allowed = Allowed::new(options, self.market, self.space, rule)?;
                let cheapest = self.with_cheapest(task, &allowed, limit, |_, candidate| *candidate);
                self.done(SEARCH);
                Ok(cheapest)
            })
            .collect();
        let mut rivals: Vec<Candidate> = Vec::new();
        for candidate in found?.into_iter().flatten() {
            if !rivals.iter().any(|known| known.same_deployment(&candidate)) {
                rivals.push(candidate);
            }
        }
        Ok(rivals)
    }

    /// How full a future makes the fullest resource of a deployment.
    fn hardness(&self, task: &Task, yardstick: &Candidate) -> f64 {
        let problem = Problem::new(self.model, self.market, self.space, self.ceilings, task);
        let demand = problem.demand_of(yardstick);
        let load = engine::OfferedLoad::Open(problem.rate());
        let prediction = problem.model.predict(&demand, &yardstick.capacity(self.market, &demand), load);
        problem.rate() / prediction.ceiling
    }

    fn outcomes(&self, task: &Task, candidates: &[Candidate]) -> Vec<Outcome> {
        let today = without_growth(task);
        let problem = Problem::new(self.model, self.market, self.space, self.ceilings, &today);
        let outcome = |candidate: &Candidate| {
            let demand = problem.demand_of(candidate);
            let missed = verdict::missed(&problem, candidate, &demand);
            let miss = missed.iter().map(|short| 1.0 / short.closeness() - 1.0).fold(0.0, f64::max);
            Outcome { usd: (candidate.compute + candidate.disks + problem.transfer(&demand)).0, miss }
        };
        candidates.iter().map(outcome).collect()
    }
}

/// The mean regret of each candidate.
fn regrets(outcomes: &[Vec<Outcome>], candidates: usize) -> Vec<f64> {
    let mut regret = vec![0.0; candidates];
    for future in outcomes {
        let cheapest = future.iter().filter(|o| o.miss == 0.0).map(|o| o.usd).min_by(f64::total_cmp);
        // Where no candidate will do, the dearest stands for the one that would.
        let needed = cheapest.unwrap_or_else(|| future.iter().map(|o| o.usd).fold(0.0, f64::max));
        for (sum, outcome) in regret.iter_mut().zip(future) {
            *sum += (outcome.usd - needed).max(0.0) + outcome.miss.min(1.0) * needed;
        }
    }
    regret.iter().map(|sum| sum / outcomes.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regret_weighs_what_is_paid_for_nothing_against_what_is_missed() {
        let met = |usd| Outcome { usd, miss: 0.0 };
        let outcomes = vec![
            vec![met(100.0), met(150.0)],
            vec![Outcome { usd: 100.0, miss: 0.5 }, met(150.0)],
            vec![Outcome { usd: 100.0, miss: 9.0 }, Outcome { usd: 150.0, miss: 0.2 }],
        ];
        let regret = regrets(&outcomes, 2);
        // The cheap one: nothing, half of 150, all of 150. The dear one: 50 too much, nothing, a fifth of 150.
        assert!((regret[0] - (0.0 + 75.0 + 150.0) / 3.0).abs() < 1e-9, "{regret:?}");
        assert!((regret[1] - (50.0 + 0.0 + 30.0) / 3.0).abs() < 1e-9, "{regret:?}");
    }
}
