//! Instance types that run at full speed only while credits last: what share of their threads they sustain.

use std::sync::LazyLock;

use crate::{CatalogError, InstanceType};

/// A row of `tables/burstable.csv`.
#[derive(serde::Deserialize)]
struct Burstable {
    family: String,
    /// Part of the name after the family, `*` for all.
    size: String,
    /// Share of the threads; none where nothing is known.
    sustained: Option<f64>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table and its test"))]
    source: String,
}

static TABLE: LazyLock<Vec<Burstable>> = LazyLock::new(|| {
    let rows = csv::Reader::from_reader(include_str!("../tables/burstable.csv").as_bytes()).into_deserialize();
    let rows: Result<Vec<Burstable>, _> = rows.collect();
    rows.expect("tested: burstable.csv is a table of burstable types")
});

impl InstanceType {
    /// Hardware threads that it gives without end. A burstable type has fewer than it shows.
    ///
    /// # Errors
    /// When its threads are burstable and nothing tells what it sustains of them.
    pub fn sustained_threads(&self) -> Result<f64, CatalogError> {
        let size = self.name.strip_prefix(&self.family).map_or("", |rest| rest.trim_start_matches(['.', '-']));
        let row = TABLE.iter().find(|row| row.family == self.family && (row.size == "*" || row.size == size));
        let share = match row {
            None => Some(1.0),
            Some(row) => row.sustained,
        };
        let missing = || CatalogError::Missing {
            fact: "share of its threads that outlasts a burst",
            subject: self.name.clone(),
            when: String::new(),
        };
        share.map(|share| f64::from(self.vcpu) * share).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Catalog, Cloud};

    use super::*;

    fn threads(name: &str) -> Result<f64, CatalogError> {
        Catalog::embedded().at(None).instance(name).unwrap().sustained_threads()
    }

    #[test]
    fn a_burstable_type_counts_with_what_it_sustains() {
        assert_eq!(threads("m5.2xlarge").unwrap(), 8.0);
        assert!((threads("t3.2xlarge").unwrap() - 3.2).abs() < 1e-12);
        let unknown = threads("Standard_B2s").unwrap_err().to_string();
        assert!(unknown.contains("outlasts a burst for Standard_B2s"), "{unknown}");
    }

    #[test]
    fn every_row_is_of_a_type_that_exists_and_has_a_source() {
        let view = Catalog::embedded().at(None);
        let all: Vec<_> = [Cloud::Aws, Cloud::Gcp, Cloud::Azure].into_iter().flat_map(|c| view.instances(c)).collect();
        for row in TABLE.iter() {
            let named = |i: &InstanceType| i.family == row.family && (row.size == "*" || i.name.ends_with(&row.size));
            assert!(all.iter().any(|i| named(i)), "{} {}", row.family, row.size);
            assert!(!row.source.is_empty());
        }
    }
}
