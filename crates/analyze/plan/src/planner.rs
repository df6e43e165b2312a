//! From a workload to the ranked plans and the reasons against the rest.

use rayon::prelude::*;
use workload::Task;

use crate::answer::{PlanResult, RejectedCandidate, RejectionReason, WhyNot};
use crate::layout::Candidate;
use crate::market::{FLASH, Market};
use crate::model::EngineModel;
use crate::options::{Allowed, PlanError, PlanOptions};
use crate::problem::Problem;
use crate::progress::{PlanProgress, SEARCH};
use crate::rows::Rows;
use crate::rules::{PlanningCeilings, SurvivalRule};
use crate::search::{Found, Scope};
use crate::space::SearchSpace;

/// Everything that a plan is made from, but the workload.
#[derive(Clone, Copy)]
pub struct Planner<'a> {
    /// The engine's model.
    pub model: &'a dyn EngineModel,
    /// What is for sale.
    pub market: &'a Market,
    /// What to choose among besides.
    pub space: &'a SearchSpace,
    /// How full a plan lets resources get.
    pub ceilings: PlanningCeilings,
    /// Where the search counts what it has done; nowhere if `None`.
    pub progress: Option<&'a PlanProgress>,
    /// Whether to go on: see [`Planner::watched`].
    pub watch: &'a (dyn Fn(f64) -> bool + Sync),
}

/// One question to the search: the cheapest of all, of a disk type or of a family.
pub(crate) enum Goal {
    Top,
    Subject(RejectedCandidate),
}

impl<'a> Planner<'a> {
    /// A planner with the choices and ceilings that ship with the program.
    pub fn new(model: &'a dyn EngineModel, market: &'a Market) -> Self {
        let (space, ceilings) = (SearchSpace::embedded(), PlanningCeilings::embedded());
        Self { model, market, space, ceilings, progress: None, watch: &|_| true }
    }

    /// The same planner, counting what it has done in `progress`.
    #[must_use]
    pub fn counted(self, progress: &'a PlanProgress) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Counts work that is to be done.
    pub(crate) fn expect(&self, work: u64) {
        self.progress.inspect(|progress| progress.expect(work));
    }

    /// Counts work that was done.
    pub(crate) fn done(&self, work: u64) {
        self.progress.inspect(|progress| progress.done(work));
    }

    /// The same, given up when `watch` says so. It is asked again and again, with the share of the sampled futures that is done (0 to
    /// 1; 0 until the first plans are found), and returns whether to go on; once it does not, it is not to change its mind.
    #[must_use]
    pub fn watched(self, watch: &'a (dyn Fn(f64) -> bool + Sync)) -> Self {
        Self { watch, ..self }
    }

    /// The cheapest deployments that meet a workload.
    ///
    /// Deployments that differ only in stripe, settings, read cache or provisioning count as one: the ranking shows the cheapest
    /// for each instance type, node count, data disk type and log disk.
    ///
    /// # Errors
    /// When the options name what is not for sale, or leave nothing to choose from; [`PlanError::GivenUp`] when whoever watches says so.
    pub fn plan(&self, task: &Task, options: &PlanOptions) -> Result<PlanResult, PlanError> {
        Ok(self.plan_with_candidates(task, options)?.0)
    }

    /// The answer, and its plans as the search has them.
    pub(crate) fn plan_with_candidates(
        &self,
        task: &Task,
        options: &PlanOptions,
    ) -> Result<(PlanResult, Vec<Candidate>), PlanError> {
        let problem = Problem::new(self.model, self.market, self.space, self.ceilings, task).watched(self.watch);
        let allowed = Allowed::new(options, self.market, self.space, problem.rule)?;
        let rows = Rows::new(&problem, &allowed.instances, &allowed.nodes);
        let all: Vec<usize> = (0..rows.bodies.len()).collect();
        let goals = self.goals(&allowed, problem.rule);
        self.expect(goals.len() as u64 * SEARCH);
        let pursue = |goal| {
            let found = self.pursue(goal, &rows, &all, &allowed, options);
            self.done(SEARCH);
            found
        };
        let found: Vec<Found> = goals.par_iter().map(pursue).collect();

        let (top, rest) = found.split_first().expect("the first goal is the ranking");
        let mut answer = PlanResult {
            considered: 0,
            pruned: 0,
            plans: top.top.iter().map(|c| problem.plan(c)).collect(),
            why_not: Vec::new(),
            closest: None,
            shortfalls: Vec::new(),
            uncertainty: None,
        };
        let mut evaluated: Vec<u64> = found.iter().flat_map(|f| f.evaluated.iter().copied()).collect();
        evaluated.par_sort_unstable();
        evaluated.dedup();
        answer.considered = evaluated.len() as u64;
        answer.pruned = (rows.layouts(&allowed)).saturating_sub(answer.considered);

        for (goal, found) in goals[1..].iter().zip(rest) {
            let Goal::Subject(subject) = goal else { continue };
            if !answer.plans.first().is_some_and(|plan| self.uses(plan, subject)) {
                let reason = self.reason(&rows, subject, found, answer.plans.first());
                answer.why_not.push(WhyNot { subject: subject.clone(), reason });
            }
        }
        answer.why_not.extend(self.missing(options));
        if answer.plans.is_empty() {
            let (closest, shortfalls) = self.closest(task, options, &allowed, top.short, &rows);
            (answer.closest, answer.shortfalls) = (closest, shortfalls);
        }
        // What was cut short says nothing of what there is.
        if !(self.watch)(0.0) {
            return Err(PlanError::GivenUp);
        }
        Ok((answer, found.into_iter().next().map(|f| f.top).unwrap_or_default()))
    }

    pub(crate) fn goals(&self, allowed: &Allowed, rule: &SurvivalRule) -> Vec<Goal> {
        let mut families: Vec<&str> =
            allowed.instances.iter().map(|i| self.market.instances[*i].kind.family.as_str()).collect();
        families.sort_unstable();
        families.dedup();
        let volumes = allowed.kinds.iter().map(|kind| self.market.volumes[*kind].kind.name.as_str());
        let any_flash = allowed.instances.iter().any(|i| self.market.instances[*i].flash.is_some());
        let flash = (allowed.flash_data && any_flash && rule.local_flash).then_some(FLASH);
        let disks = volumes.chain(flash).map(|name| Goal::Subject(RejectedCandidate::Disk(name.to_owned())));
        let families = families.into_iter().map(|name| Goal::Subject(RejectedCandidate::Family(name.to_owned())));
        std::iter::once(Goal::Top).chain(disks).chain(families).collect()
    }

    pub(crate) fn pursue(
        &self,
        goal: &Goal,
        rows: &Rows<'_>,
        all: &[usize],
        allowed: &Allowed,
        options: &PlanOptions,
    ) -> Found {
        let whole = allowed.scope(all);
        match goal {
            Goal::Top => {
                let max_usd = options.max_usd.map_or(f64::INFINITY, |usd| usd.0);
                rows.cheapest(&Scope { max_usd, ..whole }, options.top.max(1))
            }
            Goal::Subject(RejectedCandidate::Family(family)) => {
                let of_family =
                    |body: &&usize| self.market.instances[rows.bodies[**body].instance].kind.family == *family;
                let bodies: Vec<usize> = all.iter().filter(of_family).copied().collect();
                rows.cheapest(&Scope { bodies: &bodies, ..whole }, 1)
            }
            Goal::Subject(RejectedCandidate::Disk(name)) => {
                let kind = allowed.kinds.iter().copied().find(|k| self.market.volumes[*k].kind.name == *name);
                let has_flash = |body: &&usize| self.market.instances[rows.bodies[**body].instance].flash.is_some();
                let with_flash: Vec<usize>;
                let bodies = if kind.is_some() {
                    all
                } else {
                    with_flash = all.iter().filter(has_flash).copied().collect();
                    &with_flash
                };
                rows.cheapest(&Scope { bodies, kinds: kind.as_slice(), flash_data: kind.is_none(), ..whole }, 1)
            }
        }
    }

    fn uses(&self, plan: &crate::Plan, subject: &RejectedCandidate) -> bool {
        let group = &plan.deployment.nodes[0];
        match subject {
            RejectedCandidate::Disk(name) => group.data.as_ref().is_some_and(|d| d.volume.kind == *name),
            RejectedCandidate::Family(family) => {
                self.market.instances.iter().any(|i| i.kind.name == group.instance && i.kind.family == *family)
            }
        }
    }

    fn reason(
        &self,
        rows: &Rows<'_>,
        subject: &RejectedCandidate,
        found: &Found,
        first: Option<&crate::Plan>,
    ) -> RejectionReason {
        if let (Some(candidate), Some(first)) = (found.top.first(), first) {
            let best = Box::new(rows.problem.plan(candidate));
            return RejectionReason::Costs { more: best.monthly() - first.monthly(), best };
        }
        let constraint = match (found.top.first(), found.short) {
            (Some(candidate), _) => format!("{} a month at least", units::Usd(candidate.monthly())),
            (None, Some((body, short))) => rows.on(body, &short),
            (None, None) => format!("{} is not for sale with what was pinned", name_of(subject)),
        };
        RejectionReason::RuledOut { constraint }
    }

    /// Disk types and families of which everything lacks a fact.
    fn missing(&self, options: &PlanOptions) -> Vec<WhyNot> {
        let pinned = options.instance.is_some() || options.disk.is_some();
        let mut subjects: Vec<(&RejectedCandidate, &str)> = Vec::new();
        for missing in self.market.missing.iter().filter(|_| !pinned) {
            let for_sale = match &missing.subject {
                RejectedCandidate::Disk(name) => self.market.volumes.iter().any(|v| v.kind.name == *name),
                RejectedCandidate::Family(name) => self.market.instances.iter().any(|i| i.kind.family == *name),
            };
            let excluded = options.exclude.iter().any(|e| e == name_of(&missing.subject));
            if !for_sale && !excluded && !subjects.iter().any(|(known, _)| **known == missing.subject) {
                subjects.push((&missing.subject, &missing.fact));
            }
        }
        let ruled_out = |(subject, fact): (&RejectedCandidate, &str)| WhyNot {
            subject: subject.clone(),
            reason: RejectionReason::RuledOut { constraint: fact.to_owned() },
        };
        subjects.into_iter().map(ruled_out).collect()
    }
}

fn name_of(subject: &RejectedCandidate) -> &str {
    match subject {
        RejectedCandidate::Disk(name) | RejectedCandidate::Family(name) => name,
    }
}

impl Rows<'_> {
    /// A shortfall with the machines that came so far.
    pub(crate) fn on(&self, body: usize, short: &crate::LayoutShortfall) -> String {
        let body = &self.bodies[body];
        format!("{short} ({} x {})", body.nodes, self.problem.market.instances[body.instance].kind.name)
    }

    /// How many layouts with settings there are.
    fn layouts(&self, allowed: &Allowed) -> u64 {
        let (rule, market) = (self.problem.rule, self.problem.market);
        let logs = 1 + allowed.logs.len() as u64;
        let network = allowed.kinds.len() as u64 * u64::from(self.problem.space.stripes) * logs;
        let of_body = |body: &crate::layout::Body| {
            let offer = &market.instances[body.instance];
            let settings = self.problem.space.settings(self.problem.task, rule, offer.kind.memory).len() as u64;
            let caches = 1 + u64::from(allowed.flash_cache && body.cached_row.is_some());
            let flash = u64::from(allowed.flash_data && rule.local_flash && offer.flash.is_some()) * logs;
            settings * (network * caches + flash)
        };
        self.bodies.iter().map(of_body).sum()
    }
}

impl Allowed {
    /// The whole of what is allowed.
    pub(crate) fn scope<'s>(&'s self, bodies: &'s [usize]) -> Scope<'s> {
        Scope {
            bodies,
            kinds: &self.kinds,
            logs: &self.logs,
            flash_data: self.flash_data,
            flash_cache: self.flash_cache,
            max_usd: f64::INFINITY,
        }
    }
}
