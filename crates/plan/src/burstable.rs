//! Instance types that run at full speed only while credits last: what share of their cores they sustain.

use std::sync::LazyLock;

use catalog::InstanceType;

/// A row of `tables/burstable.csv`.
#[derive(serde::Deserialize)]
struct Burstable {
    family: String,
    /// Part of the name after the family, `*` for all.
    size: String,
    /// Share of the cores; none where nothing is known.
    sustained: Option<f64>,
    source: String,
}

static TABLE: LazyLock<Vec<Burstable>> = LazyLock::new(|| {
    let rows = csv::Reader::from_reader(include_str!("../tables/burstable.csv").as_bytes()).into_deserialize();
    let rows: Result<Vec<Burstable>, _> = rows.collect();
    rows.expect("tested: burstable.csv is a table of burstable types")
});

/// Cores that an instance gives without end.
///
/// # Errors
/// When its cores are burstable and their sustained share is not known: a burst does not carry a plan.
pub(crate) fn sustained_cores(kind: &InstanceType) -> Result<f64, String> {
    let size = kind.name.strip_prefix(&kind.family).map_or("", |rest| rest.trim_start_matches(['.', '-']));
    let row = TABLE.iter().find(|row| row.family == kind.family && (row.size == "*" || row.size == size));
    match row {
        None => Ok(f64::from(kind.vcpu)),
        Some(Burstable { sustained: Some(share), .. }) => Ok(f64::from(kind.vcpu) * share),
        Some(Burstable { source, .. }) => {
            Err(format!("{} bursts, and what it sustains of its cores is not known ({source})", kind.name))
        }
    }
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Cloud};

    use super::*;

    fn cores(name: &str) -> Result<f64, String> {
        sustained_cores(Catalog::embedded().at(None).instance(name).unwrap())
    }

    #[test]
    fn a_burstable_type_counts_with_what_it_sustains() {
        assert_eq!(cores("m5.2xlarge"), Ok(8.0));
        assert!((cores("t3.2xlarge").unwrap() - 3.2).abs() < 1e-12);
        assert!(cores("Standard_B2s").unwrap_err().contains("Standard_B2s bursts"));
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
