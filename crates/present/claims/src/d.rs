//! Source 004: what General Purpose and Provisioned IOPS volumes cost, and which to take.

use catalog::VolumeMedium;
use plan::{Market, VolumeNeed};
use units::{Bytes, BytesPerSec, Iops, Usd};

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Compute, Ours, Setting};

pub(crate) const CLAIMS: &[(&str, Compute)] = &[("D05", prices), ("D06", choices)];

/// The source's database.
const SIZE: Bytes = Bytes::gib(400);
/// What its inserts draw at most.
const DEMAND: Iops = Iops(2500.0);

fn prices(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let disks = ["gp2:400GiB", "io1:400GiB,5000iops", "io1:400GiB,2500iops", "gp2:900GiB"];
    let months: Result<Vec<f64>, ClaimError> = disks.iter().map(|disk| Ok(s.disk_monthly(disk)?.0)).collect();
    Ok(Ours { remark: Some("the fourth at 900 GB".into()), ..Ours::from(ClaimValue::Numbers(months?)) })
}

fn choices(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let market = Market::from_view(&s.view, s.region)?;
    let (steady, strict) = (cheapest(&market, &["gp2", "io1"], 0.99)?, cheapest(&market, &["gp2", "io1"], 0.999)?);
    let remark = format!("{} for {}, or {} for {}", steady.disk, steady.monthly, strict.disk, strict.monthly);
    Ok(Ours {
        remark: Some(remark),
        ..Ours::from(ClaimValue::words([format!("{} against {}", steady.name, strict.name)]))
    })
}

/// The cheapest volume for the demand.
#[derive(Debug, PartialEq)]
struct Choice {
    /// The type, `larger` before it if the demand needs more size than the data do.
    name: String,
    disk: String,
    monthly: Usd,
}

/// Among `kinds` that promise what they were provisioned with for `of_the_time` of a year.
fn cheapest(market: &Market, kinds: &[&str], of_the_time: f64) -> Result<Choice, ClaimError> {
    let need = VolumeNeed { size: SIZE, iops: DEMAND, throughput: BytesPerSec(0.0) };
    let offers = market.volumes.iter().filter(|offer| {
        let promise = offer.kind.consistency.map_or(0.0, |consistency| consistency.of_the_time);
        offer.kind.medium == VolumeMedium::Ssd && kinds.contains(&offer.kind.name.as_str()) && promise >= of_the_time
    });
    let choices = offers.filter_map(|offer| {
        let provision = offer.least(need, None).ok()?;
        let larger = if Bytes::gib(provision.gib) > SIZE { "larger " } else { "" };
        Some(Choice {
            name: format!("{larger}{}", offer.kind.name),
            disk: disk::Disk { stripe: 1, volume: offer.volume(provision), cache: None }.to_string(),
            monthly: offer.monthly(provision),
        })
    });
    choices
        .min_by(|a, b| a.monthly.0.total_cmp(&b.monthly.0))
        .ok_or_else(|| ClaimError::Other(format!("none of {} promises {of_the_time} of the time", kinds.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_gp3_allowed_it_is_gp3() {
        let market = Market::from_view(&catalog::Catalog::embedded().at(None), "us-west-2").unwrap();
        assert_eq!(cheapest(&market, &["gp2", "gp3", "io1"], 0.99).unwrap().name, "gp3");
    }

    #[test]
    fn a_promise_that_nobody_makes_is_an_error() {
        let market = Market::from_view(&catalog::Catalog::embedded().at(None), "us-west-2").unwrap();
        assert!(cheapest(&market, &["gp2", "io1"], 0.99999).is_err());
    }
}
