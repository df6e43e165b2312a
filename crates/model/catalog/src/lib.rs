#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod burstable;
mod catalog;
mod check;
mod date;
mod describe;
mod error;
mod facts;
mod instance;
mod price;
mod price_table;
mod release;
mod resolve;
mod rows;
mod service;
mod table;
mod view;
mod volume;
mod volume_table;

// Their types are part of the public surface here.
pub use catalog::Catalog;
pub use date::{DateError, deserialize_day, parse_date};
pub use error::CatalogError;
pub use instance::{InstanceCaps, InstanceType, LocalStore};
pub use jiff::civil::Date;
pub use price::{TransferPrice, VolumePrice};
pub use price_table::PriceTerm;
pub use release::{Release, ReleaseError, ReleaseSet};
pub use rows::{DiskRow, InstanceRow, PriceRow, TransferRow};
pub use service::{DatabaseEngine, ManagedService};
pub use table::TableError;
pub use units;
pub use view::CatalogView;
pub use volume::{
    BurstBucket, ConsistencyPromise, IopsBand, IopsRule, SizeBand, ThroughputRule, VolumeMedium, VolumeType,
};

/// A public cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cloud {
    /// Amazon Web Services.
    Aws,
    /// Google Cloud.
    Gcp,
    /// Microsoft Azure.
    Azure,
}

impl std::fmt::Display for Cloud {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Aws => "AWS",
            Self::Gcp => "Google Cloud",
            Self::Azure => "Azure",
        })
    }
}

/// Where a fact was found and the day for which it held.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Provenance {
    /// The document, package or repository, with its version.
    pub source: &'static str,
    /// The day, as far as the source tells.
    pub as_of: Date,
}
