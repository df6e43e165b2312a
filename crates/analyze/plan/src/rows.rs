//! Demands on nodes of one shape, computed when first asked for: many instance types share a shape.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use deployment::EngineSettings;
use engine::{ClusterMachines, DiskCapacity, NodeCapacity, OperationDemand};
use units::{Bytes, Usd};

use crate::constraint::{LayoutConstraint, LayoutShortfall};
use crate::layout::{Body, fastest, unlimited};
use crate::market::LocalFlash;
use crate::needs;
use crate::problem::{MONTH_HOURS, Problem};

/// Machines alike in all that demand depends on.
#[derive(Debug, Clone)]
struct Shape {
    cluster: ClusterMachines,
    /// Cores that a node sustains.
    cores: f64,
    /// The read cache, if its flash serves as one.
    cache: Option<LocalFlash>,
    /// The settings to try with so much memory.
    settings: Arc<[EngineSettings]>,
}

/// Settings on nodes of a shape.
#[derive(Debug)]
pub(crate) struct Variant {
    /// Place among the settings of its row.
    pub(crate) index: usize,
    pub(crate) demand: OperationDemand,
    pub(crate) transfer: Usd,
}

/// All settings that the processors of a shape carry.
#[derive(Debug)]
pub(crate) struct Row {
    nodes: u32,
    cores: f64,
    /// A row with a cache follows its plain sibling in the ranking.
    first: usize,
    settings: Arc<[EngineSettings]>,
    pub(crate) variants: Vec<Variant>,
    /// The settings that the processors do not carry, by the one that came furthest.
    pub(crate) short: Option<LayoutShortfall>,
    least: Vec<OnceLock<Least>>,
}

/// Bounds for a row with data on volumes of one type.
#[derive(Debug)]
pub(crate) struct Least {
    /// For each variant the dollars a month that its disks cost at least; infinite where nothing of the type will do.
    pub(crate) usd: Vec<f64>,
    /// What the variants lack for which nothing will do, by the one that came furthest.
    pub(crate) short: Option<LayoutShortfall>,
}

/// The rows of a market, and its bodies in ascending order of price.
pub(crate) struct Rows<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) bodies: Vec<Body>,
    shapes: Vec<Shape>,
    rows: Vec<OnceLock<Row>>,
    /// No disk for sale is faster in anything.
    ideal: Option<DiskCapacity>,
}

impl<'a> Rows<'a> {
    /// The bodies of the given instances (indices into the market) with each of `nodes`.
    pub(crate) fn new(problem: &'a Problem<'a>, instances: &[usize], nodes: &[u32]) -> Self {
        // Only the demand of what reads through the page cache falls with a cache under it; measured rates are what they are.
        let caches = problem.task.engine.facts().reads_page_cache && problem.task.measured.is_none();
        let mut shapes: Vec<Shape> = Vec::new();
        let mut known = HashMap::new();
        let mut settings: HashMap<Bytes, Arc<[EngineSettings]>> = HashMap::new();
        let mut bodies = Vec::with_capacity(instances.len() * nodes.len());
        for &instance in instances {
            let offer = &problem.market.instances[instance];
            let (vcpu, memory, zones) = (offer.kind.vcpu, offer.kind.memory, problem.rule.zones);
            let settings = settings
                .entry(memory)
                .or_insert_with(|| problem.space.settings(problem.task, problem.rule, memory).into());
            for &nodes in nodes {
                let mut row = |cache: Option<LocalFlash>| {
                    let flash = cache.map(|f| (f.size, f.service.read, f.service.link.0.to_bits()));
                    *known.entry((vcpu, offer.cores.to_bits(), memory, nodes, flash)).or_insert_with(|| {
                        let cluster = ClusterMachines { nodes, vcpu, memory, zones };
                        shapes.push(Shape { cluster, cores: offer.cores, cache, settings: Arc::clone(settings) });
                        shapes.len() - 1
                    })
                };
                let compute = offer.hourly * MONTH_HOURS * f64::from(nodes);
                let (plain, cached_row) = (row(None), offer.flash.filter(|_| caches).map(|flash| row(Some(flash))));
                bodies.push(Body { instance, nodes, compute, row: plain, cached_row });
            }
        }
        bodies.sort_by(|a, b| {
            (a.compute.0.total_cmp(&b.compute.0)).then(a.instance.cmp(&b.instance)).then(a.nodes.cmp(&b.nodes))
        });
        let rows = shapes.iter().map(|_| OnceLock::new()).collect();
        Self { problem, bodies, shapes, rows, ideal: fastest(problem) }
    }

    pub(crate) fn get(&self, row: usize) -> &Row {
        self.rows[row].get_or_init(|| Row::new(self.problem, &self.shapes[row], self.ideal))
    }
}

impl Row {
    fn new(problem: &Problem<'_>, shape: &Shape, ideal: Option<DiskCapacity>) -> Self {
        let (cluster, settings) = (shape.cluster, Arc::clone(&shape.settings));
        let mut short = needs::large_enough(problem, &cluster).and_then(|()| needs::remembers(problem, &cluster)).err();
        let mut variants = Vec::new();
        let tried = if short.is_some() { 0 } else { settings.len() };
        for (index, settings) in settings[..tried].iter().enumerate() {
            let demand = problem.demand(&cluster, settings, shape.cache.as_ref());
            let asked = demand.cpu * problem.rate() / problem.ceilings.cpu;
            let enough = if asked <= shape.cores {
                Self::in_time_on(problem, &demand, ideal, shape.cores)
            } else {
                Err(LayoutShortfall { constraint: LayoutConstraint::Cpu, asked, available: shape.cores })
            };
            match enough {
                Ok(()) => variants.push(Variant { index, demand, transfer: problem.transfer(&demand) }),
                Err(this) => short = LayoutShortfall::furthest(short, this),
            }
        }
        variants.shrink_to_fit();
        let first = if shape.cache.is_some() { settings.len() } else { 0 };
        let least = problem.market.volumes.iter().map(|_| OnceLock::new()).collect();
        Self { nodes: cluster.nodes, cores: shape.cores, first, settings, variants, short, least }
    }

    /// Whether latency is short enough on a disk that is never full: where it is not, no layout need be tried.
    fn in_time_on(
        problem: &Problem<'_>,
        demand: &OperationDemand,
        disk: Option<DiskCapacity>,
        cores: f64,
    ) -> Result<(), LayoutShortfall> {
        let wanted = problem.task.clients.is_some() || problem.task.targets.p99.is_some();
        let Some(disk) = disk.filter(|_| wanted) else { return Ok(()) };
        let capacity = NodeCapacity { data: disk, log: Some(disk), instance: None, cores };
        let latency = problem.model.latency(demand, &capacity, problem.rate());
        problem.late(demand, latency).map_or(Ok(()), Err)
    }

    /// The settings of a variant.
    pub(crate) fn settings(&self, variant: &Variant) -> EngineSettings {
        self.settings[variant.index]
    }

    /// The place of a variant among all settings of its nodes, with a cache and without.
    pub(crate) fn ordinal(&self, variant: &Variant) -> usize {
        self.first + variant.index
    }

    /// What the disks of each variant cost at least with data on volumes of `kind`.
    pub(crate) fn least(&self, problem: &Problem<'_>, kind: usize) -> &Least {
        self.least[kind].get_or_init(|| {
            let mut least = Least { usd: Vec::with_capacity(self.variants.len()), short: None };
            let mut before: Option<(&OperationDemand, Result<f64, LayoutShortfall>)> = None;
            for Variant { demand, .. } in &self.variants {
                // Settings that only change traffic ask the same of disks.
                let usd = match before {
                    Some((other, usd)) if same_on_disks(other, demand) => usd,
                    _ => self.least_usd(problem, demand, kind),
                };
                before = Some((demand, usd));
                let usd = usd.and_then(|usd| self.in_time_at_best(problem, demand, kind).map(|()| usd));
                least.usd.push(usd.unwrap_or_else(|short| {
                    least.short = LayoutShortfall::furthest(least.short, short);
                    f64::INFINITY
                }));
            }
            least
        })
    }

    fn least_usd(&self, problem: &Problem<'_>, demand: &OperationDemand, kind: usize) -> Result<f64, LayoutShortfall> {
        let volumes = &problem.market.volumes;
        let own = (0..volumes.len())
            .filter_map(|log| needs::least_log(problem, demand, log, None).map(|p| volumes[log].monthly(p).0).ok());
        let own = own.fold(f64::INFINITY, f64::min);
        let mut best: Option<f64> = None;
        let mut short = None;
        for stripe in 1..=problem.space.stripes {
            for (shared, log) in [(true, 0.0), (false, own)] {
                match needs::least_data(problem, demand, kind, stripe, shared, None) {
                    Ok(p) => {
                        let usd = needs::disks(self.nodes, volumes[kind].monthly(p), stripe, Usd(log)).0;
                        best = Some(best.map_or(usd, |best| best.min(usd)));
                    }
                    Err(this) => short = LayoutShortfall::furthest(short, this),
                }
            }
        }
        match (best, short) {
            (Some(usd), _) => Ok(usd),
            (None, Some(short)) => Err(short),
            (None, None) => unreachable!("a stripe has at least one volume"),
        }
    }

    /// Whether latency is short enough with volumes of `kind` that are never full, and the best of logs.
    fn in_time_at_best(
        &self,
        problem: &Problem<'_>,
        demand: &OperationDemand,
        kind: usize,
    ) -> Result<(), LayoutShortfall> {
        let volumes = &problem.market.volumes;
        let data = unlimited(&volumes[kind]);
        let mut short = None;
        for log in std::iter::once(None).chain(volumes.iter().map(|v| Some(unlimited(v)))) {
            let capacity = NodeCapacity { data, log, instance: None, cores: self.cores };
            let latency = problem.model.latency(demand, &capacity, problem.rate());
            let Some(late) = problem.late(demand, latency) else { return Ok(()) };
            short = LayoutShortfall::furthest(short, late);
        }
        short.map_or(Ok(()), Err)
    }
}

fn same_on_disks(a: &OperationDemand, b: &OperationDemand) -> bool {
    (a.data, a.log, a.stored, a.log_stored) == (b.data, b.log, b.stored, b.log_stored)
}
