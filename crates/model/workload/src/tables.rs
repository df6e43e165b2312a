//! Reading the crate's own tables.

use serde::de::DeserializeOwned;

/// The rows of an embedded CSV.
///
/// # Panics
/// When the table does not fit `T`: a fault of the build, which the tests of each table find.
pub(crate) fn read<T: DeserializeOwned>(csv: &str) -> Vec<T> {
    csv::Reader::from_reader(csv.as_bytes())
        .deserialize()
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("an embedded table is broken: {error}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_row_names_its_source() {
        let tables = [
            include_str!("../tables/tpcc_constants.csv"),
            include_str!("../tables/tpcc_rows.csv"),
            include_str!("../tables/tpcc_tables.csv"),
            include_str!("../tables/tpcc_transactions.csv"),
            include_str!("../tables/sysbench.csv"),
            include_str!("../tables/ycsb.csv"),
        ];
        for table in tables {
            let mut reader = csv::Reader::from_reader(table.as_bytes());
            let source = reader.headers().unwrap().iter().position(|name| name == "source").unwrap();
            let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
            assert!(!rows.is_empty() && rows.iter().all(|row| row[source].len() > 5), "{table}");
        }
    }
}
