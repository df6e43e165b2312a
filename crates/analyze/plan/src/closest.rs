//! When nothing reaches the targets: which single target would have to give, how far, and the plan that is then had.

use engine::ClosedLoop;
use rayon::prelude::*;
use units::{Nanos, Usd};
use workload::{AvailabilityTarget, Task};

use crate::answer::Plan;
use crate::constraint::{LayoutConstraint, LayoutShortfall, ms};
use crate::options::{Allowed, PlanOptions};
use crate::planner::Planner;
use crate::problem::Problem;
use crate::rows::Rows;
use crate::search::Scope;

/// A target is let go by this factor at a time.
const STEP: f64 = 1.01;
/// And by so many of them at most: a millionth of the throughput, a million times the latency. Beyond, it is the workload
/// that cannot be served.
const MOST_STEPS: u32 = 1_389;

/// One target let go as little as makes a plan possible.
struct Concession {
    /// By what share throughput is less, or latency or price more, than asked.
    share: f64,
    plan: Plan,
    text: String,
}

impl Planner<'_> {
    /// The plan that misses one target by the smallest share, and for people what would have to give, each target taken alone.
    ///
    /// Throughput and latency are let go by a hundredth at a time.
    pub(crate) fn closest(
        &self,
        task: &Task,
        options: &PlanOptions,
        allowed: &Allowed,
        short: Option<(usize, LayoutShortfall)>,
        rows: &Rows<'_>,
    ) -> (Option<Plan>, Vec<String>) {
        let limit = options.max_usd.map_or(f64::INFINITY, |usd| usd.0);
        let mut concessions: Vec<Concession> = self.more_money(task, allowed, options.max_usd).into_iter().collect();
        // Where only money is short, what the affordable machines lack is beside the point.
        let short = short.filter(|_| concessions.is_empty());
        let mut texts: Vec<String> = short.map(|(body, short)| rows.on(body, &short)).into_iter().collect();
        let waiting = short.map(|(_, short)| short).filter(|short| short.constraint == LayoutConstraint::Clients);
        let lacking = waiting.and_then(|short| ClosedLoop::short(task, short.available));
        concessions.extend(self.less_throughput(task, allowed, limit, lacking.as_ref()));
        concessions.extend(self.more_latency(task, allowed, limit, short.map(|(_, short)| short)));
        concessions.sort_by(|a, b| a.share.total_cmp(&b.share).then(a.plan.monthly().0.total_cmp(&b.plan.monthly().0)));
        texts.extend(concessions.iter().map(|c| c.text.clone()));
        let mut closest = concessions.into_iter().next().map(|c| c.plan);
        if let Some((text, plan)) = lacking.and_then(|lacking| self.more_clients(task, allowed, limit, &lacking)) {
            texts.push(text);
            closest.get_or_insert(plan);
        }
        for (what, other) in without_one_promise(task) {
            if let Some(plan) = self.cheapest_plan(&other, allowed, limit) {
                texts.push(format!("{what}: from {} a month", plan.monthly()));
                closest.get_or_insert(plan);
            }
        }
        (closest, texts)
    }

    fn more_money(&self, task: &Task, allowed: &Allowed, max: Option<Usd>) -> Option<Concession> {
        let max = max?;
        let plan = self.cheapest_plan(task, allowed, f64::INFINITY)?;
        let text = format!("price: {} a month at least, {max} allowed", plan.monthly());
        Some(Concession { share: plan.monthly().0 / max.0 - 1.0, plan, text })
    }

    fn less_throughput(
        &self,
        task: &Task,
        allowed: &Allowed,
        limit: f64,
        lacking: Option<&ClosedLoop>,
    ) -> Option<Concession> {
        let at = |steps: u32| {
            let mut less = task.clone();
            less.targets.throughput /= STEP.powi(steps as i32);
            less
        };
        let possible = |steps| self.is_possible(&at(steps), allowed, limit);
        // What the clients reach with the best latency is near the answer: with less load it is a little better.
        let guess = lacking.map(|lacking| (task.targets.throughput / lacking.reached).log(STEP).ceil() as u32);
        let steps = match guess {
            Some(guess) => least_near(guess, MOST_STEPS, possible)?,
            None => least_step(1, MOST_STEPS, possible)?,
        };
        let (less, unit) = (at(steps), task.profile.unit.name);
        let plan = self.cheapest_plan(&less, allowed, limit)?;
        let (asked, reached) = (task.targets.throughput, less.targets.throughput);
        let text = format!("throughput: {reached:.0} {unit} of the {asked:.0} asked, from {} a month", plan.monthly());
        Some(Concession { share: asked / reached - 1.0, plan, text })
    }

    /// The plan for as many clients as the best latency needs, or a hundredth more at a time.
    fn more_clients(&self, task: &Task, allowed: &Allowed, limit: f64, lacking: &ClosedLoop) -> Option<(String, Plan)> {
        let clients = |steps: u32| (lacking.clients_needed * STEP.powi(steps as i32 - 1)).ceil();
        let at = |steps: u32| Task { clients: Some(clients(steps)), ..task.clone() };
        let steps = least_near(1, MOST_STEPS, |steps| self.is_possible(&at(steps), allowed, limit))?;
        let (clients, plan) = (clients(steps), self.cheapest_plan(&at(steps), allowed, limit)?);
        let text = format!("clients: {clients:.0} instead of {:.0}, from {} a month", lacking.clients, plan.monthly());
        Some((text, plan))
    }

    fn more_latency(
        &self,
        task: &Task,
        allowed: &Allowed,
        limit: f64,
        best: Option<LayoutShortfall>,
    ) -> Option<Concession> {
        let asked = task.targets.p99?;
        let best = match best {
            // Where latency alone was short, the best seen is the least that can be had.
            Some(LayoutShortfall { constraint: LayoutConstraint::P99, available, .. }) => available,
            Some(_) => return None,
            None => asked.as_secs_f64(),
        };
        let from = (best / asked.as_secs_f64()).log(STEP).floor().max(0.0) as u32;
        let at = |steps: u32| {
            let mut more = task.clone();
            more.targets.p99 = Some(Nanos::from_secs_f64(asked.as_secs_f64() * STEP.powi(steps as i32)));
            more
        };
        let possible = |steps: u32| self.is_possible(&at(steps), allowed, limit);
        // Doubling the distance: the answer is most often near.
        let mut distances = (0..).map(|n| 1_u32 << n).take_while(|distance| from + distance < MOST_STEPS);
        let distance = distances.find(|distance| possible(from + distance))?;
        let steps =
            if distance == 1 { from + 1 } else { least_step(from + distance / 2 + 1, from + distance, possible)? };
        let more = at(steps);
        let plan = self.cheapest_plan(&more, allowed, limit)?;
        let (reached, asked) = (ms(more.targets.p99?.as_secs_f64()), ms(asked.as_secs_f64()));
        let text = format!("p99: {reached} instead of {asked}, from {} a month", plan.monthly());
        Some(Concession { share: STEP.powi(steps as i32) - 1.0, plan, text })
    }

    fn is_possible(&self, task: &Task, allowed: &Allowed, limit: f64) -> bool {
        let problem = Problem::new(self.model, self.market, self.space, self.ceilings, task).watched(self.watch);
        let rows = Rows::new(&problem, &allowed.instances, &allowed.nodes);
        (0..rows.bodies.len()).into_par_iter().any(|body| {
            let scope = Scope { max_usd: limit, ..allowed.scope(std::slice::from_ref(&body)) };
            !rows.cheapest(&scope, 1).top.is_empty()
        })
    }

    pub(crate) fn cheapest_plan(&self, task: &Task, allowed: &Allowed, limit: f64) -> Option<Plan> {
        self.with_cheapest(task, allowed, limit, |problem, candidate| problem.plan(candidate))
    }

    /// The cheapest candidate for a task within a limit of dollars a month.
    pub(crate) fn with_cheapest<T>(
        &self,
        task: &Task,
        allowed: &Allowed,
        limit: f64,
        then: impl FnOnce(&Problem<'_>, &crate::layout::Candidate) -> T,
    ) -> Option<T> {
        let problem = Problem::new(self.model, self.market, self.space, self.ceilings, task);
        let rows = Rows::new(&problem, &allowed.instances, &allowed.nodes);
        let all: Vec<usize> = (0..rows.bodies.len()).collect();
        let found = rows.cheapest(&Scope { max_usd: limit, ..allowed.scope(&all) }, 1);
        found.top.first().map(|candidate| then(&problem, candidate))
    }
}

/// The task with each of its promises let go in turn, and how to say so.
fn without_one_promise(task: &Task) -> Vec<(String, Task)> {
    let targets = task.targets;
    let with = |change: fn(&mut workload::Targets)| {
        let mut other = task.clone();
        change(&mut other.targets);
        other
    };
    let mut all = Vec::new();
    if targets.growth > 0.0 {
        all.push((format!("without the {:.0} % for growth", targets.growth * 100.0), with(|t| t.growth = 0.0)));
    }
    if let Some(share) = targets.durability {
        all.push((format!("without durability of {share:.3}"), with(|t| t.durability = None)));
    }
    if let Some(share) = targets.consistency {
        all.push((format!("without {share:.2} of the time as provisioned"), with(|t| t.consistency = None)));
    }
    if targets.availability != AvailabilityTarget::Node {
        all.push(("surviving one node only".to_owned(), with(|t| t.availability = AvailabilityTarget::Node)));
    }
    all
}

/// The least number from 1 to `high` for which something is possible that stays possible for larger ones, which is near `guess`.
fn least_near(guess: u32, high: u32, possible: impl Fn(u32) -> bool) -> Option<u32> {
    let guess = guess.clamp(1, high);
    if possible(guess) {
        let mut reached = guess;
        for distance in (0..).map(|n| 1_u32 << n) {
            let nearer = guess.saturating_sub(distance).max(1);
            if !possible(nearer) {
                return least_step(nearer + 1, reached, possible);
            }
            reached = nearer;
            if nearer == 1 {
                return Some(1);
            }
        }
    }
    let mut missed = guess;
    for distance in (0..).map(|n| 1_u32 << n) {
        let farther = guess.saturating_add(distance).min(high);
        if possible(farther) {
            return least_step(missed + 1, farther, possible);
        }
        if farther == high {
            return None;
        }
        missed = farther;
    }
    None
}

/// The least number from `low` to `high` for which something is possible that stays possible for larger ones.
fn least_step(low: u32, high: u32, possible: impl Fn(u32) -> bool) -> Option<u32> {
    if !possible(high) {
        return None;
    }
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if possible(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_is_possible_is_found_from_wherever_it_is_looked_for() {
        for least in [1, 2, 17, 999, 1000] {
            for guess in [0, 1, 16, 17, 18, 500, 1000, 5000] {
                assert_eq!(least_near(guess, 1000, |n| n >= least), Some(least), "{least} from {guess}");
            }
        }
        assert_eq!(least_near(7, 1000, |_| false), None);
    }
}
