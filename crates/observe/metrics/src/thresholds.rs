//! Where a share of time becomes a yes or no: `tables/thresholds.csv`.

use std::sync::LazyLock;

/// A row of the table.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    value: f64,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    unit: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    meaning: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    basis: String,
}

/// The thresholds; what each means is in the table.
#[derive(Debug)]
pub(crate) struct Thresholds {
    pub(crate) exceeded_share: f64,
    pub(crate) delivered_share: f64,
    pub(crate) stalled_seconds: f64,
    pub(crate) empty_share: f64,
    pub(crate) binds_share: f64,
    pub(crate) gap_seconds: f64,
}

pub(crate) static THRESHOLDS: LazyLock<Thresholds> = LazyLock::new(|| {
    let rows = rows();
    let value = |name: &str| rows.iter().find(|row| row.name == name).expect("tested: the table has it").value;
    Thresholds {
        exceeded_share: value("exceeded_share"),
        delivered_share: value("delivered_share"),
        stalled_seconds: value("stalled_seconds"),
        empty_share: value("empty_share"),
        binds_share: value("binds_share"),
        gap_seconds: value("gap_seconds"),
    }
});

fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(include_str!("../tables/thresholds.csv").as_bytes());
    reader.deserialize().map(|row| row.expect("tested: a row that fits its type")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_threshold_is_used_and_has_unit_meaning_and_basis() {
        let rows = rows();
        assert_eq!(rows.len(), 6);
        assert!(THRESHOLDS.stalled_seconds > 0.0);
        for row in &rows {
            assert!([&row.unit, &row.meaning, &row.basis].iter().all(|text| !text.trim().is_empty()), "{}", row.name);
            let share = row.unit == "1";
            assert!(row.value > 0.0 && (!share || row.value < 1.0), "{}", row.name);
        }
    }
}
