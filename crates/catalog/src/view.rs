//! The catalogue as it stood on a day.

use std::collections::BTreeMap;

use units::Usd;

use crate::{Cloud, Date, InstanceType, TransferPrice, VolumePrice, VolumeType};

/// All facts of all days, as embedded in the program.
#[derive(Debug)]
pub struct Catalog {}

impl Catalog {
    /// The tables that ship with the program.
    pub fn embedded() -> &'static Self {
        &Self {}
    }

    /// The facts of a day; of the newest ones without a day.
    pub fn at(&self, date: Option<Date>) -> View {
        View { date, ..View::default() }
    }
}

/// The facts that held on one day.
#[derive(Debug, Clone, Default)]
pub struct View {
    date: Option<Date>,
    regions: BTreeMap<String, Cloud>,
    instances: BTreeMap<String, InstanceType>,
    volumes: BTreeMap<String, VolumeType>,
    instance_prices: BTreeMap<(String, String), Usd>,
    volume_prices: BTreeMap<(String, String), VolumePrice>,
    transfer: BTreeMap<Cloud, TransferPrice>,
}

/// A fact that is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// No such name at all.
    #[error("no {what} is called `{name}`{suggestion}")]
    Unknown {
        /// "instance type", "disk type" or "region".
        what: &'static str,
        /// The name asked for.
        name: String,
        /// "; did you mean …?" or empty.
        suggestion: String,
    },
    /// The name is known, the fact is not.
    #[error("the catalogue has no {fact} for {subject}{when}")]
    Missing {
        /// What is missing: "price", "EBS limits".
        fact: &'static str,
        /// Of what: "io2 in us-west-2".
        subject: String,
        /// " on 2020-11-30" or empty.
        when: String,
    },
}

impl View {
    /// The day asked for; `None` for the newest facts.
    pub fn date(&self) -> Option<Date> {
        self.date
    }

    /// The cloud of a region.
    ///
    /// # Errors
    /// When no region has that name.
    pub fn region(&self, name: &str) -> Result<Cloud, CatalogError> {
        self.regions.get(name).copied().ok_or_else(|| CatalogError::Unknown {
            what: "region",
            name: name.to_owned(),
            suggestion: String::new(),
        })
    }

    /// All regions.
    pub fn regions(&self) -> impl Iterator<Item = (&str, Cloud)> {
        self.regions.iter().map(|(name, cloud)| (name.as_str(), *cloud))
    }

    /// An instance type.
    ///
    /// # Errors
    /// When no instance type has that name on that day.
    pub fn instance(&self, name: &str) -> Result<&InstanceType, CatalogError> {
        self.instances.get(name).ok_or_else(|| CatalogError::Unknown {
            what: "instance type",
            name: name.to_owned(),
            suggestion: String::new(),
        })
    }

    /// All instance types of a cloud.
    pub fn instances(&self, cloud: Cloud) -> impl Iterator<Item = &InstanceType> {
        self.instances.values().filter(move |i| i.cloud == cloud)
    }

    /// A volume type.
    ///
    /// # Errors
    /// When no volume type has that name on that day.
    pub fn volume(&self, name: &str) -> Result<&VolumeType, CatalogError> {
        self.volumes.get(name).ok_or_else(|| CatalogError::Unknown {
            what: "disk type",
            name: name.to_owned(),
            suggestion: String::new(),
        })
    }

    /// All volume types of a cloud.
    pub fn volumes(&self, cloud: Cloud) -> impl Iterator<Item = &VolumeType> {
        self.volumes.values().filter(move |v| v.cloud == cloud)
    }

    /// The on-demand price of an instance for an hour.
    ///
    /// # Errors
    /// When the price is not in the catalogue.
    pub fn instance_price(&self, region: &str, instance: &str) -> Result<Usd, CatalogError> {
        self.instance_prices.get(&(region.to_owned(), instance.to_owned())).copied().ok_or_else(|| {
            CatalogError::Missing { fact: "price", subject: format!("{instance} in {region}"), when: String::new() }
        })
    }

    /// The price of a volume type.
    ///
    /// # Errors
    /// When the price is not in the catalogue.
    pub fn volume_price(&self, region: &str, volume: &str) -> Result<&VolumePrice, CatalogError> {
        self.volume_prices.get(&(region.to_owned(), volume.to_owned())).ok_or_else(|| CatalogError::Missing {
            fact: "price",
            subject: format!("{volume} in {region}"),
            when: String::new(),
        })
    }

    /// The price of traffic between zones.
    ///
    /// # Errors
    /// When the price is not in the catalogue.
    pub fn transfer(&self, cloud: Cloud) -> Result<&TransferPrice, CatalogError> {
        self.transfer.get(&cloud).ok_or_else(|| CatalogError::Missing {
            fact: "price",
            subject: format!("{cloud:?} traffic between zones"),
            when: String::new(),
        })
    }
}
