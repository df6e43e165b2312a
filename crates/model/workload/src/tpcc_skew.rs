//! How TPC-C's NURand spreads accesses over customers and items, and over blocks of them: numbers with the same high bits lie side
//! by side and are asked for alike, so that blocks keep a part of the skew.

use std::sync::LazyLock;

/// A share of a table's blocks, or rows, and the share of its accesses that goes to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part {
    pub(crate) data: f64,
    pub(crate) accesses: f64,
}

/// Into such shares a table is cut, hottest first.
const CUTS: [f64; 6] = [0.01, 0.03, 0.06, 0.15, 0.25, 0.5];

/// Clause 2.1.6 over the 3,000 customers of a district, and over the 100,000 items: the share of the accesses that goes to the rows
/// before each, and to all.
static CUSTOMERS: LazyLock<Vec<f64>> = LazyLock::new(|| before_each(&nurand(1023, 3_000)));
static ITEMS: LazyLock<Vec<f64>> = LazyLock::new(|| before_each(&nurand(8191, 100_000)));

/// The parts of a distribution over blocks of so many rows, hottest first: `nurand-1023` over customers, `nurand-8191` over items.
pub(crate) fn parts(distribution: &str, rows: f64) -> Vec<Part> {
    match distribution {
        "nurand-1023" => cut(&CUSTOMERS, rows),
        "nurand-8191" => cut(&ITEMS, rows),
        other => unreachable!("{other} is no distribution of the tables that ship with the program"),
    }
}

/// The probability of each value of clause 2.1.6's `(random(0, a) | random(1, n)) mod n`. The clause's constant C only shifts the
/// values.
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

/// Running sums, from nothing to all.
fn before_each(probability: &[f64]) -> Vec<f64> {
    let sums = probability.iter().scan(0.0, |sum, p| {
        *sum += p;
        Some(*sum)
    });
    std::iter::once(0.0).chain(sums).collect()
}

/// Cuts blocks of so many neighbouring rows, hottest first.
fn cut(before: &[f64], rows: f64) -> Vec<Part> {
    let all = (before.len() - 1) as f64;
    let rows = rows.clamp(1.0, all);
    // A row that lies across the edge of two blocks belongs to both in part.
    let upto = |row: f64| {
        let whole = (row as usize).min(before.len() - 2);
        before[whole] + (row - whole as f64) * (before[whole + 1] - before[whole])
    };
    let mut blocks: Vec<Part> = (0..(all / rows).ceil() as usize)
        .map(|block| (block as f64 * rows, ((block + 1) as f64 * rows).min(all)))
        .map(|(from, to)| Part { data: (to - from) / all, accesses: upto(to) - upto(from) })
        .filter(|block| block.data > 0.0)
        .collect();
    blocks.sort_unstable_by(|a, b| (b.accesses / b.data).total_cmp(&(a.accesses / a.data)));
    let cuts = CUTS.iter().scan((0.0, 0.0), |(data, accesses), share| {
        let from = *accesses;
        *data += share;
        *accesses = hottest(&blocks, *data);
        Some(Part { data: *share, accesses: *accesses - from })
    });
    cuts.collect()
}

/// The accesses of so large a share of the blocks, which come hottest first.
fn hottest(blocks: &[Part], share: f64) -> f64 {
    let mut left = share;
    let taken = blocks.iter().map_while(|block| {
        let part = (left / block.data).min(1.0);
        left -= part * block.data;
        (part > 0.0).then_some(part * block.accesses)
    });
    taken.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn shares_sum_to_one_in_blocks_of_any_size() {
        for name in ["nurand-1023", "nurand-8191"] {
            for rows in [1.0, 1.7, 50.0, 213.9, 2_999.5, 1e6] {
                let sum = |of: fn(&Part) -> f64| parts(name, rows).iter().map(of).sum::<f64>();
                let (data, accesses) = (sum(|part| part.data), sum(|part| part.accesses));
                assert!(
                    (data - 1.0).abs() < 1e-9 && (accesses - 1.0).abs() < 1e-9,
                    "{name}, {rows}: {data}, {accesses}"
                );
            }
        }
    }

    #[test]
    fn the_hottest_tenth_of_the_blocks_draws_what_its_rows_draw() {
        for rows in [1_usize, 13, 214] {
            let mut blocks: Vec<f64> =
                nurand(8191, 100_000).chunks_exact(rows).map(|block| block.iter().sum()).collect();
            blocks.sort_by(|a, b| b.total_cmp(a));
            let tenth: f64 = blocks[..blocks.len() / 10].iter().sum();
            let parts: f64 = parts("nurand-8191", rows as f64)[..3].iter().map(|part| part.accesses).sum();
            assert!((parts - tenth).abs() < 0.01, "{rows} rows: {parts}, counted {tenth}");
        }
    }

    #[test]
    fn larger_blocks_keep_less_of_the_skew_but_some() {
        let tenth = |rows| parts("nurand-8191", rows)[..3].iter().map(|part| part.accesses).sum::<f64>();
        assert!(tenth(1.0) > tenth(13.0) && tenth(13.0) > tenth(214.0), "{} {}", tenth(1.0), tenth(214.0));
        assert!(tenth(214.0) > 0.3, "214 rows of a hot tenth that lay anywhere would draw 0.1: {}", tenth(214.0));
    }
}
