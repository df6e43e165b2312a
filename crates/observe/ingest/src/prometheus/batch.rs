//! Many series in few queries: each part is marked with a label that says which it is.

use std::collections::BTreeMap;

use super::answer::{Fault, Found};
use super::ask::Ask;
use super::step::Grid;
use super::table::Query;
use crate::GatherError;

/// Parts of a query: few enough that one that takes too much is found soon.
const PARTS: usize = 12;
/// The label that marks a part.
const MARK: &str = "diskwright_part";

/// What the server found of each query.
pub(super) struct Harvest {
    pub(super) found: Vec<(&'static Query, Found)>,
    /// Queries that it could not answer, and why.
    pub(super) failed: BTreeMap<&'static str, String>,
    pub(super) warnings: Vec<String>,
}

/// Asks for all queries over the grid. `text` gives a query's PromQL.
pub(super) fn ask(
    server: &dyn Ask,
    queries: &[&'static Query],
    grid: &Grid,
    text: &dyn Fn(&Query) -> String,
) -> Result<Harvest, GatherError> {
    let mut harvest = Harvest { found: Vec::new(), failed: BTreeMap::new(), warnings: Vec::new() };
    let mut left: Vec<&[&'static Query]> = queries.chunks(PARTS).rev().collect();
    while let Some(parts) = left.pop() {
        let marked = |(index, query): (usize, &&Query)| {
            format!("label_replace({}, \"{MARK}\", \"{index}\", \"\", \"\")", text(query))
        };
        let all: Vec<String> = parts.iter().enumerate().map(marked).collect();
        let mut form = vec![("query", all.join(" or "))];
        form.extend(grid.form());
        match server.ask("/api/v1/query_range", &form) {
            Ok((found, warnings)) => {
                harvest.warnings.extend(warnings);
                for mut one in found {
                    let part = one.labels.remove(MARK).and_then(|index| index.parse::<usize>().ok());
                    if let Some(query) = part.and_then(|part| parts.get(part)) {
                        harvest.found.push((query, one));
                    }
                }
            }
            Err(Fault::All(error)) => return Err(error),
            Err(Fault::Query(error)) => match parts {
                [query] => drop(harvest.failed.insert(&query.series, error)),
                // Which one it is shows when each half is asked alone.
                _ => {
                    let (one, other) = parts.split_at(parts.len() / 2);
                    left.extend([other, one]);
                }
            },
        }
    }
    Ok(harvest)
}

#[cfg(test)]
mod tests {
    use super::super::table::QUERIES;
    use super::super::twin::Twin;
    use super::*;

    fn grid() -> Grid {
        Grid { from: 0, until: 120, step: 60 }
    }

    #[test]
    fn one_query_that_fails_does_not_take_the_others_along() {
        let queries: Vec<&Query> = QUERIES.iter().take(20).collect();
        let bad = &queries[7].series;
        let twin = Twin::new(|_, form| {
            let query = &form[0].1;
            let parts: Vec<&str> = query.split("label_replace(").skip(1).collect();
            if parts.iter().any(|part| part.starts_with(bad.as_str())) {
                return (422, r#"{"status":"error","errorType":"execution","error":"too many samples"}"#.to_owned());
            }
            let item = |index: usize| serde_json::json!({"metric": {MARK: index.to_string()}, "values": [[60, "1"]]});
            let items: Vec<_> = (0..parts.len()).map(item).collect();
            (200, serde_json::json!({"status": "success", "data": {"result": items}}).to_string())
        });
        let harvest = ask(&twin, &queries, &grid(), &|query| query.series.clone()).unwrap();
        let names: Vec<&str> = harvest.found.iter().map(|(query, _)| query.series.as_str()).collect();
        let rest: Vec<&str> = queries.iter().map(|query| query.series.as_str()).filter(|name| name != bad).collect();
        assert_eq!(names, rest);
        assert_eq!(harvest.failed[bad.as_str()], "too many samples");
        // Two batches, one of which is halved four times at most.
        assert!(twin.asked() <= 2 + 2 * 4, "{} queries", twin.asked());
    }

    #[test]
    fn an_old_token_ends_it_at_once() {
        let queries: Vec<&Query> = QUERIES.iter().collect();
        let twin = Twin::new(|_, _| (401, "<html>".to_owned()));
        let error = ask(&twin, &queries, &grid(), &|query| query.series.clone()).err().unwrap();
        assert!(matches!(error, GatherError::Refused(_)));
        assert_eq!(twin.asked(), 1);
    }
}
