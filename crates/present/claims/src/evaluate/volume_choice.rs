//! The cheapest volume for a demand, by how dependably it keeps its provisioned rate.

use catalog::VolumeMedium;
use plan::{Market, VolumeNeed};
use units::{Bytes, BytesPerSec, Iops, Usd};

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator};
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[volume-choice]`: the cheapest volume for each share of the time, joined by ` against `.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct VolumeChoice {
    /// Data.
    size: Bytes,
    /// Demand.
    iops: Iops,
    /// Volume types to choose from.
    among: Vec<String>,
    /// Shares of a year in which the volume is to deliver its provisioned rate.
    of_the_time: Vec<f64>,
}

impl Evaluator for VolumeChoice {
    fn rung(&self) -> Rung {
        Rung::Plan
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let market = Market::from_view(&context.view, &context.source.region)?;
        let choices = self.of_the_time.iter().map(|share| self.cheapest(&market, *share));
        let choices = choices.collect::<Result<Vec<_>, _>>()?;
        let remarks: Vec<String> =
            choices.iter().map(|choice| format!("{} for {}", choice.disk, choice.monthly)).collect();
        let names: Vec<String> = choices.into_iter().map(|choice| choice.name).collect();
        Ok(ClaimAnswer::from(ClaimValue::words([names.join(" against ")])).remark(remarks.join(", or ")))
    }
}

/// The cheapest volume for the demand.
#[derive(Debug, PartialEq)]
struct CheapestVolume {
    /// The type, `larger` before it if the demand needs more size than the data do.
    name: String,
    disk: String,
    monthly: Usd,
}

impl VolumeChoice {
    fn cheapest(&self, market: &Market, of_the_time: f64) -> Result<CheapestVolume, ClaimError> {
        let need = VolumeNeed { size: self.size, iops: self.iops, throughput: BytesPerSec(0.0) };
        let offers = market.volumes.iter().filter(|offer| {
            let promise = offer.kind.consistency.map_or(0.0, |consistency| consistency.of_the_time);
            offer.kind.medium == VolumeMedium::Ssd && self.among.contains(&offer.kind.name) && promise >= of_the_time
        });
        let choices = offers.filter_map(|offer| {
            let provision = offer.least(need, None).ok()?;
            let larger = if Bytes::gib(provision.gib) > self.size { "larger " } else { "" };
            Some(CheapestVolume {
                name: format!("{larger}{}", offer.kind.name),
                disk: disk::Disk { stripe: 1, volume: offer.volume(provision), cache: None }.to_string(),
                monthly: offer.monthly(provision),
            })
        });
        choices
            .min_by(|a, b| a.monthly.0.total_cmp(&b.monthly.0))
            .ok_or_else(|| ClaimError::NoSuchPromise { among: self.among.clone(), of_the_time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(among: &[&str]) -> VolumeChoice {
        VolumeChoice {
            size: Bytes::gib(400),
            iops: Iops(2500.0),
            among: among.iter().map(ToString::to_string).collect(),
            of_the_time: Vec::new(),
        }
    }

    #[test]
    fn with_gp3_allowed_it_is_gp3() {
        let market = Market::from_view(&catalog::Catalog::embedded().at(None), "us-west-2").unwrap();
        assert_eq!(choice(&["gp2", "gp3", "io1"]).cheapest(&market, 0.99).unwrap().name, "gp3");
    }

    #[test]
    fn a_promise_that_nobody_makes_is_an_error() {
        let market = Market::from_view(&catalog::Catalog::embedded().at(None), "us-west-2").unwrap();
        let error = choice(&["gp2", "io1"]).cheapest(&market, 0.99999).unwrap_err();
        assert!(matches!(error, ClaimError::NoSuchPromise { of_the_time: 0.99999, .. }), "{error}");
    }
}
