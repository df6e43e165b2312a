//! TPC-C: the mean transaction of the standard's mix (TPC-C standard revision 5.11, sent as go-tpc sends it).

use units::{Bytes, Interval, Nanos, Uncertain};

use crate::pick::{Bounds, Pick};
use crate::tpcc_standard::{Keys, Standard};
use crate::{OperationProfile, ThroughputUnit, WorkloadError};

/// The `[tpcc]` table.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TpccWorkload {
    /// Warehouses loaded; clients use all of them evenly.
    pub warehouses: Uncertain,
    /// Clients of a closed loop; an open loop if not given.
    pub clients: Option<Uncertain>,
    /// Mean keying and think time; benchmark tools run without.
    pub think: Option<Interval<Nanos>>,
}

impl TpccWorkload {
    /// The profile and the number of clients.
    pub(crate) fn fix(&self, pick: &mut Pick<'_>) -> Result<(OperationProfile, Option<f64>), WorkloadError> {
        let warehouses = pick.number("warehouses", self.warehouses, Bounds::AtLeastOne)?;
        let clients = pick.maybe("clients", self.clients, Bounds::Clients)?;
        let think = self.think.map_or(Ok(Nanos(0)), |think| pick.span("think", think, Bounds::Any))?;
        let data = pick.data("warehouses", warehouses * Standard::of(Keys::Clustered).bytes_per_warehouse)?;
        let profile = |keys: Keys, keys_apart: Option<Box<OperationProfile>>| {
            let standard = Standard::of(keys);
            OperationProfile {
                unit: ThroughputUnit { name: "tpmC", per_operation: 60.0 * standard.new_orders },
                statements: standard.statements,
                lookups: standard.lookups,
                locking: standard.locking,
                think,
                spread: standard.spread,
                transactional: true,
                point_reads: standard.point_reads,
                scans: standard.scans,
                rows_per_scan: standard.scanned_rows / standard.scans,
                inserts: standard.inserts,
                updates: standard.updates,
                row: Bytes((standard.written_bytes / (standard.inserts + standard.updates)).round() as u64),
                indexes: standard.index_entries / standard.inserts,
                index_entry: Bytes((standard.index_bytes / standard.index_entries).round() as u64),
                random_indexes: standard.random_entries / standard.inserts,
                random_keys: false,
                data,
                encoded: standard.encoded,
                compressed: standard.compressed,
                popularity: standard.popularity(warehouses),
                blocks: standard.blocks(warehouses),
                keys_apart,
            }
        };
        let apart = profile(Keys::Apart, None);
        Ok((profile(Keys::Clustered, Some(Box::new(apart))), clients))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(warehouses: f64) -> OperationProfile {
        let tpcc = TpccWorkload { warehouses: Interval::certain(warehouses), clients: None, think: None };
        tpcc.fix(&mut Pick::new("tpcc", &mut |_, interval| interval.middle())).unwrap().0
    }

    #[test]
    fn the_mix_is_the_standards() {
        assert_eq!(profile(1.0).unit.per_operation, 27.0);
    }

    #[test]
    fn a_new_order_writes_a_row_for_each_line() {
        // New-Order alone adds 12 rows and changes 11; the others only add to that.
        let profile = profile(5000.0);
        assert!(profile.inserts > 0.45 * 12.0 && profile.updates > 0.45 * 11.0);
        assert!((profile.inserts - (0.45 * 12.0 + 0.43)).abs() < 1e-9);
    }

    #[test]
    fn shares_sum_to_one_and_the_hot_part_is_small() {
        let clustered = profile(5000.0);
        let apart = clustered.keys_apart.clone().unwrap();
        for profile in [&clustered, &*apart] {
            let blocks = profile.blocks.iter().map(|blocks| &blocks.popularity);
            for bands in blocks.chain([&profile.popularity]) {
                assert!((bands.iter().map(|band| band.data).sum::<f64>() - 1.0).abs() < 1e-9);
                assert!((bands.iter().map(|band| band.accesses).sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
        let tiny: f64 = clustered.popularity.iter().filter(|b| b.data < 1e-4).map(|band| band.accesses).sum();
        assert!(tiny > 0.2, "warehouse, district and item draw {tiny} of the accesses");
    }

    #[test]
    fn keys_that_are_kept_apart_are_read_before_their_rows_and_written_with_them() {
        let clustered = profile(5000.0);
        let apart = clustered.keys_apart.clone().unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        // By a key of several columns New-Order reads a customer, a district twice, and ten stocks twice; Payment a district
        // twice, and a customer twice and for one in ten once more; Order-Status a customer by number; Delivery 40; Stock-Level 201.
        let read = 0.45 * 23.0 + 0.43 * 4.1 + 0.04 * (0.4 + 40.0 + 201.0);
        assert!(near(apart.point_reads, clustered.point_reads + read), "{} {read}", apart.point_reads);
        // Order, new-order and ten lines are added with a key each, and ten of the new-orders are taken out with theirs.
        let entries = |profile: &OperationProfile| profile.inserts * profile.indexes;
        let written = 0.45 * 12.0 + 0.04 * 10.0;
        assert!(near(entries(&apart), entries(&clustered) + written), "{}", entries(&apart));
        assert_eq!(clustered.lookups, 0.0);
        assert!((8.8..8.9).contains(&apart.lookups), "{}", apart.lookups);
        // Rows along a key are read after it.
        assert!(near(apart.scans, clustered.scans + 0.04 * (1.0 + 10.0 + 20.0)), "{}", apart.scans);
        let same = |profile: &OperationProfile| {
            (profile.statements, profile.inserts, profile.updates, profile.row, profile.data)
        };
        assert_eq!(same(&apart), same(&clustered));
    }
}
