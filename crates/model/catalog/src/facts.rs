//! The facts of all days, as read from the tables.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use units::{Bytes, BytesPerSec, Iops, Nanos, Usd};

use crate::price_table::{PriceTable, RegionPrices};
use crate::service::SoldAs;
use crate::table::{Line, Sources, TableError, read};
use crate::volume_table::{CLOUDS, VolumeFact, volumes};
use crate::{Cloud, InstanceCaps, ManagedService, Provenance, TransferPrice, table};

/// The texts of the tables that concern every cloud, and of each cloud's large ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Texts {
    pub(crate) sources: &'static str,
    pub(crate) regions: &'static str,
    pub(crate) volumes: &'static str,
    pub(crate) sold_as: &'static str,
    pub(crate) bands: &'static str,
    pub(crate) volume_prices: &'static str,
    pub(crate) transfer: &'static str,
    pub(crate) gaps: &'static str,
    pub(crate) processors: &'static str,
    /// In the order of [`Cloud`].
    pub(crate) clouds: [CloudTexts; 3],
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CloudTexts {
    pub(crate) instances: &'static str,
    /// Classes of the cloud's services.
    pub(crate) classes: &'static str,
    pub(crate) caps: &'static str,
    pub(crate) local: &'static str,
    pub(crate) prices: &'static str,
    pub(crate) class_prices: &'static str,
}

macro_rules! cloud_texts {
    ($cloud:literal) => {
        CloudTexts {
            instances: include_str!(concat!("../tables/", $cloud, "/instances.csv")),
            classes: include_str!(concat!("../tables/", $cloud, "/classes.csv")),
            caps: include_str!(concat!("../tables/", $cloud, "/caps.csv")),
            local: include_str!(concat!("../tables/", $cloud, "/local.csv")),
            prices: include_str!(concat!("../tables/", $cloud, "/prices.csv")),
            class_prices: include_str!(concat!("../tables/", $cloud, "/class_prices.csv")),
        }
    };
}

/// The tables that ship with the program.
pub(crate) const EMBEDDED: Texts = Texts {
    sources: include_str!("../tables/sources.csv"),
    regions: include_str!("../tables/regions.csv"),
    volumes: include_str!("../tables/volumes.csv"),
    sold_as: include_str!("../tables/sold_as.csv"),
    bands: include_str!("../tables/bands.csv"),
    volume_prices: include_str!("../tables/volume_prices.csv"),
    transfer: include_str!("../tables/transfer.csv"),
    gaps: include_str!("../tables/gaps.csv"),
    processors: include_str!("../tables/processors.csv"),
    clouds: [cloud_texts!("aws"), cloud_texts!("gcp"), cloud_texts!("azure")],
};

/// Facts of all clouds together.
#[derive(Debug, Default)]
pub(crate) struct SharedFacts {
    pub(crate) sources: Sources,
    pub(crate) regions: BTreeMap<String, Cloud>,
    pub(crate) volumes: Vec<VolumeFact>,
    /// By service, said name and ascending size.
    pub(crate) sold_as: Vec<SoldAs>,
    pub(crate) volume_prices: BTreeMap<(String, String), Vec<PriceFact>>,
    pub(crate) transfer: Vec<(Cloud, TransferPrice)>,
    /// Known names of volume types, and what is missing on them.
    pub(crate) gaps: BTreeMap<String, String>,
    /// Clock (GHz) times instructions a cycle, by instance family.
    pub(crate) processors: BTreeMap<String, f64>,
}

/// One part of a volume's price.
#[derive(Debug, Clone)]
pub(crate) struct PriceFact {
    pub(crate) component: Component,
    pub(crate) usd: Usd,
    /// The last day on which the price is taken to have held, if later ones contradict it.
    pub(crate) until: Option<Date>,
    pub(crate) provenance: Provenance,
}

/// Component that a price is for; two facts of one component are two observations of one price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Component {
    /// Each GiB for a month.
    Gib,
    /// Each I/O a second above this rate, for a month.
    Iops(Iops),
    /// Each MiB/s above this throughput, for a month.
    Throughput(BytesPerSec),
    /// A volume up to this size, for a month.
    Month(Bytes),
}

/// Facts of one cloud's instance types.
#[derive(Debug, Clone, Default)]
pub(crate) struct CloudFacts {
    pub(crate) instances: Vec<InstanceFact>,
    pub(crate) caps: HashMap<String, Vec<CapsFact>>,
    pub(crate) local: HashMap<String, LocalSpeed>,
    /// Of machines, then of classes.
    pub(crate) prices: [PriceTable; 2],
}

#[derive(Debug, Clone)]
pub(crate) struct InstanceFact {
    pub(crate) name: String,
    pub(crate) service: Option<ManagedService>,
    pub(crate) family: String,
    pub(crate) vcpu: u32,
    pub(crate) memory: Bytes,
    pub(crate) arch: String,
    pub(crate) nitro: bool,
    pub(crate) max_volumes: Option<u32>,
    /// Number of flash devices and their size together.
    pub(crate) local: Option<(u32, Bytes)>,
    /// The first day on which a source shows the type.
    pub(crate) since: Date,
    pub(crate) provenance: Provenance,
}

/// How fast the flash of one instance type is, all devices together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LocalSpeed {
    pub(crate) read_iops: Option<Iops>,
    pub(crate) write_iops: Option<Iops>,
    pub(crate) read_throughput: Option<BytesPerSec>,
    pub(crate) write_throughput: Option<BytesPerSec>,
}

#[derive(Debug, Clone)]
pub(crate) struct CapsFact {
    /// Sustained and burst throughput as printed in Mbit/s: a check on the MB/s beside it.
    pub(crate) mbps: Option<(f64, f64)>,
    pub(crate) caps: InstanceCaps,
    pub(crate) provenance: Provenance,
}

impl SharedFacts {
    pub(crate) fn read(texts: &Texts) -> Result<Self, TableError> {
        let sources = table::sources(texts.sources)?;
        let mut facts = Self { volumes: volumes(texts.volumes, texts.bands, &sources)?, ..Self::default() };
        read("regions.csv", "name,cloud,source,as_of", texts.regions, |line| {
            let name = line.name()?;
            let cloud = line.one_of(&CLOUDS)?;
            let twice = line.error(&format!("is given to {name} a second time"));
            line.provenance(&sources)?;
            if facts.regions.insert(name, cloud).is_some() { Err(twice) } else { Ok(()) }
        })?;
        read("sold_as.csv", "service,said,from_size,kind,source,as_of", texts.sold_as, |line| {
            let service = ManagedService(line.name()?);
            let row = SoldAs { service, said: line.name()?, from: line.value()?, kind: line.name()? };
            line.provenance(&sources)?;
            for fact in facts.volumes.iter_mut().filter(|fact| fact.volume.name == row.kind) {
                fact.volume.service = Some(row.service.clone());
            }
            facts.sold_as.push(row);
            Ok(())
        })?;
        read("volume_prices.csv", VOLUME_PRICES, texts.volume_prices, |line| {
            let key = (line.name()?, line.name()?);
            facts.volume_prices.entry(key).or_default().push(volume_price(line, &sources)?);
            Ok(())
        })?;
        read("transfer.csv", "cloud,usd_out,usd_in,per,source,as_of", texts.transfer, |line| {
            let cloud = line.one_of(&CLOUDS)?;
            let usd: f64 = line.value::<f64>()? + line.value::<f64>()?;
            let bytes = line.one_of(&[("GB", 1e9), ("GiB", Bytes::gib(1).as_f64())])?;
            let per_gb = Usd(usd * 1e9 / bytes);
            facts.transfer.push((cloud, TransferPrice { per_gb, provenance: line.provenance(&sources)? }));
            Ok(())
        })?;
        read("gaps.csv", "name,cloud,missing,source,as_of", texts.gaps, |line| {
            let name = line.name()?;
            line.one_of(&CLOUDS)?;
            facts.gaps.insert(name, line.name()?);
            line.provenance(&sources).map(|_| ())
        })?;
        read("processors.csv", "family,ghz,ipc,like,source,as_of", texts.processors, |line| {
            let family = line.name()?;
            let twice = line.error(&format!("is given to {family} a second time"));
            let speed = line.value::<f64>()? * line.value::<f64>()?;
            line.name()?;
            line.provenance(&sources)?;
            if facts.processors.insert(family, speed).is_some() { Err(twice) } else { Ok(()) }
        })?;
        facts.sources = sources;
        Ok(facts)
    }
}

const VOLUME_PRICES: &str = "region,name,until,component,above,usd,source,as_of";

fn volume_price(line: &mut Line<'_>, sources: &Sources) -> Result<PriceFact, TableError> {
    let until = line.maybe()?;
    let kind = line.one_of(&[("gib", 0), ("iops", 1), ("mib_s", 2), ("mb_s", 3), ("month", 4)])?;
    let component = match kind {
        0 => line.maybe::<Bytes>().map(|_| Component::Gib)?,
        1 => Component::Iops(line.value()?),
        2 | 3 => Component::Throughput(line.value()?),
        _ => Component::Month(line.value()?),
    };
    // A price for each MB/s becomes one for each MiB/s.
    let usd = Usd(line.value::<f64>()? * if kind == 3 { 1.048576 } else { 1.0 });
    Ok(PriceFact { component, usd, until, provenance: line.provenance(sources)? })
}

impl CloudFacts {
    pub(crate) fn read(texts: &CloudTexts, sources: &Sources) -> Result<Self, TableError> {
        let mut facts = Self::default();
        read("instances.csv", INSTANCES, texts.instances, |line| {
            facts.instances.push(instance(line, sources, false)?);
            Ok(())
        })?;
        read("classes.csv", &INSTANCES.replacen("name,", "name,service,", 1), texts.classes, |line| {
            facts.instances.push(instance(line, sources, true)?);
            Ok(())
        })?;
        read("caps.csv", CAPS, texts.caps, |line| {
            let name = line.name()?;
            facts.caps.entry(name).or_default().push(caps(line, sources)?);
            Ok(())
        })?;
        read("local.csv", LOCAL, texts.local, |line| {
            let store = facts.local.entry(line.name()?).or_default();
            fill(line, &mut store.read_iops)?;
            fill(line, &mut store.write_iops)?;
            fill(line, &mut store.read_throughput)?;
            fill(line, &mut store.write_throughput)?;
            line.one_of(&[("published", ()), ("measured", ()), ("model", ())])?;
            line.provenance(sources).map(|_| ())
        })?;
        facts.prices =
            [PriceTable::new("prices.csv", texts.prices)?, PriceTable::new("class_prices.csv", texts.class_prices)?];
        Ok(facts)
    }

    /// The regions for which prices are known, in no order.
    pub(crate) fn priced_regions(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.prices.iter().flat_map(PriceTable::regions)
    }

    /// The prices of a region, all days.
    pub(crate) fn region(&self, region: &str, sources: &Sources) -> Result<RegionPrices, TableError> {
        let mut prices = RegionPrices::new();
        for table in &self.prices {
            table.region(region, sources, &mut prices)?;
        }
        Ok(prices)
    }
}

const INSTANCES: &str =
    "name,family,vcpu,memory_gib,arch,nitro,max_volumes,local_count,local_gb,since,since_source,source,as_of";
const CAPS: &str =
    "name,mbps,burst_mbps,throughput,burst_throughput,iops,burst_iops,burst_minutes,burst_stated,source,as_of";
const LOCAL: &str = "name,read_iops,write_iops,read_b_s,write_b_s,basis,source,as_of";

fn instance(line: &mut Line<'_>, sources: &Sources, is_class: bool) -> Result<InstanceFact, TableError> {
    let name = line.name()?;
    let service = if is_class { Some(ManagedService(line.name()?)) } else { None };
    let (family, vcpu) = (line.name()?, line.value()?);
    let memory = Bytes::gib(1) * line.value::<f64>()?;
    let arch = line.name()?;
    let nitro = line.one_of(&[("yes", true), ("no", false)])?;
    let max_volumes = line.maybe()?;
    let count: Option<u32> = line.maybe()?;
    // Local flash is sold in decimal GB.
    let local = count.zip(line.maybe::<f64>()?.map(|gb| Bytes((gb * 1e9) as u64)));
    let since = line.value()?;
    line.source(sources)?;
    let provenance = line.provenance(sources)?;
    Ok(InstanceFact { name, service, family, vcpu, memory, arch, nitro, max_volumes, local, since, provenance })
}

fn caps(line: &mut Line<'_>, sources: &Sources) -> Result<CapsFact, TableError> {
    let mbps = line.maybe()?.zip(line.maybe()?);
    let (throughput, burst_throughput) = (line.value()?, line.value()?);
    let (iops, burst_iops) = (line.value()?, line.value()?);
    let burst_time = Nanos::secs(60 * line.value::<u64>()?);
    line.one_of(&[("yes", ()), ("no", ())])?;
    let caps = InstanceCaps { iops, throughput, burst_iops, burst_throughput, burst_time };
    Ok(CapsFact { mbps, caps, provenance: line.provenance(sources)? })
}

/// Takes the next cell, which may say only once what the store does.
fn fill<T: std::str::FromStr>(line: &mut Line<'_>, cell: &mut Option<T>) -> Result<(), TableError> {
    match line.maybe()? {
        Some(_) if cell.is_some() => Err(line.error("is filled by two rows of one type")),
        Some(value) => {
            *cell = Some(value);
            Ok(())
        }
        None => Ok(()),
    }
}
