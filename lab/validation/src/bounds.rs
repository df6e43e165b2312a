//! The constants that are fitted, each with its bounds: `tables/bounds.toml`.

use simulate::Constants;

/// Between what a constant is fitted.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitBound {
    /// The constant.
    pub name: String,
    /// The least that it can be, over 0.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Why no less and no more.
    pub why: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    bounds: Vec<FitBound>,
}

/// The constants that are fitted.
///
/// # Panics
/// Never: a test reads the table.
pub fn bounds() -> Vec<FitBound> {
    let file: File = toml::from_str(include_str!("../tables/bounds.toml")).expect("tested: the table is one of bounds");
    file.bounds
}

impl FitBound {
    /// Where a value stands between the bounds, 0 to 1, by its logarithm: constants span decades.
    pub(crate) fn place(&self, value: f64) -> f64 {
        ((value / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }

    /// The value at a place.
    pub(crate) fn value(&self, place: f64) -> f64 {
        self.low * (self.high / self.low).powf(place)
    }

    /// Whether a value is at one of the bounds.
    pub fn is_at_end(&self, value: f64) -> bool {
        !(0.01..=0.99).contains(&self.place(value))
    }

    /// What a set of constants has for it.
    ///
    /// # Panics
    /// When the simulation has no such constant; a test asks for all.
    pub fn of(&self, constants: &Constants) -> f64 {
        constants.get(&self.name).unwrap_or_else(|| panic!("the simulation has no constant `{}`", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bound_is_of_a_constant_that_lies_within_it() {
        for bound in bounds() {
            let value = bound.of(Constants::reference_store());
            assert!(0.0 < bound.low && bound.low <= value && value <= bound.high, "{}: {value}", bound.name);
            assert!(!bound.why.is_empty(), "{}", bound.name);
            assert!((bound.value(bound.place(value)) / value - 1.0).abs() < 1e-9, "{}", bound.name);
        }
    }
}
