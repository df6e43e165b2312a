//! An axis whose ticks stand at round numbers.

use crate::words;

/// A range that begins and ends at a tick; steps are 1, 2 or 5 times a power of ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartAxis {
    low: f64,
    high: f64,
    step: f64,
}

impl ChartAxis {
    /// An axis that covers all finite `values` with about `ticks` steps; 0 to 1 if there are none.
    pub fn over(values: impl IntoIterator<Item = f64>, ticks: u32) -> Self {
        let finite = values.into_iter().filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        // A single value gets an axis that shows its surroundings, not an infinitely fine one.
        let spread = if high > low { high - low } else { low.abs().max(1.0) * 0.2 };
        let step = round_step(spread / f64::from(ticks.max(1)));
        let end = |edge: f64| edge * step;
        let (mut first, mut last) = ((low / step).floor(), (high / step).ceil());
        if first == last {
            (first, last) = (first - 1.0, last + 1.0);
        }
        Self { low: end(first), high: end(last), step }
    }

    /// The ticks, ascending.
    pub fn ticks(&self) -> Vec<f64> {
        let steps = ((self.high - self.low) / self.step).round() as u32;
        (0..=steps).map(|i| self.low + self.step * f64::from(i)).collect()
    }

    /// Where `value` lies: 0 at the low end, 1 at the high end.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// A tick's text, with as many decimals as the step has.
    pub fn text(&self, tick: f64) -> String {
        let decimals = (-self.step.log10().floor()).clamp(0.0, 9.0) as usize;
        // `-0` is no number for people.
        let tick = if tick.abs() < self.step / 2.0 { 0.0 } else { tick };
        words::grouped(tick, decimals)
    }
}

/// The smallest of 1, 2, 5 × 10ⁿ that is not under `raw`.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= raw * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[f64]) -> Vec<String> {
        let axis = ChartAxis::over(values.iter().copied(), 5);
        axis.ticks().into_iter().map(|t| axis.text(t)).collect()
    }

    #[test]
    fn ticks_are_round_and_cover_the_values() {
        assert_eq!(texts(&[1234.0, 5678.0]), ["1,000", "2,000", "3,000", "4,000", "5,000", "6,000"]);
        assert_eq!(texts(&[0.0, 0.9]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn one_value_stands_amid_its_surroundings() {
        let axis = ChartAxis::over([3000.0], 5);
        let share = axis.share(3000.0);
        assert!(share > 0.0 && share < 1.0, "{axis:?}");
    }

    #[test]
    fn no_value_and_no_number_give_a_unit_axis() {
        assert_eq!(ChartAxis::over([f64::NAN, f64::INFINITY], 5), ChartAxis::over([0.0, 1.0], 5));
    }

    #[test]
    fn every_range_has_a_readable_number_of_ticks() {
        for exponent in -6..9 {
            for low in [0.0, 1.0, 7.3, -4.0] {
                let scale = 10f64.powi(exponent);
                let axis = ChartAxis::over([low * scale, (low + 3.1) * scale], 6);
                let n = axis.ticks().len();
                assert!((3..=9).contains(&n), "{n} ticks on {axis:?}");
                assert!(axis.share(low * scale) >= -1e-9 && axis.share((low + 3.1) * scale) <= 1.0 + 1e-9);
            }
        }
    }
}
