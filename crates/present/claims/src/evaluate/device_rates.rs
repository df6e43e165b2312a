//! Rates of a device in an iostat file.

use workload::{IoRates, parse_iostat};

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator};
use crate::files::LedgerPath;
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[device-rates]`: reads, kB read, writes, kB written and flushes a second, in iostat's units.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DeviceRatesRecipe {
    /// The file.
    iostat: LedgerPath,
    /// The device in it.
    device: String,
}

impl Evaluator for DeviceRatesRecipe {
    fn rung(&self) -> Rung {
        Rung::Model
    }

    fn files(&self) -> Vec<(String, &LedgerPath)> {
        vec![("iostat".to_owned(), &self.iostat)]
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let rates = rates_of(context, &self.iostat, &self.device)?;
        let kilobytes = |bytes: f64| bytes / 1024.0;
        let numbers =
            [rates.reads, kilobytes(rates.read_bytes), rates.writes, kilobytes(rates.write_bytes), rates.flushes];
        Ok(ClaimValue::Numbers(numbers.to_vec()).into())
    }
}

/// Rates of a device in an iostat file.
pub(crate) fn rates_of(
    context: &EvaluationContext<'_>,
    iostat: &LedgerPath,
    device: &str,
) -> Result<IoRates, ClaimError> {
    let devices = parse_iostat(&context.text(iostat)?)?;
    let found = devices.iter().find(|one| one.device == device).map(|one| one.rates);
    found.ok_or_else(|| ClaimError::UnknownDevice {
        file: context.files.name(iostat),
        device: device.to_owned(),
        known: devices.into_iter().map(|one| one.device).collect(),
    })
}
