//! The cheapest instance with a faster link or more processors.

use catalog::{InstanceCaps, InstanceType};
use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use limits::BindingLimit;
use units::Usd;

use super::{Advice, Need, Remedy, RemedyEffect};
use crate::KnownFacts;
use crate::facts::SubjectFacts;
use crate::rules::thresholds;

/// What is said where no faster link is for sale.
pub(super) const NO_FASTER: &str = "no instance of this size has a faster link: spread the load over more nodes";

/// The cheapest instance whose sustained link carries a need, and what it adds to a month.
pub(super) fn with_link<'k>(
    now: &InstanceType,
    need: Need,
    known: &'k KnownFacts,
) -> Option<(&'k InstanceType, Option<Usd>)> {
    cheapest(now, known, |to| {
        to.caps.is_some_and(|caps: InstanceCaps| caps.iops.0 >= need.iops && caps.throughput.0 >= need.bytes)
    })
}

/// An instance with more processors.
pub(super) fn more_processors(facts: &SubjectFacts, known: &KnownFacts) -> Advice {
    let Some(now) = &facts.instance else {
        return Advice::text("instance", "take an instance with more processors; name this one (--instance)");
    };
    let power = |one: &InstanceType| f64::from(one.vcpu) * one.thread_speed();
    let needs = power(now) * thresholds().raise;
    match cheapest(now, known, |to| power(to) >= needs) {
        Some((to, monthly)) => {
            let (before, after) = (power(now), power(to));
            let predicted =
                RemedyEffect::raising_in(BindingLimit::Cpu, "threads of an m5", before, after, Some(before));
            replace(now, to, monthly, predicted)
        }
        None => Advice::text("instance", "spread the load over more nodes: no larger instance is for sale here"),
    }
}

pub(super) fn replace(
    now: &InstanceType,
    to: &InstanceType,
    monthly: Option<Usd>,
    predicted: Option<RemedyEffect>,
) -> Advice {
    let remedy = Remedy {
        text: format!("replace {} by {}", now.name, to.name),
        what: "instance",
        from: Some(now.name.clone()),
        to: Some(to.name.clone()),
    };
    Advice { remedy: Some(remedy), monthly, predicted }
}

/// The cheapest instance of the same architecture with no less memory and processors that fits, and what it adds to a month.
/// Where no region is said there is no price, and the smallest that fits stands in for the cheapest.
fn cheapest<'k>(
    now: &InstanceType,
    known: &'k KnownFacts,
    fits: impl Fn(&InstanceType) -> bool,
) -> Option<(&'k InstanceType, Option<Usd>)> {
    let as_large = |to: &&InstanceType| {
        // A family of unknown speed is no answer, as in plans.
        to.vcpu >= now.vcpu && to.memory >= now.memory && to.arch == now.arch && to.speed.is_some()
    };
    let fitting = known.view.alternatives(now).filter(as_large).filter(|to| to.name != now.name && fits(to));
    let Some(region) = known.region() else {
        let link = |to: &InstanceType| to.caps.map_or(0.0, |caps| caps.throughput.0);
        let size = |to: &InstanceType| (to.family != now.family, to.vcpu, to.memory);
        let smallest = fitting.min_by(|a, b| size(a).cmp(&size(b)).then(link(a).total_cmp(&link(b))));
        return smallest.map(|to| (to, None));
    };
    let paid = month(&now.name, region, known);
    let priced = fitting.filter_map(|to| Some((to, month(&to.name, region, known)?)));
    let cheapest = priced.min_by(|a, b| a.1.0.total_cmp(&b.1.0));
    cheapest.map(|(to, usd)| (to, paid.map(|paid| usd - paid)))
}

/// What an instance costs a month.
fn month(name: &str, region: &str, known: &KnownFacts) -> Option<Usd> {
    let group = NodeGroup { role: NodeRole::Sql, count: 1, instance: name.to_owned(), data: None, log: None };
    let alone = Deployment {
        name: String::new(),
        engine: workload::Engine::TiKv,
        region: region.to_owned(),
        as_of: None,
        zones: 1,
        nodes: vec![group],
        settings: EngineSettings::default(),
        asks: None,
    };
    alone.monthly(&known.view).ok().map(|costs| costs.total())
}
