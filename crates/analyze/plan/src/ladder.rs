//! The cheapest pair of rungs on two ladders of rising price under a condition that more of either never breaks.

use units::Usd;

/// A quantity that is bought in whole rungs; a higher rung never costs less.
pub(crate) struct Ladder<'a> {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) price: &'a dyn Fn(u64) -> Usd,
}

impl Ladder<'_> {
    fn usd(&self, rung: u64) -> f64 {
        (self.price)(rung).0
    }
}

/// The cheapest rungs `(a, b)` at which `holds`, a condition that stays true when either rung is raised; `None` if it holds
/// nowhere.
///
/// The frontier of `holds` falls: the least `a` does not rise with `b`. Intervals of `b` whose ends bound the price from below
/// are halved until none can beat the best pair found, so the answer is that of trying every pair.
pub(crate) fn cheapest_pair(a: &Ladder<'_>, b: &Ladder<'_>, holds: impl Fn(u64, u64) -> bool) -> Option<(u64, u64)> {
    if holds(a.low, b.low) {
        return Some((a.low, b.low));
    }
    if !holds(a.high, b.high) {
        return None;
    }
    let first = least(b.low, b.high, |b| holds(a.high, b));
    let last_a = least(a.low, a.high, |a| holds(a, b.high));
    let first_a = least(last_a, a.high, |a| holds(a, first));
    let last = least(first, b.high, |b| holds(last_a, b));
    let mut best = (f64::INFINITY, (first_a, first));
    let consider = |pair: (u64, u64), best: &mut (f64, (u64, u64))| {
        let usd = a.usd(pair.0) + b.usd(pair.1);
        if usd < best.0 {
            *best = (usd, pair);
        }
    };
    consider((first_a, first), &mut best);
    consider((last_a, last), &mut best);
    // Each interval: its least b with the a needed there, its last b with the a needed there; both ends are considered.
    let mut open = vec![((first_a, first), (last_a, last))];
    while let Some(((left_a, left), (right_a, right))) = open.pop() {
        if left_a == right_a || right - left <= 1 || a.usd(right_a) + b.usd(left + 1) >= best.0 {
            continue;
        }
        let middle = left + (right - left) / 2;
        let middle_a = least(right_a, left_a, |a| holds(a, middle));
        let corner = least(left + 1, middle, |b| holds(middle_a, b));
        consider((middle_a, corner), &mut best);
        open.push(((left_a, left), (middle_a, corner)));
        open.push(((middle_a, middle), (right_a, right)));
    }
    Some(best.1)
}

/// The least number from `low` to `high` at which `holds`; `high` where it holds at no lower one.
fn least(low: u64, high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_pair_found_is_as_cheap_as_the_best_of_all_pairs(
            steps_a in prop::collection::vec(0.0..5.0f64, 1..25),
            steps_b in prop::collection::vec(0.0..5.0f64, 1..25),
            weight_a in 0.1..3.0f64,
            weight_b in 0.1..3.0f64,
            asked in 0.0..40.0f64,
        ) {
            let climb = |steps: &[f64], to: u64| Usd(steps[..=to as usize].iter().sum());
            let (price_a, price_b) = (|n| climb(&steps_a, n), |n| climb(&steps_b, n));
            let a = Ladder { low: 0, high: steps_a.len() as u64 - 1, price: &price_a };
            let b = Ladder { low: 0, high: steps_b.len() as u64 - 1, price: &price_b };
            let holds = |x: u64, y: u64| weight_a * (x as f64).sqrt() + weight_b * (y as f64).ln_1p() * 2.0 >= asked / 5.0;
            let all = (0..=a.high).flat_map(|x| (0..=b.high).map(move |y| (x, y))).filter(|(x, y)| holds(*x, *y));
            let cheapest = all.map(|(x, y)| a.usd(x) + b.usd(y)).min_by(f64::total_cmp);
            let found = cheapest_pair(&a, &b, holds);
            prop_assert_eq!(found.is_some(), cheapest.is_some());
            if let (Some((x, y)), Some(usd)) = (found, cheapest) {
                prop_assert!(holds(x, y));
                prop_assert!((a.usd(x) + b.usd(y) - usd).abs() < 1e-9, "{} against {usd}", a.usd(x) + b.usd(y));
            }
        }
    }
}
