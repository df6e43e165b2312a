//! What operations cost.

use units::Usd;

/// Hours of a month, as clouds bill them: 365 × 24 / 12.
const MONTH_HOURS: f64 = 730.0;

/// The price of a million operations on a deployment with this monthly price, run at this rate all month; `None` if
/// nothing is done.
pub fn per_million(monthly: Usd, operations_per_second: f64) -> Option<Usd> {
    let month = operations_per_second * MONTH_HOURS * 3600.0;
    (month > 0.0).then(|| Usd(monthly.0 / month * 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_a_second_for_2628_dollars_cost_a_dollar_a_million() {
        assert_eq!(per_million(Usd(2628.0), 1000.0), Some(Usd(1.0)));
        assert_eq!(per_million(Usd(2628.0), 0.0), None);
    }
}
