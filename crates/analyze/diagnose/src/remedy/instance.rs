//! The cheapest instance with a faster link or more processors.

use std::ops::Range;

use catalog::{InstanceCaps, InstanceType};
use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use limits::BindingLimit;
use units::Usd;

use super::{Advice, Remedy, RemedyEffect};
use crate::KnownFacts;
use crate::facts::{DiagnosisSignal, SubjectFacts};
use crate::rules::thresholds;

/// An instance whose sustained link carries what the volumes ask for.
pub(super) fn larger_link(
    facts: &SubjectFacts,
    disks: &[&SubjectFacts],
    within: Range<usize>,
    known: &KnownFacts,
) -> Advice {
    let Some((now, caps)) = facts.instance.as_ref().and_then(|now| Some((now, now.caps?))) else {
        return Advice::text(
            "instance",
            "take an instance with a faster link to its volumes; name this one (--instance)",
        );
    };
    let t = thresholds();
    let sum = |signal| -> f64 { disks.iter().filter_map(|disk| disk.mean(signal, within.clone())).sum() };
    let excess = disks
        .iter()
        .filter_map(|disk| disk.mean(DiagnosisSignal::LatencyExcess, within.clone()))
        .fold(t.raise, f64::max);
    let more = excess.clamp(t.raise, t.most_raise);
    let mean = |signal| facts.mean(signal, within.clone()).unwrap_or(0.0);
    let by_iops = mean(DiagnosisSignal::BoundInstanceIops) >= mean(DiagnosisSignal::BoundInstanceThroughput);
    let (iops, bytes) = (sum(DiagnosisSignal::Iops), sum(DiagnosisSignal::Throughput));
    let asks = |iops: f64, bytes: f64| move |to: &InstanceCaps| to.iops.0 >= iops && to.throughput.0 >= bytes;
    let raised = |value: f64, by: bool| value * if by { more } else { t.headroom };
    let fits = asks(raised(iops, by_iops), raised(bytes, !by_iops));
    let Some((to, monthly)) = cheapest(now, known, |to| to.caps.as_ref().is_some_and(&fits)) else {
        return Advice::text("instance", "no instance of this size has a faster link: spread the load over more nodes");
    };
    let after = to.caps.unwrap_or(caps);
    let (limit, before, after, delivered) = if by_iops {
        (BindingLimit::InstanceIops, caps.iops.0, after.iops.0, iops)
    } else {
        (BindingLimit::InstanceThroughput, caps.throughput.0, after.throughput.0, bytes)
    };
    let (limit, unit) = (limit.text(), limit.unit());
    let predicted = RemedyEffect { limit, unit, before, after, used_after: (delivered / after).min(1.0) };
    Advice { predicted: Some(predicted), ..replace(now, to, monthly) }
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
            let predicted = RemedyEffect {
                limit: BindingLimit::Cpu.text(),
                unit: "threads of an m5",
                before: power(now),
                after: power(to),
                used_after: power(now) / power(to),
            };
            Advice { predicted: Some(predicted), ..replace(now, to, monthly) }
        }
        None => Advice::text("instance", "spread the load over more nodes: no larger instance has a price here"),
    }
}

fn replace(now: &InstanceType, to: &InstanceType, monthly: Option<Usd>) -> Advice {
    let remedy = Remedy {
        text: format!("replace {} by {}", now.name, to.name),
        what: "instance",
        from: Some(now.name.clone()),
        to: Some(to.name.clone()),
    };
    Advice { remedy: Some(remedy), monthly, predicted: None }
}

/// The cheapest instance of the same architecture with no less memory and processors that fits, and what it adds to a month.
fn cheapest<'k>(
    now: &InstanceType,
    known: &'k KnownFacts,
    fits: impl Fn(&InstanceType) -> bool,
) -> Option<(&'k InstanceType, Option<Usd>)> {
    let region = known.region()?;
    let paid = month(&now.name, region, known)?;
    let as_large = |to: &&InstanceType| {
        // A family of unknown speed is no answer, as in plans.
        to.vcpu >= now.vcpu && to.memory >= now.memory && to.arch == now.arch && to.speed.is_some()
    };
    known
        .view
        .alternatives(now)
        .filter(as_large)
        .filter(|to| to.name != now.name && fits(to))
        .filter_map(|to| Some((to, month(&to.name, region, known)?)))
        .min_by(|a, b| a.1.0.total_cmp(&b.1.0))
        .map(|(to, usd)| (to, Some(usd - paid)))
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
