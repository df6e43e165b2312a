//! How TPC-C's NURand spreads accesses over customers and items.

use std::sync::LazyLock;

/// A share of a table's rows and the share of its accesses that goes to them.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
pub(crate) struct Part {
    pub(crate) rows: f64,
    pub(crate) accesses: f64,
}

#[derive(serde::Deserialize)]
struct Row {
    distribution: String,
    rows: f64,
    accesses: f64,
}

static PARTS: LazyLock<Vec<Row>> = LazyLock::new(|| crate::tables::read(include_str!("../tables/tpcc_skew.csv")));

/// The parts of a distribution, hottest first: `nurand-1023` over 3,000 customers, `nurand-8191` over 100,000 items.
pub(crate) fn parts(distribution: &str) -> Vec<Part> {
    let rows = PARTS.iter().filter(|row| row.distribution == distribution);
    rows.map(|row| Part { rows: row.rows, accesses: row.accesses }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of each value of clause 2.1.6's `(random(0, a) | random(1, n)) mod n`. The clause's constant
    /// C only shifts the values.
    fn nurand(a: usize, n: usize) -> Vec<f64> {
        let mut probability = vec![0.0; n];
        let bits = (a + 1).trailing_zeros() as usize;
        for high in (0..=n).step_by(a + 1) {
            // OR with a uniform number leaves ones alone and makes a one of a zero half of the time.
            let mut low = vec![0.0; a + 1];
            for value in (high.max(1)..=(high + a).min(n)).map(|value| value - high) {
                low[value] = 1.0 / n as f64;
            }
            for bit in 0..bits {
                for value in (0..=a).filter(|value| value >> bit & 1 == 0) {
                    low[value | 1 << bit] += low[value] / 2.0;
                    low[value] /= 2.0;
                }
            }
            low.iter().enumerate().for_each(|(value, p)| probability[(high + value) % n] += p);
        }
        probability
    }

    fn cut(mut probability: Vec<f64>, cuts: impl Iterator<Item = f64>) -> Vec<Part> {
        probability.sort_by(|a, b| b.total_cmp(a));
        let (n, mut from) = (probability.len(), 0);
        cuts.map(|rows| {
            let to = (from + (rows * n as f64).round() as usize).min(n);
            let accesses = probability[from..to].iter().sum();
            from = to;
            Part { rows, accesses }
        })
        .collect()
    }

    #[test]
    fn the_table_follows_from_the_standards_formula() {
        for (name, a, n) in [("nurand-1023", 1023, 3_000), ("nurand-8191", 8191, 100_000)] {
            let table = parts(name);
            let derived = cut(nurand(a, n), table.iter().map(|part| part.rows));
            for (table, derived) in table.iter().zip(&derived) {
                assert!((table.accesses - derived.accesses).abs() < 5e-4, "{name}: {table:?} should be {derived:?}");
            }
        }
    }

    #[test]
    fn the_derivation_agrees_with_drawing_numbers() {
        let (a, n) = (1023, 3_000);
        let probability = nurand(a, n);
        assert!((probability.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        // Every pair of the two random numbers, counted.
        let mut counted = vec![0.0; n];
        (0..=a).for_each(|x| (1..=n).for_each(|y| counted[(x | y) % n] += 1.0 / ((a + 1) * n) as f64));
        let off = probability.iter().zip(&counted).map(|(p, c)| (p - c).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "off by {off}");
    }

    #[test]
    fn shares_sum_to_one() {
        for name in ["nurand-1023", "nurand-8191"] {
            let sum = |of: fn(&Part) -> f64| parts(name).iter().map(of).sum::<f64>();
            assert!((sum(|part| part.rows) - 1.0).abs() < 1e-9 && (sum(|part| part.accesses) - 1.0).abs() < 1e-9);
        }
    }
}
