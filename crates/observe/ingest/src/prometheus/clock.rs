//! What clocks say: how far the server's is from ours, nodes' are from the server's, and how often it scrapes.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::answer::Fault;
use super::ask::Ask;
use crate::GatherError;

/// Seconds by which clocks may differ before it is told: a request and a scrape take some of them.
const TOLERANCE: f64 = 2.0;
/// The window in which scrapes are counted.
const WINDOW: u64 = 120;
/// Seconds between scrapes, where the server does not tell: what TiUP and TiDB Operator configure.
const USUAL: u64 = 15;

/// Seconds that the server's clock is ahead of ours; the first thing asked, so it finds out whether there is a server.
pub(super) fn ahead(server: &dyn Ask, clock: &dyn Fn() -> Timestamp) -> Result<Option<f64>, GatherError> {
    let before = clock();
    let (found, _) = match server.ask("/api/v1/query", &[("query", "vector(time())".to_owned())]) {
        Ok(read) => read,
        Err(Fault::Query(error)) => {
            return Err(GatherError::Server(format!("{} cannot tell its time: {error}", server.shown())));
        }
        Err(Fault::All(error)) => return Err(error),
    };
    let after = clock();
    let seconds = |at: Timestamp| at.as_nanosecond() as f64 / 1e9;
    let ours = f64::midpoint(seconds(before), seconds(after));
    let tolerance = TOLERANCE.max(seconds(after) - seconds(before));
    let theirs = found.first().and_then(|found| found.values.first()).map(|(_, value)| *value);
    Ok(theirs.map(|theirs| theirs - ours).filter(|ahead| ahead.abs() > tolerance))
}

/// Seconds between scrapes of the job that is scraped least often.
pub(super) fn scrapes(server: &dyn Ask, at: u64, selector: &str) -> Result<u64, GatherError> {
    // Targets may lack the labels that their metrics have.
    for selector in [selector, ""] {
        let query = format!("min(max by (job) (count_over_time(up{{{selector}}}[{WINDOW}s])))");
        let (found, _) = server.instant(query, at)?;
        let count = found.first().and_then(|found| found.values.first()).map(|(_, count)| *count);
        if let Some(count) = count.filter(|count| *count >= 1.0) {
            return Ok((WINDOW as f64 / count).round().max(1.0) as u64);
        }
        if selector.is_empty() {
            break;
        }
    }
    Ok(USUAL)
}

/// Seconds that nodes' clocks are ahead of the server's, by instance, where it is more than can be expected.
pub(super) fn nodes(server: &dyn Ask, at: u64, selector: &str) -> Result<BTreeMap<String, f64>, GatherError> {
    let time = format!("node_time_seconds{{{selector}}}");
    let (found, _) = server.instant(format!("max by (instance) ({time} - timestamp({time}))"), at)?;
    let ahead = found.into_iter().filter_map(|found| {
        let (_, ahead) = *found.values.first()?;
        Some((found.labels.get("instance")?.clone(), ahead))
    });
    Ok(ahead.filter(|(_, ahead)| ahead.abs() > TOLERANCE).collect())
}

#[cfg(test)]
mod tests {
    use super::super::twin::Twin;
    use super::*;

    fn vector(labels: &[(&str, &str)], value: f64) -> (u16, String) {
        let metric: BTreeMap<_, _> = labels.iter().copied().collect();
        let item = serde_json::json!({"metric": metric, "value": [0, value.to_string()]});
        (200, serde_json::json!({"status": "success", "data": {"resultType": "vector", "result": [item]}}).to_string())
    }

    #[test]
    fn a_clock_that_is_off_is_told_and_one_that_is_near_is_not() {
        let ours = || Timestamp::from_second(1_000).unwrap();
        let of = |theirs: f64| ahead(&Twin::new(move |_, _| vector(&[], theirs)), &ours).unwrap();
        assert_eq!(of(1_001.5), None);
        assert_eq!(of(940.0), Some(-60.0));
        let off = nodes(&Twin::new(|_, _| vector(&[("instance", "a:9100")], 90.0)), 0, "").unwrap();
        assert_eq!(off, BTreeMap::from([("a:9100".to_owned(), 90.0)]));
    }

    #[test]
    fn scrapes_are_counted_or_taken_as_usual() {
        let of = |count: f64| scrapes(&Twin::new(move |_, _| vector(&[], count)), 0, "a=\"b\"").unwrap();
        assert_eq!((of(120.0), of(8.0), of(2.0), of(0.0)), (1, 15, 60, USUAL));
    }
}
