//! `volumes.csv` with `bands.csv`: the rules of volume types and the days on which they held.

use std::collections::HashMap;

use jiff::civil::Date;
use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::table::{Line, Sources, TableError, read};
use crate::{
    BurstBucket, Cloud, ConsistencyPromise, IopsBand, IopsRule, SizeBand, ThroughputRule, VolumeMedium, VolumeType,
};

pub(crate) const CLOUDS: [(&str, Cloud); 3] = [("aws", Cloud::Aws), ("gcp", Cloud::Gcp), ("azure", Cloud::Azure)];

/// A volume type as it was sold over a span of days.
#[derive(Debug, Clone)]
pub(crate) struct VolumeFact {
    pub(crate) from: Date,
    /// The last day, if it holds no longer.
    pub(crate) until: Option<Date>,
    pub(crate) volume: VolumeType,
}

/// The bands of each type, by name and first day.
#[derive(Default)]
struct Bands {
    by_iops: HashMap<(String, Date), Vec<IopsBand>>,
    by_size: HashMap<(String, Date), Vec<SizeBand>>,
}

/// Reads both tables.
pub(crate) fn volumes(volumes: &str, bands: &str, sources: &Sources) -> Result<Vec<VolumeFact>, TableError> {
    let mut bands = read_bands(bands, sources)?;
    let mut facts = Vec::new();
    read("volumes.csv", VOLUMES, volumes, |line| {
        facts.push(volume(line, &mut bands, sources)?);
        Ok(())
    })?;
    let unused = bands.by_iops.keys().chain(bands.by_size.keys()).next();
    if let Some((name, from)) = unused {
        let message = format!("no row of volumes.csv for {name} from {from} uses these bands");
        return Err(TableError { table: "bands.csv", line: 1, message });
    }
    Ok(facts)
}

const VOLUMES: &str = "name,cloud,medium,from,until,min_size,max_size,iops_rule,iops_base,iops_per_gib,iops_min,\
iops_max,throughput_rule,throughput_min,throughput_max,bytes_per_io,burst,burst_iops,burst_throughput,burst_credits,\
burst_per_tib,burst_minutes,io_unit,durability_low,durability_high,delivered,of_the_time,source,as_of";

fn volume(line: &mut Line<'_>, bands: &mut Bands, sources: &Sources) -> Result<VolumeFact, TableError> {
    let name = line.name()?;
    let cloud = line.one_of(&CLOUDS)?;
    let medium = line.one_of(&[
        ("ssd", VolumeMedium::Ssd),
        ("hdd", VolumeMedium::Hdd),
        ("local_nvme", VolumeMedium::LocalNvme),
    ])?;
    let from: Date = line.value()?;
    let until = line.maybe()?;
    // The size of local flash is the instance's.
    let size = (line.maybe()?.unwrap_or(Bytes(0)), line.maybe()?.unwrap_or(Bytes(u64::MAX)));
    let iops = iops_rule(line)?;
    let throughput = throughput_rule(line, &name, from, bands)?;
    let burst = burst(line)?;
    let io_unit = line.value()?;
    let (low, high) = (line.maybe()?, line.maybe::<f64>()?);
    let durability = low.map(|low: f64| (low, high.unwrap_or(low)));
    let (delivered, of_the_time) = (line.maybe()?, line.maybe()?);
    let consistency =
        delivered.zip(of_the_time).map(|(delivered, of_the_time)| ConsistencyPromise { delivered, of_the_time });
    let provenance = line.provenance(sources)?;
    let volume = VolumeType {
        name,
        cloud,
        service: None,
        medium,
        size,
        iops,
        throughput,
        burst,
        io_unit,
        durability,
        consistency,
        provenance,
    };
    Ok(VolumeFact { from, until, volume })
}

fn iops_rule(line: &mut Line<'_>) -> Result<IopsRule, TableError> {
    let rule = line.one_of(&[("by_size", 0), ("provisioned", 1), ("by_instance", 2)])?;
    let (base, per_gib) = (line.maybe()?, line.maybe()?);
    let (min, max) = (line.maybe()?.unwrap_or_default(), line.maybe()?.unwrap_or_default());
    Ok(match rule {
        0 => IopsRule::BySize { base: base.unwrap_or_default(), per_gib: per_gib.unwrap_or_default(), min, max },
        1 => IopsRule::Provisioned { min, max, max_per_gib: per_gib },
        _ => IopsRule::ByInstance,
    })
}

fn throughput_rule(
    line: &mut Line<'_>,
    name: &str,
    from: Date,
    bands: &mut Bands,
) -> Result<ThroughputRule, TableError> {
    let rule = line.one_of(&[("provisioned", 0), ("by_iops", 1), ("by_size", 2), ("by_instance", 3)])?;
    let missing = line.error(&format!("needs bands from {from} in bands.csv"));
    let (min, max, per_io) = (line.maybe()?, line.maybe()?, line.maybe()?);
    let key = (name.to_owned(), from);
    Ok(match rule {
        0 => match (min, max, per_io) {
            (Some(min), Some(max), Some(max_per_iops)) => ThroughputRule::Provisioned { min, max, max_per_iops },
            _ => return Err(line.error("or one of the two before it is empty")),
        },
        1 => ThroughputRule::ByIops(bands.by_iops.remove(&key).ok_or(missing)?),
        2 => ThroughputRule::BySize(bands.by_size.remove(&key).ok_or(missing)?),
        _ => ThroughputRule::ByInstance,
    })
}

fn burst(line: &mut Line<'_>) -> Result<Option<BurstBucket>, TableError> {
    let kind = line.one_of(&[("none", 0), ("io_credits", 1), ("byte_credits", 2), ("timed", 3)])?;
    let needs = line.error("needs more of the burst columns than are filled");
    let iops: Option<Iops> = line.maybe()?;
    let throughput: Option<BytesPerSec> = line.maybe()?;
    let credits = line.maybe()?;
    let per_tib = line.maybe()?;
    let minutes: Option<u64> = line.maybe()?;
    let burst = match kind {
        0 => return Ok(None),
        1 => iops.zip(credits).map(|(iops, capacity)| BurstBucket::IoCredits { iops, capacity }),
        // A full bucket of st1 and sc1 is 1 TiB for each TiB of size.
        2 => throughput.zip(per_tib).map(|(max, per_tib)| BurstBucket::ByteCredits {
            per_tib,
            max,
            capacity_per_tib: Bytes::gib(1024),
        }),
        _ => iops.zip(throughput).zip(minutes).map(|((iops, throughput), minutes)| BurstBucket::Timed {
            iops,
            throughput,
            full_burst: Nanos::secs(60 * minutes),
        }),
    };
    burst.map(Some).ok_or(needs)
}

fn read_bands(text: &str, sources: &Sources) -> Result<Bands, TableError> {
    let mut bands = Bands::default();
    read("bands.csv", "name,from,up_to,from_size,per_io,base,per_gib,max,burst,source,as_of", text, |line| {
        let key = (line.name()?, line.value()?);
        let (up_to, from, per_io) = (line.maybe()?, line.maybe()?, line.maybe()?);
        let (base, per_gib) = (line.maybe()?, line.maybe()?);
        let max = line.value()?;
        let burst = line.maybe()?.unwrap_or(max);
        line.provenance(sources)?;
        match (up_to, per_io, from, base, per_gib) {
            (Some(up_to), Some(per_io), None, None, None) => {
                bands.by_iops.entry(key).or_default().push(IopsBand { up_to, per_io, max });
            }
            (None, None, Some(from), Some(base), Some(per_gib)) => {
                bands.by_size.entry(key).or_default().push(SizeBand { from, base, per_gib, max, burst });
            }
            _ => return Err(line.error("closes a row that is neither up_to, per_io nor from_size, base, per_gib")),
        }
        Ok(())
    })?;
    Ok(bands)
}
