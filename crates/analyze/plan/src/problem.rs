//! One planning problem: a workload with every number fixed, what is for sale, and what must be kept free.

use deployment::EngineSettings;
use disk::IoDirection;
use engine::{ClusterMachines, OperationDemand, OperationLatency};
use units::{Bytes, Nanos, Usd};
use workload::Task;

use crate::constraint::{LayoutConstraint, LayoutShortfall};
use crate::market::{LocalFlash, Market};
use crate::model::{DemandModel, EngineModel};
use crate::rules::{PlanningCeilings, SurvivalRule};
use crate::space::SearchSpace;

/// Hours that clouds charge for a month (AWS Pricing Calculator: 8,760 / 12).
pub const MONTH_HOURS: f64 = 730.0;

/// Told the share of the futures that is done (0 to 1; 0 until the first plans are found), it says whether to go on.
pub(crate) type Watch<'a> = &'a (dyn Fn(f64) -> bool + Sync);

/// What is planned for, and with what.
pub(crate) struct Problem<'a> {
    pub(crate) model: &'a dyn EngineModel,
    pub(crate) market: &'a Market,
    pub(crate) space: &'a SearchSpace,
    pub(crate) ceilings: PlanningCeilings,
    pub(crate) rule: &'a SurvivalRule,
    pub(crate) task: &'a Task,
    /// Whether to go on searching.
    pub(crate) watch: Watch<'a>,
    demands: Box<dyn DemandModel + 'a>,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(
        model: &'a dyn EngineModel,
        market: &'a Market,
        space: &'a SearchSpace,
        ceilings: PlanningCeilings,
        task: &'a Task,
    ) -> Self {
        let rule = SurvivalRule::of(task.engine, task.targets.availability);
        Self { model, market, space, ceilings, rule, task, watch: &|_| true, demands: model.prepare(task) }
    }

    /// The same, its searches cut short when whoever watches says so.
    pub(crate) fn watched(self, watch: Watch<'a>) -> Self {
        Self { watch, ..self }
    }

    /// Operations a second at the target.
    pub(crate) fn target(&self) -> f64 {
        self.task.targets.throughput / self.task.profile.unit.per_operation
    }

    /// Operations a second with growth.
    pub(crate) fn rate(&self) -> f64 {
        engine::target_rate(self.task)
    }

    /// The demand on nodes that may have a read cache on their flash, growth included.
    ///
    /// The cache is taken for more page cache at the flash's latency: both hold blocks as they are on disk and keep the
    /// recently used ones. InnoDB reads past the page cache, so it gains nothing.
    pub(crate) fn demand(
        &self,
        cluster: &ClusterMachines,
        settings: &EngineSettings,
        cache: Option<&LocalFlash>,
    ) -> OperationDemand {
        let plain = self.demands.demand(cluster, settings);
        let Some(flash) = cache.filter(|_| self.task.engine.facts().reads_page_cache) else { return plain };
        let larger = ClusterMachines { memory: cluster.memory + flash.size, ..*cluster };
        let mut cached = self.demands.demand(&larger, settings);
        let size = Bytes(cached.path.read_size as u64);
        let hit = flash.service.mean(flash.service.median(IoDirection::Read, size, 0.0));
        cached.path.delay += (plain.path.reads - cached.path.reads).max(0.0) * hit;
        cached
    }

    /// Price of a month's traffic between zones, at the target without growth.
    pub(crate) fn transfer(&self, demand: &OperationDemand) -> Usd {
        let bytes = demand.cross_zone * self.target() * MONTH_HOURS * 3600.0;
        self.market.transfer.unwrap_or_default() * (bytes / 1e9)
    }

    /// What makes a latency too long, if anything.
    pub(crate) fn late(&self, demand: &OperationDemand, latency: OperationLatency) -> Option<LayoutShortfall> {
        // Growth brings more clients along, so the time that each may take is today's.
        let clients = self.task.clients.and_then(|clients| {
            let asked = clients / self.target() - demand.path.think;
            let available = latency.mean.as_secs_f64();
            (available > asked).then_some(LayoutShortfall { constraint: LayoutConstraint::Clients, asked, available })
        });
        let p99 = self.task.targets.p99.filter(|p99| latency.p99 > *p99).map(|p99: Nanos| LayoutShortfall {
            constraint: LayoutConstraint::P99,
            asked: p99.as_secs_f64(),
            available: latency.p99.as_secs_f64(),
        });
        clients.or(p99)
    }
}
