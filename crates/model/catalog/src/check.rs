//! What a table cannot show by itself: contradictions between rows and between tables.

use std::collections::HashSet;

use units::{Bytes, BytesPerSec};

use crate::facts::{CapsFact, CloudFacts, SharedFacts};
use crate::volume_table::VolumeFact;
use crate::{Cloud, Date, IopsRule, ThroughputRule};

/// Contradictions among volume types, their prices and the regions.
pub(crate) fn shared(facts: &SharedFacts) -> Vec<String> {
    let mut problems: Vec<_> = facts.volumes.iter().filter_map(volume).collect();
    for (i, a) in facts.volumes.iter().enumerate() {
        for b in &facts.volumes[..i] {
            let until = |fact: &VolumeFact| fact.until.unwrap_or(Date::MAX);
            if a.volume.name == b.volume.name && a.from <= until(b) && b.from <= until(a) {
                problems.push(format!("{}: the rows from {} and from {} overlap", a.volume.name, b.from, a.from));
            }
        }
    }
    for ((region, name), parts) in &facts.volume_prices {
        let subject = format!("price of {name} in {region}");
        let volume = facts.volumes.iter().find(|fact| &fact.volume.name == name);
        if volume.is_none() && !facts.gaps.contains_key(name) {
            problems.push(format!("{subject}: no volume type has that name"));
        }
        match (facts.regions.get(region), volume) {
            (None, _) => problems.push(format!("{subject}: no region has that name")),
            (Some(cloud), Some(fact)) if *cloud != fact.volume.cloud => {
                problems.push(format!("{subject}: the region is of {cloud}, the type of {}", fact.volume.cloud));
            }
            _ => {}
        }
        let sells_iops = parts.iter().any(|p| matches!(p.component, crate::facts::Component::Iops(_)));
        let provisioned = volume.is_some_and(|fact| matches!(fact.volume.iops, IopsRule::Provisioned { .. }));
        if provisioned && !sells_iops {
            problems.push(format!("{subject}: it has provisioned I/Os, and no price for them"));
        }
        for (i, a) in parts.iter().enumerate() {
            if parts[..i].iter().any(|b| a.component == b.component && a.provenance.as_of == b.provenance.as_of) {
                problems.push(format!("{subject}: two rows for {:?} on {}", a.component, a.provenance.as_of));
            }
            // A month of the dearest tier costs thousands, any other unit less than a dollar.
            let fixed = matches!(a.component, crate::facts::Component::Month(_));
            if !(a.usd.0 > 0.0 && (fixed || a.usd.0 < 1.0)) {
                problems.push(format!("{subject}: {} USD is no price", a.usd.0));
            }
            if a.until.is_some_and(|until| until < a.provenance.as_of) {
                problems.push(format!("{subject}: ends before it begins"));
            }
        }
    }
    for row in &facts.sold_as {
        if !facts.volumes.iter().any(|fact| fact.volume.name == row.kind) {
            problems.push(format!("{} sells {} as {}: no volume type has that name", row.service, row.said, row.kind));
        }
    }
    problems
}

fn volume(fact: &VolumeFact) -> Option<String> {
    let volume = &fact.volume;
    let wrong = if fact.until.is_some_and(|until| until < fact.from) {
        "its last day is before its first"
    } else if volume.size.0 > volume.size.1 {
        "its smallest size is over its largest"
    } else if matches!(volume.iops, IopsRule::BySize { min, max, .. } | IopsRule::Provisioned { min, max, .. } if min > max || max.0 <= 0.0)
    {
        "its least I/O rate is over its highest, or that is zero"
    } else if !ordered(&volume.throughput) {
        "its throughput limits are out of order"
    } else if volume.durability.is_some_and(|(low, high)| !(0.0 < low && low <= high && high < 1.0)) {
        "its durability is no share"
    } else if volume.io_unit < Bytes::kib(4) {
        "its unit of I/O is under 4 KiB"
    } else {
        return None;
    };
    Some(format!("{} from {}: {wrong}", volume.name, fact.from))
}

fn ordered(rule: &ThroughputRule) -> bool {
    match rule {
        ThroughputRule::Provisioned { min, max, .. } => min <= max && min.0 > 0.0,
        ThroughputRule::ByIops(bands) => bands.windows(2).all(|b| b[0].up_to < b[1].up_to && b[0].max <= b[1].max),
        ThroughputRule::BySize(bands) => {
            bands.windows(2).all(|b| b[0].from < b[1].from)
                && bands.iter().all(|b| b.base <= b.max && b.max <= b.burst && b.max.0 > 0.0)
        }
        ThroughputRule::ByInstance => true,
    }
}

/// Contradictions among one cloud's instance types, their limits, flash and prices.
pub(crate) fn cloud(cloud: Cloud, facts: &CloudFacts, shared: &SharedFacts) -> Vec<String> {
    let mut problems = Vec::new();
    let mut names = HashSet::new();
    for fact in &facts.instances {
        if !names.insert(fact.name.as_str()) {
            problems.push(format!("{}: two rows", fact.name));
        }
        if fact.vcpu == 0 || fact.memory < Bytes::mib(256) || fact.memory > Bytes::gib(65536) {
            problems.push(format!("{}: {} processors and {} of memory", fact.name, fact.vcpu, fact.memory));
        }
        if fact.local.is_some_and(|(count, size)| count == 0 || size < Bytes::gib(1)) {
            problems.push(format!("{}: local flash without devices or size", fact.name));
        }
    }
    for (name, seen) in &facts.caps {
        if !names.contains(name.as_str()) {
            problems.push(format!("limits of {name}: no instance type has that name"));
        }
        problems.extend(seen.iter().filter_map(caps).map(|wrong| format!("limits of {name}: {wrong}")));
        let days: HashSet<_> = seen.iter().map(|caps| caps.provenance.as_of).collect();
        if days.len() < seen.len() {
            problems.push(format!("limits of {name}: two rows of one day"));
        }
    }
    let with_flash: HashSet<_> = facts.instances.iter().filter(|i| i.local.is_some()).map(|i| &i.name).collect();
    for name in facts.local.keys().filter(|name| !with_flash.contains(name)) {
        problems.push(format!("local flash of {name}: the instance type has none"));
    }
    for region in facts.priced_regions().filter(|region| shared.regions.get(*region) != Some(&cloud)) {
        problems.push(format!("prices in {region}: {cloud} has no such region"));
    }
    let mut days = HashSet::new();
    for table in &facts.prices {
        let read = table.all(&shared.sources, |region, name, one| {
            let priced = || format!("price of {name} in {region}");
            if !names.contains(name) {
                problems.push(format!("{}: no instance type has that name", priced()));
            }
            if !days.insert((region, name.to_owned(), one.engine, one.term, one.provenance.as_of)) {
                problems.push(format!("{}: two rows of one day", priced()));
            }
            // The dearest instance with eight of the newest accelerators is under $1000 an hour.
            if !(one.usd.0 > 0.0 && one.usd.0 < 1000.0) {
                problems.push(format!("{}: {} USD an hour", priced(), one.usd.0));
            }
        });
        problems.extend(read.err().map(|error| error.to_string()));
    }
    problems.sort_unstable();
    problems
}

fn caps(fact: &CapsFact) -> Option<String> {
    let caps = &fact.caps;
    let (low, high) = (caps.throughput, caps.burst_throughput);
    if caps.iops > caps.burst_iops || low > high {
        return Some("the sustained rate is over the burst".to_owned());
    }
    let bursts = caps.iops < caps.burst_iops || low < high;
    if bursts != (caps.burst_time.0 > 0) {
        return Some("burst and its time do not agree".to_owned());
    }
    // Clouds print both rates at sizes of 4 to 64 KiB; far beyond, one of the units is wrong.
    for (rate, iops) in [(low, caps.iops), (high, caps.burst_iops)] {
        let per_io = rate.0 / iops.0;
        if !(1024.0..=262_144.0).contains(&per_io) {
            return Some(format!("{rate} at {} IOPS is {per_io:.0} bytes for each I/O: check the units", iops.0));
        }
    }
    let (mbps, burst_mbps) = fact.mbps?;
    let off = |mbps: f64, rate: BytesPerSec| (mbps / 8.0 - rate.as_mb()).abs() > 0.01;
    (off(mbps, low) || off(burst_mbps, high)).then(|| format!("{mbps} or {burst_mbps} Mbps is not {low} or {high}"))
}

#[cfg(test)]
mod tests;
