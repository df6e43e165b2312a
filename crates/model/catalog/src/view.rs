//! The catalogue as it stood on a day.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use units::{Bytes, Usd};

use crate::catalog::Known;
use crate::facts::PriceFact;
use crate::price_table::HourlyPrice;
use crate::resolve::{self, ByRegion, CloudView};
use crate::{
    CatalogError, Cloud, DatabaseEngine, Date, InstanceType, ManagedService, PriceTerm, Provenance, TransferPrice,
    VolumeMedium, VolumePrice, VolumeType,
};

/// The facts that held on one day. A clone of it is cheap.
#[derive(Debug, Clone, Default)]
pub struct CatalogView {
    date: Option<Date>,
    known: Arc<Known>,
    volumes: Arc<BTreeMap<String, VolumeType>>,
    volume_prices: Arc<ByRegion<VolumePrice>>,
    transfer: BTreeMap<Cloud, TransferPrice>,
    /// In the order of [`Cloud`], each when it is first asked for.
    clouds: Arc<[OnceLock<CloudView>; 3]>,
}

impl CatalogView {
    pub(crate) fn new(date: Option<Date>, known: Arc<Known>) -> Self {
        Self {
            date,
            volumes: Arc::new(resolve::volumes(&known.shared, date)),
            volume_prices: Arc::new(resolve::volume_prices(&known.shared, date)),
            transfer: resolve::transfer(&known.shared, date),
            known,
            clouds: Default::default(),
        }
    }

    fn cloud(&self, cloud: Cloud) -> &CloudView {
        self.clouds[cloud as usize]
            .get_or_init(|| CloudView::new(cloud, &self.known.shared, self.known.cloud(cloud), self.date))
    }

    /// The day asked for; `None` for the newest facts.
    pub fn date(&self) -> Option<Date> {
        self.date
    }

    /// Whether a fact was observed only after the day asked for: the nearest there is, not one of that day.
    pub fn observed_later(&self, provenance: &Provenance) -> bool {
        self.date.is_some_and(|day| provenance.as_of > day)
    }

    /// The cloud of a region.
    ///
    /// # Errors
    /// When no region has that name.
    pub fn region(&self, name: &str) -> Result<Cloud, CatalogError> {
        let regions = &self.known.shared.regions;
        let unknown = || CatalogError::unknown("region", name, regions.keys().map(String::as_str));
        regions.get(name).copied().ok_or_else(unknown)
    }

    /// All regions.
    pub fn regions(&self) -> impl Iterator<Item = (&str, Cloud)> {
        self.known.shared.regions.iter().map(|(name, cloud)| (name.as_str(), *cloud))
    }

    /// An instance type.
    ///
    /// # Errors
    /// When no instance type has that name, or not yet on that day.
    pub fn instance(&self, name: &str) -> Result<&InstanceType, CatalogError> {
        const WHAT: &str = "instance type";
        let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure];
        if let Some(found) = clouds.into_iter().find_map(|cloud| self.cloud(cloud).instances.get(name)) {
            return Ok(found);
        }
        let later = clouds.into_iter().flat_map(|cloud| &self.known.cloud(cloud).instances).find(|i| i.name == name);
        Err(match (later, self.date) {
            (Some(fact), Some(date)) => {
                CatalogError::NotYet { what: WHAT, name: name.to_owned(), date, since: fact.since }
            }
            _ => CatalogError::unknown(
                WHAT,
                name,
                clouds.into_iter().flat_map(|c| self.cloud(c).instances.keys()).map(String::as_str),
            ),
        })
    }

    /// All instance types of a cloud that one rents as machines, by name; [`classes`](Self::classes) has those of services.
    pub fn instances(&self, cloud: Cloud) -> impl Iterator<Item = &InstanceType> {
        self.cloud(cloud).instances.values().filter(|instance| instance.service.is_none())
    }

    /// All classes of a cloud's services, by name: `db.m5.large` of RDS.
    pub fn classes(&self, cloud: Cloud) -> impl Iterator<Item = &InstanceType> {
        self.cloud(cloud).instances.values().filter(|instance| instance.service.is_some())
    }

    /// The types that may stand in for one: machines for a machine, classes of its service for a class, itself among them.
    pub fn alternatives(&self, to: &InstanceType) -> impl Iterator<Item = &InstanceType> {
        let service = to.service.clone();
        self.cloud(to.cloud).instances.values().filter(move |instance| instance.service == service)
    }

    /// A volume type.
    ///
    /// # Errors
    /// When no volume type has that name, not yet on that day, or its limits of that day are not known.
    pub fn volume(&self, name: &str) -> Result<&VolumeType, CatalogError> {
        self.volumes.get(name).ok_or_else(|| self.no_volume(name))
    }

    /// The volume type that an instance gets under a name: a class of a service that of its service and for that size
    /// (`gp2` of 1,500 GiB on `db.m5.large` is `rds-gp2-striped`), a machine the cloud's own. Without an instance the name
    /// tells: `rds-gp2` is RDS's.
    ///
    /// # Errors
    /// As [`volume`](Self::volume), and when a service does not sell the type, or only a service does.
    pub fn volume_on(
        &self,
        name: &str,
        size: Bytes,
        instance: Option<&InstanceType>,
    ) -> Result<&VolumeType, CatalogError> {
        let rows = &self.known.shared.sold_as;
        let by_kind = rows.iter().find(|row| row.kind == name);
        let service = match (instance, by_kind) {
            (Some(instance), by_kind) => match (&instance.service, by_kind) {
                (Some(service), _) => service,
                (None, None) => return self.volume(name),
                (None, Some(row)) => {
                    return Err(CatalogError::OnlyOfService {
                        name: name.to_owned(),
                        service: row.service.clone(),
                        instance: instance.name.clone(),
                        said: row.said.clone(),
                    });
                }
            },
            (None, Some(row)) => &row.service,
            (None, None) => return self.volume(name),
        };
        let said = by_kind.map_or(name, |row| row.said.as_str());
        let mut sold = rows.iter().filter(|row| row.service == *service && row.said == said).peekable();
        let Some(least) = sold.peek().copied() else {
            // An unknown name is no question of the service.
            self.volume(name)?;
            let mut names: Vec<_> = rows.iter().filter(|row| row.service == *service).map(|row| &*row.said).collect();
            names.dedup();
            return Err(CatalogError::NotSoldBy {
                name: name.to_owned(),
                service: service.clone(),
                sold: names.join(", "),
            });
        };
        let row = sold.filter(|row| row.from <= size).max_by_key(|row| row.from).unwrap_or(least);
        self.volume(&row.kind)
    }

    /// The types that a service sells under the name of which `kind` is one, smallest sizes first; `kind` alone where no
    /// service does.
    pub fn sizes_of(&self, kind: &VolumeType) -> Vec<&VolumeType> {
        let rows = &self.known.shared.sold_as;
        let of = rows.iter().find(|row| row.kind == kind.name);
        let same = rows.iter().filter(|row| of.is_some_and(|of| (&of.service, &of.said) == (&row.service, &row.said)));
        let all: Vec<_> = same.filter_map(|row| self.volumes.get(&row.kind)).collect();
        if all.is_empty() { self.volumes.get(&kind.name).into_iter().collect() } else { all }
    }

    /// The type of the smallest sizes that a service sells under a cloud's own name, if it sells any.
    pub fn sold_by(&self, service: &ManagedService, said: &str) -> Option<&VolumeType> {
        let row = self.known.shared.sold_as.iter().find(|row| row.service == *service && row.said == said)?;
        self.volumes.get(&row.kind)
    }

    /// The cloud's own name of a type: `gp2` of `rds-gp2-striped`.
    pub fn said_name<'a>(&'a self, kind: &'a str) -> &'a str {
        self.known.shared.sold_as.iter().find(|row| row.kind == kind).map_or(kind, |row| &row.said)
    }

    fn no_volume(&self, name: &str) -> CatalogError {
        const WHAT: &str = "disk type";
        let shared = &self.known.shared;
        if let Some(missing) = shared.gaps.get(name) {
            return CatalogError::missing("limits", format!("{name}: {missing}"), None);
        }
        let since = shared.volumes.iter().filter(|fact| fact.volume.name == name).map(|fact| fact.from).min();
        match (since, self.date) {
            (Some(since), Some(date)) if date < since => {
                CatalogError::NotYet { what: WHAT, name: name.to_owned(), date, since }
            }
            (Some(_), _) => CatalogError::missing("limits", name.to_owned(), self.date),
            (None, _) => CatalogError::unknown(WHAT, name, self.volumes.keys().map(String::as_str)),
        }
    }

    /// All volume types of a cloud, by name; local flash belongs to each.
    pub fn volumes(&self, cloud: Cloud) -> impl Iterator<Item = &VolumeType> {
        self.volumes.values().filter(move |v| v.cloud == cloud || v.medium == VolumeMedium::LocalNvme)
    }

    /// The on-demand price of an instance for an hour; of a class of RDS with MySQL, in one zone.
    ///
    /// # Errors
    /// When region or instance type are not known, or the price is not.
    pub fn instance_price(&self, region: &str, instance: &str) -> Result<Usd, CatalogError> {
        self.priced_instance(region, instance, None, PriceTerm::OnDemand).map(|price| price.usd)
    }

    /// The price of an instance for an hour as it is paid for, and of a class with the engine that it runs.
    ///
    /// # Errors
    /// When region or instance type are not known, or the price is not.
    pub fn hourly(
        &self,
        region: &str,
        instance: &str,
        engine: Option<DatabaseEngine>,
        term: PriceTerm,
    ) -> Result<Usd, CatalogError> {
        self.priced_instance(region, instance, engine, term).map(|price| price.usd)
    }

    /// Source and day of [`instance_price`](Self::instance_price).
    ///
    /// # Errors
    /// The errors of the price without its provenance.
    pub fn instance_price_provenance(&self, region: &str, instance: &str) -> Result<&Provenance, CatalogError> {
        self.priced_instance(region, instance, None, PriceTerm::OnDemand).map(|price| &price.provenance)
    }

    /// The on-demand prices of a class in a region, by engine.
    pub(crate) fn class_prices(&self, region: &str, class: &str) -> Vec<&HourlyPrice> {
        let engines = DatabaseEngine::ALL.into_iter();
        engines
            .filter_map(|engine| self.priced_instance(region, class, Some(engine), PriceTerm::OnDemand).ok())
            .collect()
    }

    fn priced_instance(
        &self,
        region: &str,
        instance: &str,
        engine: Option<DatabaseEngine>,
        term: PriceTerm,
    ) -> Result<&HourlyPrice, CatalogError> {
        let cloud = self.region(region)?;
        let facts = (&self.known.shared, self.known.cloud(cloud), self.date);
        self.cloud(cloud).price(facts, region, (instance, engine, term)).ok_or_else(|| match self.instance(instance) {
            Ok(_) => {
                let fact = if term == PriceTerm::OnDemand { "price" } else { "price of that term" };
                CatalogError::missing(fact, format!("{instance} in {region}"), self.date)
            }
            Err(error) => error,
        })
    }

    /// The price of a volume type.
    ///
    /// # Errors
    /// When region or volume type are not known, or the price is not.
    pub fn volume_price(&self, region: &str, volume: &str) -> Result<&VolumePrice, CatalogError> {
        let price = self.volume_prices.get(region).and_then(|prices| prices.get(volume));
        price.ok_or_else(|| match (self.region(region), self.volumes.contains_key(volume)) {
            (Err(error), _) => error,
            (Ok(_), false) if !self.known.shared.gaps.contains_key(volume) => self.no_volume(volume),
            _ => CatalogError::missing("price", format!("{volume} in {region}"), self.date),
        })
    }

    /// The parts of the volume prices of a region that hold, by name.
    pub(crate) fn volume_price_parts<'a>(&'a self, region: &'a str) -> impl Iterator<Item = (&'a str, &'a PriceFact)> {
        let priced = self.volume_prices.get(region);
        let seen = self.known.shared.volume_prices.iter();
        seen.filter(move |((r, name), _)| r == region && priced.is_some_and(|prices| prices.contains_key(name)))
            .flat_map(|((_, name), seen)| resolve::parts(seen, self.date).into_iter().map(|part| (name.as_str(), part)))
    }

    /// The price of traffic between zones.
    ///
    /// # Errors
    /// When the price is not in the catalogue.
    pub fn transfer(&self, cloud: Cloud) -> Result<&TransferPrice, CatalogError> {
        let missing = || CatalogError::missing("price", format!("traffic between the zones of {cloud}"), self.date);
        self.transfer.get(&cloud).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests;
