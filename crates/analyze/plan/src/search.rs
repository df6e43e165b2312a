//! Best-first search: layouts in ascending order of a price that they cannot undercut, until none left can win.

use units::Usd;

use crate::constraint::LayoutShortfall;
use crate::fit;
use crate::layout::{Candidate, Data, Layout, Log};
use crate::needs;
use crate::problem::Problem;
use crate::rows::{Row, Rows, Variant};

/// A part of the space to search.
#[derive(Debug, Clone)]
pub(crate) struct Scope<'s> {
    /// Bodies (indices), in ascending order of price.
    pub(crate) bodies: &'s [usize],
    /// Volume types for data.
    pub(crate) kinds: &'s [usize],
    /// Volume types for logs of their own.
    pub(crate) logs: &'s [usize],
    /// Whether data may lie on the instance's flash.
    pub(crate) flash_data: bool,
    /// Whether the instance's flash may serve as read cache.
    pub(crate) flash_cache: bool,
    /// Most dollars a month.
    pub(crate) max_usd: f64,
}

/// What a search found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The cheapest, one for each place in the ranking, cheapest first.
    pub(crate) top: Vec<Candidate>,
    /// Layouts with settings that were provisioned: see [`identity`].
    pub(crate) evaluated: Vec<u64>,
    /// If nothing was found: the body that came furthest, and what it lacks.
    pub(crate) short: Option<(usize, LayoutShortfall)>,
}

/// Settings and a data disk type on a body, with a price that no layout of them undercuts.
struct Open<'r> {
    bound: f64,
    /// The first of its layouts in the order of the ranking.
    layout: Layout,
    cached: bool,
    row: &'r Row,
    variant: &'r Variant,
}

/// A place in the ranking: price, then an order that no run of the program changes.
type Rank = (f64, Layout, usize);

impl Open<'_> {
    fn rank(&self) -> Rank {
        (self.bound, self.layout, self.row.ordinal(self.variant))
    }
}

/// A search on its way.
struct Search<'a> {
    rows: &'a Rows<'a>,
    problem: &'a Problem<'a>,
    scope: &'a Scope<'a>,
    k: usize,
    found: Found,
}

impl Rows<'_> {
    /// The `k` cheapest places of a scope. Exact: what is left out has a bound that is no better than the last one kept.
    pub(crate) fn cheapest(&self, scope: &Scope<'_>, k: usize) -> Found {
        let mut search = Search { rows: self, problem: self.problem, scope, k, found: Found::default() };
        for &body in scope.bodies {
            if !search.may_win(self.bodies[body].compute.0) || !(self.problem.watch)(0.0) {
                break;
            }
            let mut open = search.open(body);
            open.sort_by(|a, b| a.rank().partial_cmp(&b.rank()).expect("bounds are numbers"));
            for open in open {
                if !search.may_win(open.bound) || search.is_beaten(open.rank()) {
                    break;
                }
                search.expand(&open);
            }
        }
        search.found
    }
}

impl<'a> Search<'a> {
    /// Whether something that costs at least `bound` may still be among the `k` cheapest.
    fn may_win(&self, bound: f64) -> bool {
        let full = self.found.top.len() == self.k;
        bound <= self.scope.max_usd && !(full && self.found.top.last().is_some_and(|last| last.monthly() < bound))
    }

    /// Whether `k` better ones are known than anything of this rank or after it.
    fn is_beaten(&self, rank: Rank) -> bool {
        self.found.top.len() == self.k && self.found.top.last().is_some_and(|last| last.rank() < rank)
    }

    /// What of a body may still win.
    fn open(&mut self, body: usize) -> Vec<Open<'a>> {
        let (rows, scope) = (self.rows, self.scope);
        let on = &rows.bodies[body];
        let plain = rows.get(on.row);
        self.miss(body, plain.short);
        let mut open = Vec::new();
        if !scope.kinds.is_empty() {
            self.open_network(body, plain, false, &mut open);
            if let Some(cached) = on.cached_row.filter(|_| scope.flash_cache) {
                self.open_network(body, rows.get(cached), true, &mut open);
            }
        }
        let flash = self.problem.market.instances[on.instance].flash;
        if scope.flash_data && self.problem.rule.local_flash && flash.is_some() {
            let layout = Layout { body, data: Data::Flash, log: Log::Shared };
            open.extend(plain.variants.iter().map(|variant| {
                let bound = (on.compute + Usd(0.0) + variant.transfer).0;
                Open { bound, layout, cached: false, row: plain, variant }
            }));
        }
        open
    }

    fn open_network(&mut self, body: usize, row: &'a Row, cached: bool, open: &mut Vec<Open<'a>>) {
        let on = &self.rows.bodies[body];
        let instance = &self.problem.market.instances[on.instance];
        let mut let_through = Vec::with_capacity(row.variants.len());
        for (i, variant) in row.variants.iter().enumerate() {
            // However its disks count, a request is at least one I/O.
            let whole = Some(f64::INFINITY);
            match needs::through_instance(self.problem, instance, &variant.demand, (whole, whole)) {
                Err(short) => self.miss(body, Some(short)),
                Ok(()) if self.may_win((on.compute + variant.transfer).0) => let_through.push((i, variant)),
                Ok(()) => {}
            }
        }
        for &kind in self.scope.kinds.iter().filter(|_| !let_through.is_empty()) {
            let least = row.least(self.problem, kind);
            self.miss(body, least.short);
            let layout = Layout { body, data: Data::Network { kind, stripe: 1 }, log: Log::Shared };
            for (i, variant) in &let_through {
                let bound = (on.compute + Usd(least.usd[*i]) + variant.transfer).0;
                if bound.is_finite() && self.may_win(bound) {
                    open.push(Open { bound, layout, cached, row, variant });
                }
            }
        }
    }

    /// Provisions the stripes and logs of one body, settings and data disk type, cheapest bound first.
    fn expand(&mut self, open: &Open<'a>) {
        let body = &self.rows.bodies[open.layout.body];
        let ordinal = open.row.ordinal(open.variant);
        let mut layouts = self.bounds(open);
        layouts.sort_by(|a, b| a.partial_cmp(b).expect("bounds are numbers"));
        for (bound, layout) in layouts {
            let rank = (bound, layout, ordinal);
            if !self.may_win(bound) || self.is_beaten(rank) {
                break;
            }
            if self.found.top.iter().any(|known| known.layout.shares_place(&layout) && known.rank() <= rank) {
                continue;
            }
            self.found.evaluated.push(identity(layout, ordinal));
            match fit::provision(self.problem, body, (open.row, open.variant), layout, open.cached) {
                Ok(candidate) if candidate.monthly() <= self.scope.max_usd => self.keep(candidate),
                Ok(_) => {}
                Err(short) => self.miss(layout.body, Some(short)),
            }
        }
    }

    /// The layouts of what is open, each with a price that it does not undercut.
    fn bounds(&mut self, open: &Open<'a>) -> Vec<(f64, Layout)> {
        let (problem, demand) = (self.problem, &open.variant.demand);
        let (body, volumes) = (&self.rows.bodies[open.layout.body], &problem.market.volumes);
        let logs: Vec<Log> = std::iter::once(Log::Shared).chain(self.scope.logs.iter().map(|l| Log::Own(*l))).collect();
        let log_usd = |log: &Log| match *log {
            Log::Shared => Ok(Usd(0.0)),
            Log::Own(kind) => needs::least_log(problem, demand, kind, None).map(|p| volumes[kind].monthly(p)),
        };
        let log_usd: Vec<Result<Usd, LayoutShortfall>> = logs.iter().map(log_usd).collect();
        let stripes = if open.layout.data == Data::Flash { 1 } else { problem.space.stripes };
        let mut bounds = Vec::with_capacity(logs.len() * stripes as usize);
        for stripe in 1..=stripes {
            let (data, instance) = match open.layout.data {
                Data::Flash => (Data::Flash, problem.market.instances[body.instance].flash),
                Data::Network { kind, .. } => (Data::Network { kind, stripe }, None),
            };
            let data_usd = |shared: bool| match (data, &instance) {
                (Data::Network { kind, .. }, _) => {
                    needs::least_data(problem, demand, kind, stripe, shared, None).map(|p| volumes[kind].monthly(p))
                }
                (Data::Flash, Some(flash)) => needs::on_flash(problem, flash, demand, shared).map(|()| Usd(0.0)),
                (Data::Flash, None) => Ok(Usd(0.0)),
            };
            let (with_log, without_log) = (data_usd(true), data_usd(false));
            for (log, log_usd) in logs.iter().zip(&log_usd) {
                let data_usd = if *log == Log::Shared { with_log } else { without_log };
                match data_usd.and_then(|data_usd| Ok((data_usd, (*log_usd)?))) {
                    Err(short) => self.miss(open.layout.body, Some(short)),
                    Ok((data_usd, log_usd)) => {
                        let disks = needs::disks(body.nodes, data_usd, stripe, log_usd);
                        let layout = Layout { data, log: *log, ..open.layout };
                        bounds.push(((body.compute + disks + open.variant.transfer).0, layout));
                    }
                }
            }
        }
        bounds
    }

    fn keep(&mut self, candidate: Candidate) {
        let top = &mut self.found.top;
        match top.iter().position(|known| known.layout.shares_place(&candidate.layout)) {
            Some(same) if top[same].rank() <= candidate.rank() => return,
            Some(same) => top[same] = candidate,
            None => top.push(candidate),
        }
        top.sort_by(|a, b| a.rank().partial_cmp(&b.rank()).expect("prices are numbers"));
        top.truncate(self.k);
    }

    fn miss(&mut self, body: usize, short: Option<LayoutShortfall>) {
        if let Some(short) = short.filter(|_| self.found.top.is_empty())
            && self.found.short.is_none_or(|(_, known)| short.came_further_than(&known))
        {
            self.found.short = Some((body, short));
        }
    }
}

/// A number for each layout with each of its settings.
fn identity(layout: Layout, ordinal: usize) -> u64 {
    let data = match layout.data {
        Data::Flash => 0,
        Data::Network { kind, stripe } => 1 + (kind as u64) * 256 + u64::from(stripe),
    };
    let log = if let Log::Own(kind) = layout.log { 1 + kind as u64 } else { 0 };
    ((layout.body as u64) << 40) | ((ordinal as u64) << 24) | (data << 8) | log
}
