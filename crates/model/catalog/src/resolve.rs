//! From the facts of all days to those of one.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use units::{Bytes, BytesPerSec, Iops, Usd};

use crate::facts::{CloudFacts, Component, InstanceFact, PriceFact, SharedFacts};
use crate::price_table::HourlyPrice;
use crate::{Cloud, DatabaseEngine, Date, InstanceType, LocalStore, PriceTerm, TransferPrice, VolumePrice, VolumeType};

/// Prices by region, then by name.
pub(crate) type ByRegion<T> = HashMap<String, HashMap<String, T>>;

/// The observation that tells of a day: the last one until then, else the first one after it.
fn nearest<'a, T>(
    observations: impl IntoIterator<Item = &'a T> + Clone,
    date: Option<Date>,
    as_of: impl Fn(&T) -> Date,
) -> Option<&'a T> {
    let day = date.unwrap_or(Date::MAX);
    let before = observations.clone().into_iter().filter(|o| as_of(o) <= day).max_by_key(|o| as_of(o));
    before.or_else(|| observations.into_iter().min_by_key(|o| as_of(o)))
}

/// The volume types sold on a day; the newest rules of each without a day.
pub(crate) fn volumes(facts: &SharedFacts, date: Option<Date>) -> BTreeMap<String, VolumeType> {
    let mut held: Vec<_> = facts
        .volumes
        .iter()
        .filter(|fact| date.is_none_or(|day| fact.from <= day && fact.until.is_none_or(|until| day <= until)))
        .collect();
    held.sort_by_key(|fact| fact.from);
    held.into_iter().map(|fact| (fact.volume.name.clone(), fact.volume.clone())).collect()
}

/// The prices of the volume types that existed on a day.
pub(crate) fn volume_prices(facts: &SharedFacts, date: Option<Date>) -> ByRegion<VolumePrice> {
    let day = date.unwrap_or(Date::MAX);
    let exists = |name: &str| {
        facts.gaps.contains_key(name) || facts.volumes.iter().any(|fact| fact.volume.name == name && fact.from <= day)
    };
    let mut prices = ByRegion::new();
    for ((region, name), parts) in facts.volume_prices.iter().filter(|((_, name), _)| exists(name)) {
        if let Some(price) = volume_price(parts, date) {
            prices.entry(region.clone()).or_default().insert(name.clone(), price);
        }
    }
    prices
}

/// The nearest observation of each part of a price.
pub(crate) fn parts(seen: &[PriceFact], date: Option<Date>) -> Vec<&PriceFact> {
    let held: Vec<_> = seen.iter().filter(|p| p.until.is_none_or(|until| date.is_some_and(|d| d <= until))).collect();
    let mut parts: Vec<&PriceFact> = Vec::new();
    for part in &held {
        if !parts.iter().any(|p| p.component == part.component) {
            let same = held.iter().copied().filter(|p| p.component == part.component);
            parts.extend(nearest(same, date, |p| p.provenance.as_of));
        }
    }
    parts
}

/// Puts a price together from its parts; `None` without a price for size.
fn volume_price(seen: &[PriceFact], date: Option<Date>) -> Option<VolumePrice> {
    let parts = parts(seen, date);
    let newest = parts.iter().max_by_key(|p| p.provenance.as_of)?;
    let mut price = VolumePrice {
        per_gib: Usd(0.0),
        included_iops: Iops(0.0),
        iops_tiers: Vec::new(),
        included_throughput: BytesPerSec(0.0),
        per_mib_s: Usd(0.0),
        fixed_sizes: Vec::new(),
        provenance: newest.provenance.clone(),
    };
    let mut sized = false;
    for part in parts {
        match part.component {
            Component::Gib => (price.per_gib, sized) = (part.usd, true),
            Component::Month(size) => {
                price.fixed_sizes.push((size, part.usd));
                sized = true;
            }
            Component::Iops(above) => price.iops_tiers.push((above, part.usd)),
            Component::Throughput(above) => (price.included_throughput, price.per_mib_s) = (above, part.usd),
        }
    }
    price.iops_tiers.sort_by(|(a, _), (b, _)| a.0.total_cmp(&b.0));
    price.fixed_sizes.sort_by_key(|(size, _)| *size);
    price.included_iops = price.iops_tiers.first().map_or(Iops(0.0), |(above, _)| *above);
    sized.then_some(price)
}

/// The price of traffic between zones on a day.
pub(crate) fn transfer(facts: &SharedFacts, date: Option<Date>) -> BTreeMap<Cloud, TransferPrice> {
    let of = |cloud| {
        let seen = facts.transfer.iter().filter(move |(c, _)| *c == cloud).map(|(_, price)| price);
        nearest(seen, date, |price| price.provenance.as_of).map(|price| (cloud, price.clone()))
    };
    [Cloud::Aws, Cloud::Gcp, Cloud::Azure].into_iter().filter_map(of).collect()
}

/// One cloud's instance types on a day, and their prices.
#[derive(Debug, Clone, Default)]
pub(crate) struct CloudView {
    pub(crate) instances: BTreeMap<String, InstanceType>,
    /// By region, each when it is first asked for.
    prices: BTreeMap<&'static str, OnceLock<RegionView>>,
}

/// The prices of one region on a day, by type.
type RegionView = HashMap<String, Vec<HourlyPrice>>;

impl CloudView {
    pub(crate) fn new(cloud: Cloud, shared: &SharedFacts, facts: &CloudFacts, date: Option<Date>) -> Self {
        let day = date.unwrap_or(Date::MAX);
        let existing = facts.instances.iter().filter(|fact| fact.since <= day);
        let instances: BTreeMap<_, _> =
            existing.map(|fact| (fact.name.clone(), instance(cloud, fact, facts, shared, date))).collect();
        let prices = facts.priced_regions().map(|region| (region, OnceLock::new())).collect();
        Self { instances, prices }
    }

    /// The price of a type in a region; of a class without an engine the first of [`DatabaseEngine`] for which it is sold.
    pub(crate) fn price(
        &self,
        (shared, facts, date): (&SharedFacts, &CloudFacts, Option<Date>),
        region: &str,
        (name, engine, term): (&str, Option<DatabaseEngine>, PriceTerm),
    ) -> Option<&HourlyPrice> {
        let of_day = || {
            // The tables are tested to be readable: `CatalogView::problems` reads every region.
            let all = facts.region(region, &shared.sources).unwrap_or_default();
            all.into_iter().map(|(name, seen)| (name, of_day(&seen, date))).collect()
        };
        let prices = self.prices.get(region)?.get_or_init(of_day).get(name)?;
        let fits = |price: &&HourlyPrice| price.term == term && (engine.is_none() || price.engine == engine);
        self.instances.contains_key(name).then(|| prices.iter().filter(fits).min_by_key(|price| price.engine))?
    }
}

/// Of the observations of a type's prices those that tell of a day, one for each engine and term.
fn of_day(seen: &[HourlyPrice], date: Option<Date>) -> Vec<HourlyPrice> {
    let mut prices: Vec<HourlyPrice> = Vec::new();
    for one in seen {
        let same = |other: &&HourlyPrice| (other.engine, other.term) == (one.engine, one.term);
        if !prices.iter().any(|price| same(&price)) {
            prices.extend(nearest(seen.iter().filter(same), date, |price| price.provenance.as_of).cloned());
        }
    }
    prices
}

fn instance(
    cloud: Cloud,
    fact: &InstanceFact,
    facts: &CloudFacts,
    shared: &SharedFacts,
    date: Option<Date>,
) -> InstanceType {
    let caps = facts.caps.get(&fact.name).and_then(|seen| nearest(seen, date, |caps| caps.provenance.as_of));
    let speed = facts.local.get(&fact.name).copied().unwrap_or_default();
    let local = fact.local.map(|(count, size): (u32, Bytes)| LocalStore {
        count,
        size,
        read_iops: speed.read_iops,
        write_iops: speed.write_iops,
        read_throughput: speed.read_throughput,
        write_throughput: speed.write_throughput,
    });
    InstanceType {
        name: fact.name.clone(),
        family: fact.family.clone(),
        cloud,
        service: fact.service.clone(),
        vcpu: fact.vcpu,
        memory: fact.memory,
        arch: fact.arch.clone(),
        speed: speed_of(cloud, &fact.family, shared),
        nitro: fact.nitro,
        caps: caps.map(|seen| seen.caps),
        max_volumes: fact.max_volumes,
        local,
        provenance: caps.map_or(&fact.provenance, |seen| &seen.provenance).clone(),
    }
}

/// Hardware threads are compared with those of this family.
const REFERENCE: &str = "m5";

fn speed_of(cloud: Cloud, family: &str, shared: &SharedFacts) -> Option<f64> {
    let known = |family: &str| (cloud == Cloud::Aws).then(|| shared.processors.get(family).copied()).flatten();
    known(family).zip(known(REFERENCE)).map(|(speed, reference)| speed / reference)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hardware_threads_are_compared_with_an_m5s_where_their_speed_is_published() {
        let view = crate::Catalog::embedded().at(None);
        let speed = |name: &str| view.instance(name).unwrap().speed;
        assert_eq!(speed("m5.2xlarge"), Some(1.0));
        assert!(speed("m7a.2xlarge") > speed("m6i.2xlarge") && speed("m6i.2xlarge") > speed("i3.2xlarge"));
        assert_eq!(speed("a1.2xlarge"), None);
    }

    proptest! {
        #[test]
        fn no_other_observation_is_nearer_to_the_day(days in prop::collection::btree_set(0..2000i32, 1..20), day in 0..2000i32) {
            let at = |n: i32| date(2018, 1, 1) + jiff::Span::new().days(n);
            let seen: Vec<_> = days.iter().copied().map(at).collect();
            let found = *nearest(&seen, Some(at(day)), |d| *d).unwrap();
            let expected = days.range(..=day).next_back().or(days.first()).copied().map(at);
            prop_assert_eq!(Some(found), expected);
            prop_assert_eq!(nearest(&seen, None, |d| *d), seen.last());
        }
    }
}
