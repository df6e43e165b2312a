//! The facts of a day as flat rows with stable keys, for printing and for JSON.

use serde::Serialize;
use units::{BytesPerSec, Iops};

use crate::facts::Component;
use crate::{CatalogError, CatalogView, Cloud, Date, Provenance};

/// A volume type.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiskRow {
    /// Its cloud.
    pub cloud: Cloud,
    /// `gp3`.
    pub name: String,
    /// Smallest size in GiB; nothing where the instance decides.
    pub min_gib: Option<f64>,
    /// Largest size in GiB.
    pub max_gib: Option<f64>,
    /// How many I/Os a second, in words.
    pub iops: String,
    /// How many bytes a second, in words.
    pub throughput: String,
    /// Burst in words.
    pub burst: Option<String>,
    /// Share of volumes alive after a year, at least.
    pub durability: Option<f64>,
    /// Where it was found.
    pub source: &'static str,
    /// The day of the source.
    pub as_of: Date,
}

/// An instance type.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InstanceRow {
    /// Its cloud.
    pub cloud: Cloud,
    /// `m5.2xlarge`.
    pub name: String,
    /// Hardware threads.
    pub vcpu: u32,
    /// Main memory in GiB.
    pub memory_gib: f64,
    /// I/Os a second to network volumes, always.
    pub iops: Option<f64>,
    /// I/Os a second in burst.
    pub burst_iops: Option<f64>,
    /// MB/s (10⁶ bytes) to network volumes, always.
    pub mb_s: Option<f64>,
    /// MB/s in burst.
    pub burst_mb_s: Option<f64>,
    /// How long the burst lasts from a full bucket.
    pub burst_minutes: Option<f64>,
    /// Local flash in GB (10⁹ bytes), all devices.
    pub local_gb: Option<f64>,
    /// 4 KiB reads a second of the local flash.
    pub local_read_iops: Option<f64>,
    /// 4 KiB writes a second of the local flash.
    pub local_write_iops: Option<f64>,
    /// Where the limits were found.
    pub source: &'static str,
    /// The day of the source.
    pub as_of: Date,
    /// Whether that is after the day asked for.
    pub observed_later: bool,
}

/// One price.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PriceRow {
    /// The region.
    pub region: String,
    /// "instance", "class" (of a service) or "disk".
    pub kind: &'static str,
    /// `m5.2xlarge`, `gp3`.
    pub name: String,
    /// In US dollars.
    pub usd: f64,
    /// Unit of the price: "hour", "GiB-month", "IOPS-month over 3000".
    pub unit: String,
    /// Where it was found.
    pub source: &'static str,
    /// The day of the source.
    pub as_of: Date,
    /// Whether that is after the day asked for.
    pub observed_later: bool,
}

/// The price of traffic between two zones of a region.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TransferRow {
    /// The cloud.
    pub cloud: Cloud,
    /// For each GB (10⁹ bytes), both sides together, in US dollars.
    pub usd_per_gb: f64,
    /// Where it was found.
    pub source: &'static str,
    /// The day of the source.
    pub as_of: Date,
    /// Whether that is after the day asked for.
    pub observed_later: bool,
}

impl CatalogView {
    /// The volume types of a cloud, by name.
    pub fn disk_rows(&self, cloud: Cloud) -> impl Iterator<Item = DiskRow> {
        self.volumes(cloud).map(move |volume| {
            let (min, max) = volume.size;
            let sized = max.0 < u64::MAX;
            DiskRow {
                cloud,
                name: volume.name.clone(),
                min_gib: sized.then(|| min.as_gib()),
                max_gib: sized.then(|| max.as_gib()),
                iops: volume.iops.to_string(),
                throughput: volume.throughput.to_string(),
                burst: volume.burst.map(|burst| burst.to_string()),
                durability: volume.durability.map(|(low, _)| low),
                source: volume.provenance.source,
                as_of: volume.provenance.as_of,
            }
        })
    }

    /// The instance types of a cloud, by name.
    pub fn instance_rows(&self, cloud: Cloud) -> impl Iterator<Item = InstanceRow> {
        self.instances(cloud).chain(self.classes(cloud)).map(move |instance| InstanceRow {
            cloud,
            name: instance.name.clone(),
            vcpu: instance.vcpu,
            memory_gib: instance.memory.as_gib(),
            iops: instance.caps.map(|caps| caps.iops.0),
            burst_iops: instance.caps.map(|caps| caps.burst_iops.0),
            mb_s: instance.caps.map(|caps| caps.throughput.as_mb()),
            burst_mb_s: instance.caps.map(|caps| caps.burst_throughput.as_mb()),
            burst_minutes: instance.caps.map(|caps| caps.burst_time.as_secs_f64() / 60.0),
            local_gb: instance.local.map(|local| local.size.as_f64() / 1e9),
            local_read_iops: instance.local.and_then(|local| local.read_iops).map(|iops| iops.0),
            local_write_iops: instance.local.and_then(|local| local.write_iops).map(|iops| iops.0),
            source: instance.provenance.source,
            as_of: instance.provenance.as_of,
            observed_later: self.observed_later(&instance.provenance),
        })
    }

    /// The prices of a region: disks, then instances, by name.
    ///
    /// # Errors
    /// When no region has that name.
    pub fn price_rows(&self, region: &str) -> Result<Vec<PriceRow>, CatalogError> {
        let cloud = self.region(region)?;
        let row = |kind, name: &str, usd: f64, unit: String, provenance: &Provenance| PriceRow {
            region: region.to_owned(),
            kind,
            name: name.to_owned(),
            usd,
            unit,
            source: provenance.source,
            as_of: provenance.as_of,
            observed_later: self.observed_later(provenance),
        };
        let mut rows = Vec::new();
        for (name, part) in self.volume_price_parts(region) {
            let unit = match part.component {
                Component::Gib => "GiB-month".to_owned(),
                Component::Month(size) => format!("month up to {size}"),
                Component::Iops(Iops(0.0)) => "IOPS-month".to_owned(),
                Component::Iops(above) => format!("IOPS-month over {}", above.0),
                Component::Throughput(BytesPerSec(0.0)) => "MiB/s-month".to_owned(),
                Component::Throughput(above) => format!("MiB/s-month over {above}"),
            };
            rows.push(row("disk", name, part.usd.0, unit, &part.provenance));
        }
        for instance in self.instances(cloud) {
            if let (Ok(usd), Ok(provenance)) =
                (self.instance_price(region, &instance.name), self.instance_price_provenance(region, &instance.name))
            {
                rows.push(row("instance", &instance.name, usd.0, "hour".to_owned(), provenance));
            }
        }
        for class in self.classes(cloud) {
            for price in self.class_prices(region, &class.name) {
                let engine = price.engine.map(|engine| format!(" with {engine}")).unwrap_or_default();
                rows.push(row("class", &class.name, price.usd.0, format!("hour{engine}"), &price.provenance));
            }
        }
        Ok(rows)
    }

    /// The prices of traffic between zones.
    pub fn transfer_rows(&self) -> impl Iterator<Item = TransferRow> {
        let price = |cloud| self.transfer(cloud).ok().map(|price| (cloud, price));
        [Cloud::Aws, Cloud::Gcp, Cloud::Azure].into_iter().filter_map(price).map(|(cloud, price)| TransferRow {
            cloud,
            usd_per_gb: price.per_gb.0,
            source: price.provenance.source,
            as_of: price.provenance.as_of,
            observed_later: self.observed_later(&price.provenance),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalog, parse_date};

    #[test]
    fn each_part_of_a_price_has_its_own_source() {
        let rows = Catalog::embedded().at(None).price_rows("us-east-1").unwrap();
        let io2: Vec<_> =
            rows.iter().filter(|row| row.name == "io2").map(|row| (row.unit.as_str(), row.source)).collect();
        let units: Vec<_> = io2.iter().map(|(unit, _)| *unit).collect();
        assert_eq!(units, ["GiB-month", "IOPS-month", "IOPS-month over 32000", "IOPS-month over 64000"]);
        assert!(io2[0].1.starts_with("pypi:") && io2[2].1.ends_with("(undated; collected 2026-11-21)"), "{io2:?}");
    }

    #[test]
    fn rows_tell_what_was_observed_later() {
        let view = Catalog::embedded().at(parse_date("2022-06").ok());
        let rows = view.price_rows("us-west-2").unwrap();
        let later = |name: &str| rows.iter().find(|row| row.name == name).map(|row| row.observed_later);
        assert_eq!((later("gp3"), later("gp2"), later("m5.large")), (Some(true), Some(false), Some(false)));
        assert!(view.price_rows("us-moon-1").is_err());
    }

    #[test]
    fn every_rule_is_told_in_words() {
        let view = Catalog::embedded().at(None);
        for row in [Cloud::Aws, Cloud::Gcp, Cloud::Azure].into_iter().flat_map(|cloud| view.disk_rows(cloud)) {
            assert!(!row.iops.is_empty() && !row.throughput.is_empty(), "{row:?}");
        }
        assert!(view.instance_rows(Cloud::Aws).any(|row| row.name == "m5.2xlarge" && row.mb_s == Some(287.5)));
        assert_eq!(view.transfer_rows().count(), 3);
    }
}
