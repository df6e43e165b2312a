//! A time axis in the unit that fits its length.

use units::Nanos;

use crate::words;

/// Seconds, minutes, hours or days, whichever a span has some of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeScale {
    unit: f64,
    name: &'static str,
}

/// The longest span, in seconds, that is told in each unit, the unit's seconds, and its name.
const UNITS: [(f64, f64, &str); 4] =
    [(300.0, 1.0, "s"), (3.0 * 3600.0, 60.0, "min"), (3.0 * 86_400.0, 3600.0, "h"), (f64::INFINITY, 86_400.0, "d")];

impl TimeScale {
    /// For a run of so long.
    pub fn of(span: Nanos) -> Self {
        let seconds = span.as_secs_f64();
        let (_, unit, name) = UNITS.into_iter().find(|(longest, ..)| seconds <= *longest).unwrap_or(UNITS[3]);
        Self { unit, name }
    }

    /// An instant in the unit.
    pub fn number(&self, at: Nanos) -> f64 {
        at.as_secs_f64() / self.unit
    }

    /// The unit: `s`, `min`, `h`, `d`.
    pub fn unit(&self) -> &'static str {
        self.name
    }

    /// An instant for people: `12.5 min`.
    pub fn text(&self, at: Nanos) -> String {
        format!("{} {}", words::count(self.number(at)), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_a_unit_of_which_it_has_some() {
        for (seconds, text) in [(60, "30 s"), (3600, "30 min"), (86_400, "12 h"), (864_000, "5 d")] {
            assert_eq!(TimeScale::of(Nanos::secs(seconds)).text(Nanos::secs(seconds / 2)), text);
        }
    }
}
