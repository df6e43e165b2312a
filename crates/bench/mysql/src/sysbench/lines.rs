//! The lines that sysbench writes.

/// What sysbench reports of a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Second {
    /// When it ends, counted from when its threads started.
    pub(crate) until: f64,
    pub(crate) transactions_per_s: f64,
    pub(crate) queries_per_s: f64,
    pub(crate) p99_ms: f64,
    pub(crate) errors_per_s: f64,
    pub(crate) reconnects_per_s: f64,
}

/// `[ 1s ] thds: 4 tps: 1.2 qps: 3.4 (r/w/o: 1/2/3) lat (ms,99%): 4.5 err/s: 0.0 reconn/s: 0.0`
pub(super) fn second(line: &str) -> Option<Second> {
    let (until, rest) = line.strip_prefix('[')?.split_once("s ]")?;
    let after = |key: &str| rest.split_once(key)?.1.split_whitespace().next()?.parse::<f64>().ok();
    Some(Second {
        until: until.trim().parse().ok()?,
        transactions_per_s: after("tps:")?,
        queries_per_s: after("qps:")?,
        p99_ms: after("%):")?,
        errors_per_s: after("err/s:")?,
        reconnects_per_s: after("reconn/s:")?,
    })
}

/// `       0.654 |****       12`: a latency in ms and how many had it.
pub(super) fn bucket(line: &str) -> Option<(f64, u64)> {
    let (value, rest) = line.split_once('|')?;
    Some((value.trim().parse().ok()?, rest.trim_start_matches(['*', ' ']).trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "[ 12s ] thds: 4 tps: 353.94 qps: 7088.72 (r/w/o: 4963.10/1415.75/709.87) lat (ms,99%): 21.11 \
                        err/s: 1.00 reconn/s: 0.50";

    #[test]
    fn a_second_is_read_as_sysbench_writes_it() {
        let found = second(LINE).unwrap();
        assert_eq!((found.until, found.transactions_per_s, found.queries_per_s), (12.0, 353.94, 7088.72));
        assert_eq!((found.p99_ms, found.errors_per_s, found.reconnects_per_s), (21.11, 1.0, 0.5));
        for other in ["", "[ 12s ]", "Threads started!", "    transactions:   17 (1.6 per sec.)"] {
            assert_eq!(second(other), None, "{other}");
        }
    }

    #[test]
    fn the_histogram_is_read_with_bars_and_without() {
        assert_eq!(bucket("       4.652 |**********************                   27"), Some((4.652, 27)));
        assert_eq!(bucket("     101.132 |                                         1"), Some((101.132, 1)));
        assert_eq!(bucket("       value  ------------- distribution ------------- count"), None);
    }
}
