//! Fixes the uncertain numbers of a workload, checking each.

use units::{Bytes, Interval, Nanos, Ratio, Uncertain};

use crate::WorkloadError;

/// Chooses a number from an interval, given its key.
pub(crate) type Choose<'a> = &'a mut dyn FnMut(&str, Interval<f64>) -> f64;

/// Asks for every number that is uncertain and refuses those out of bounds.
pub(crate) struct Pick<'a> {
    table: &'static str,
    choose: Choose<'a>,
}

/// What a number may be.
#[derive(Clone, Copy)]
pub(crate) enum Bounds {
    /// Zero or more.
    Any,
    /// More than zero.
    Positive,
    /// One or more.
    AtLeastOne,
    /// More than zero, at most one.
    Share,
    /// Between zero and one, both excluded.
    Fraction,
}

impl Bounds {
    fn hold(self, value: f64) -> bool {
        match self {
            Self::Any => value >= 0.0,
            Self::Positive => value > 0.0,
            Self::AtLeastOne => value >= 1.0,
            Self::Share => value > 0.0 && value <= 1.0,
            Self::Fraction => value > 0.0 && value < 1.0,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Any => "zero or more",
            Self::Positive => "more than zero",
            Self::AtLeastOne => "one or more",
            Self::Share => "more than zero and at most one (100%)",
            Self::Fraction => "between 0 and 1, such as 0.99",
        }
    }
}

impl<'a> Pick<'a> {
    /// Keys will be prefixed with the table's name.
    pub(crate) fn new(table: &'static str, choose: Choose<'a>) -> Self {
        Self { table, choose }
    }

    /// The full key.
    pub(crate) fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.table)
    }

    pub(crate) fn number(&mut self, name: &str, value: Uncertain, bounds: Bounds) -> Result<f64, WorkloadError> {
        let key = self.key(name);
        let number = if value.is_certain() { value.low() } else { (self.choose)(&key, value) };
        if number.is_finite() && bounds.hold(number) {
            Ok(number)
        } else {
            Err(WorkloadError::new(key, format!("is {number}; expected {}", bounds.words())))
        }
    }

    /// A number that may be left out.
    pub(crate) fn maybe(
        &mut self,
        name: &str,
        value: Option<Uncertain>,
        bounds: Bounds,
    ) -> Result<Option<f64>, WorkloadError> {
        value.map(|value| self.number(name, value, bounds)).transpose()
    }

    pub(crate) fn share(&mut self, name: &str, value: Interval<Ratio>, bounds: Bounds) -> Result<f64, WorkloadError> {
        self.number(name, value.map(|ratio| ratio.0), bounds)
    }

    pub(crate) fn bytes(&mut self, name: &str, value: Interval<Bytes>, bounds: Bounds) -> Result<Bytes, WorkloadError> {
        // Sizes that are certain stay exact above 2^53.
        let number = self.number(name, value.map(Bytes::as_f64), bounds)?;
        Ok(if value.is_certain() { value.low() } else { Bytes(number.round() as u64) })
    }

    /// In seconds to the chooser.
    pub(crate) fn span(&mut self, name: &str, value: Interval<Nanos>, bounds: Bounds) -> Result<Nanos, WorkloadError> {
        self.number(name, value.map(Nanos::as_secs_f64), bounds).map(Nanos::from_secs_f64)
    }

    /// A size so large that no cluster holds it would overflow what follows.
    pub(crate) fn data(&self, name: &str, bytes: f64) -> Result<Bytes, WorkloadError> {
        const LARGEST: Bytes = Bytes::gib(1 << 30);
        if bytes <= LARGEST.as_f64() {
            return Ok(Bytes(bytes.round() as u64));
        }
        let message = format!("makes {bytes:.1e} bytes of data; expected at most {LARGEST}");
        Err(WorkloadError::new(self.key(name), message))
    }
}
