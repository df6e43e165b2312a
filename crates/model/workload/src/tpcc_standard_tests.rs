use super::*;

#[test]
fn the_mix_is_whole() {
    let transactions: Vec<Transaction> = crate::tables::read(include_str!("../tables/tpcc_transactions.csv"));
    assert_eq!(transactions.iter().map(|t| t.percent).sum::<f64>(), 100.0);
}

#[test]
fn every_touched_table_and_transaction_exists() {
    let tables: Vec<Table> = crate::tables::read(include_str!("../tables/tpcc_tables.csv"));
    let touches: Vec<Touch> = crate::tables::read(include_str!("../tables/tpcc_rows.csv"));
    let transactions: Vec<Transaction> = crate::tables::read(include_str!("../tables/tpcc_transactions.csv"));
    for touch in &touches {
        let table = tables.iter().find(|table| table.table == touch.table).unwrap();
        assert!(!touch.recent || table.popularity == "recent", "{}", touch.table);
        assert!(transactions.iter().any(|t| t.transaction == touch.transaction), "{}", touch.transaction);
    }
}

#[test]
fn only_tables_with_keys_of_several_columns_are_found_by_them() {
    let tables: Vec<Table> = crate::tables::read(include_str!("../tables/tpcc_tables.csv"));
    let touches: Vec<Touch> = crate::tables::read(include_str!("../tables/tpcc_rows.csv"));
    for touch in &touches {
        let table = tables.iter().find(|table| table.table == touch.table).unwrap();
        let by_key = touch.by_key + touch.key_scans + touch.runs + touch.removed;
        assert!(table.key_columns > 1.0 || by_key == 0.0, "{} in {}", touch.table, touch.transaction);
        assert!(touch.key_scans <= touch.scans && touch.removed <= touch.updates, "{}", touch.table);
    }
}

#[test]
fn row_lengths_of_the_standard_agree_with_the_measured_size() {
    let tables: Vec<Table> = crate::tables::read(include_str!("../tables/tpcc_tables.csv"));
    let own = tables.iter().filter(|table| !table.shared);
    let bytes: f64 = own.map(|table| table.rows_per_warehouse * table.row_bytes).sum();
    let measured = Standard::of(Keys::Clustered).bytes_per_warehouse;
    assert!((bytes / measured - 1.0).abs() < 0.03, "{bytes} against {measured}");
}
