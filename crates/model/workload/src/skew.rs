//! How accesses spread over rows: uniform, Zipf's law, the latest rows, sysbench's special range.

use crate::SkewBand;

/// Bands into which a Zipf distribution is cut, geometric in rank.
const BANDS: u32 = 24;

/// Ranks whose weights are summed one by one; the rest by the Euler–Maclaurin formula.
const EXACT: f64 = 16.0;

/// Every row is asked for equally often.
pub(crate) fn uniform() -> Vec<SkewBand> {
    vec![SkewBand { data: 1.0, accesses: 1.0, clustered: true }]
}

/// All accesses go to the end of the data, as inserts in key order do.
pub(crate) fn end() -> Vec<SkewBand> {
    // One thousandth: far more than the page in use, far less than any cache.
    let hot = 0.001;
    vec![
        SkewBand { data: hot, accesses: 1.0, clustered: true },
        SkewBand { data: 1.0 - hot, accesses: 0.0, clustered: true },
    ]
}

/// A hot share of the rows draws a share of the accesses.
pub(crate) fn hotspot(data: f64, accesses: f64) -> Vec<SkewBand> {
    let rest = SkewBand { data: 1.0 - data, accesses: 1.0 - accesses, clustered: false };
    vec![SkewBand { data, accesses, clustered: false }, rest]
}

/// Zipf's law over `rows` rows: the k-th most popular is asked for in proportion to k^-theta.
pub(crate) fn zipf(rows: f64, theta: f64, clustered: bool) -> Vec<SkewBand> {
    zipf_of(rows, rows, theta, clustered)
}

/// Ranks over which YCSB draws before it hashes them onto the rows (`ScrambledZipfianGenerator.ITEM_COUNT`).
const SCRAMBLED_RANKS: f64 = 1e10;

/// YCSB's `zipfian`: ranks are drawn from ten thousand million and hashed onto the rows, so that the tail beyond
/// the number of rows falls evenly on all of them. Source: YCSB `ScrambledZipfianGenerator`.
pub(crate) fn scrambled_zipf(rows: f64, theta: f64) -> Vec<SkewBand> {
    zipf_of(rows, SCRAMBLED_RANKS.max(rows), theta, false)
}

/// The first `rows` ranks are rows of their own, the ranks after them fall evenly on all rows.
fn zipf_of(rows: f64, ranks: f64, theta: f64, clustered: bool) -> Vec<SkewBand> {
    let rows = rows.round().max(1.0);
    let all = harmonic(ranks, theta);
    let evenly = 1.0 - harmonic(rows, theta) / all;
    let mut bands = Vec::new();
    let mut before = 0.0;
    for i in 0..=BANDS {
        let to = rows.powf(f64::from(i) / f64::from(BANDS)).round();
        if to > before {
            let data = (to - before) / rows;
            let own = (harmonic(to, theta) - harmonic(before, theta)) / all;
            bands.push(SkewBand { data, accesses: own + evenly * data, clustered });
            before = to;
        }
    }
    bands
}

/// The sum of k^-theta for k from 1 to n, by the Euler–Maclaurin formula beyond the first terms.
pub(crate) fn harmonic(n: f64, theta: f64) -> f64 {
    if n < 1.0 {
        return 0.0;
    }
    let exact = n.min(EXACT);
    let head: f64 = (1..=exact as u32).map(|k| f64::from(k).powf(-theta)).sum();
    let integral = (n.powf(1.0 - theta) - exact.powf(1.0 - theta)) / (1.0 - theta);
    let ends = (n.powf(-theta) - exact.powf(-theta)) / 2.0;
    let slopes = theta * (exact.powf(-theta - 1.0) - n.powf(-theta - 1.0)) / 12.0;
    head + integral + ends + slopes
}

/// sysbench's `special`: 75 % of the accesses (`rand-spec-res`) fall evenly on the middle 1 % (`rand-spec-pct`), of
/// which the generator reaches three quarters; the others are the mean of 12 uniform numbers, nearly normal with a
/// twelfth of the range as its deviation. Source: sysbench 1.0 `sb_rand_special`.
pub(crate) fn special() -> Vec<SkewBand> {
    const SPECIAL: f64 = 0.75;
    const HOT: f64 = 0.01 * SPECIAL;
    /// Deviations from the middle and the share of a normal distribution within them.
    const NORMAL: [(f64, f64); 6] =
        [(0.5, 0.38292), (1.0, 0.68269), (1.5, 0.86639), (2.0, 0.9545), (3.0, 0.9973), (6.0, 1.0)];
    let bell = 1.0 - SPECIAL;
    // Density of the normal distribution at its middle times the width in deviations.
    let hot_bell = HOT * 12.0 / (2.0 * std::f64::consts::PI).sqrt();
    let mut bands = vec![SkewBand { data: HOT, accesses: SPECIAL + bell * hot_bell, clustered: true }];
    let (mut data, mut accesses) = (HOT, hot_bell);
    for (deviations, within) in NORMAL {
        let wide = deviations / 6.0;
        bands.push(SkewBand { data: wide - data, accesses: bell * (within - accesses), clustered: true });
        (data, accesses) = (wide, within);
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sums(bands: &[SkewBand]) -> (f64, f64) {
        (bands.iter().map(|band| band.data).sum(), bands.iter().map(|band| band.accesses).sum())
    }

    #[test]
    fn harmonic_numbers_agree_with_the_sum() {
        for (n, theta) in [(10, 0.99), (16, 0.5), (17, 0.5), (100_000, 0.99), (1_000_000, 0.2)] {
            let sum: f64 = (1..=n).map(|k| f64::from(k).powf(-theta)).sum();
            assert!((harmonic(f64::from(n), theta) / sum - 1.0).abs() < 1e-7, "{n}, {theta}");
        }
    }

    #[test]
    fn the_scrambled_ranks_sum_to_ycsbs_own_constant() {
        // ScrambledZipfianGenerator.ZETAN.
        assert!((harmonic(SCRAMBLED_RANKS, 0.99) - 26.469_028_201_783_02).abs() < 1e-6);
    }

    #[test]
    fn scrambling_flattens() {
        let hot = |bands: &[SkewBand]| bands[..12].iter().map(|band| band.accesses).sum::<f64>();
        assert!(hot(&scrambled_zipf(1e6, 0.99)) < hot(&zipf(1e6, 0.99, false)));
    }

    #[test]
    fn special_gives_three_quarters_to_a_hundredth() {
        let bands = special();
        assert!(bands[0].data < 0.01 && bands[0].accesses > 0.75 && bands[0].accesses < 0.77);
        assert!((sums(&bands).0 - 1.0).abs() < 1e-9 && (sums(&bands).1 - 1.0).abs() < 1e-9);
        assert!(bands.windows(2).all(|w| w[0].accesses / w[0].data > w[1].accesses / w[1].data));
    }

    proptest! {
        #[test]
        fn shares_sum_to_one_and_fall_with_rank(rows in 1.0..1e11f64, theta in 0.01..0.999f64) {
            for bands in [zipf(rows, theta, true), scrambled_zipf(rows, theta)] {
                let (data, accesses) = sums(&bands);
                prop_assert!((data - 1.0).abs() < 1e-9 && (accesses - 1.0).abs() < 1e-6, "{data} {accesses}");
                for pair in bands.windows(2) {
                    prop_assert!(pair[0].accesses / pair[0].data >= pair[1].accesses / pair[1].data * 0.999_999);
                }
            }
        }
    }
}
