//! What the assessment must be in limits that are known, and in which direction it must move.

use availability::{AvailabilityAssessment, ClusterShape, FailureRates, NodeStorage, RecoveryPath, assess};
use proptest::prelude::*;
use units::{Bytes, Nanos};

fn local() -> ClusterShape {
    ClusterShape { storage: NodeStorage::Local, ..ClusterShape::default() }
}

fn without_failures() -> FailureRates {
    FailureRates {
        node_failures: 0.0,
        device_failures: 0.0,
        volume_failures: 0.0,
        zone_outages: 0.0,
        ..FailureRates::default()
    }
}

#[test]
fn nothing_is_lost_where_nothing_fails() {
    for scenario in [local(), ClusterShape::default()] {
        let answer = assess(&scenario, &without_failures()).unwrap();
        assert_eq!(answer.range.losses_per_year, 0.0);
        assert_eq!(answer.cluster.unavailable_minutes_per_year, 0.0);
        assert_eq!((answer.range.minutes_to_recover, answer.zone_and_node), (None, None));
        assert_eq!(answer.data_loss_per_year, 0.0);
    }
}

#[test]
fn a_single_copy_on_a_volume_is_away_for_each_failure_of_its_node() {
    let scenario = ClusterShape { replicas: 1, zones: 1, nodes: 1, ..ClusterShape::default() };
    let rates = FailureRates { node_failures: 0.5, ..without_failures() };
    let range = assess(&scenario, &rates).unwrap().range;
    assert!((range.losses_per_year - 0.5).abs() < 1e-4, "{range:?}");
    assert!((range.minutes_to_recover.unwrap() - 700.0 / 60.0).abs() < 1e-9);
    assert_eq!(range.recovery, Some(RecoveryPath::VolumeReattached));
}

#[test]
fn losing_all_copies_takes_each_failure_within_the_rebuild_of_those_before() {
    // Any of three, one of the other two while the first is rebuilt, the last before people have stepped in: with one
    // copy left there is no leader to rebuild from.
    let scenario = local();
    let rates = FailureRates { node_failures: 0.2, by_hand: Nanos::secs(36_000_000), ..without_failures() };
    let hours = (1800.0 + Bytes::gib(1000).as_f64() / 100e6) / 3600.0;
    let (per_hour, hand) = (0.2 / 8760.0, 10_000.0);
    let expected = 3.0 * per_hour * (2.0 * per_hour * hours) * (per_hour * hand / (1.0 + per_hour * hand)) * 8760.0;
    let loss = assess(&scenario, &rates).unwrap().data_loss_per_year;
    assert!((loss / expected - 1.0).abs() < 0.01, "{loss} {expected}");
}

#[test]
fn a_cluster_with_a_node_for_each_replica_is_its_only_range() {
    for scenario in [local(), ClusterShape::default()] {
        let answer = assess(&scenario, &FailureRates::default()).unwrap();
        assert_eq!(answer.cluster, answer.range);
    }
}

#[test]
fn a_cluster_of_many_nodes_has_more_pairs_that_cost_a_quorum() {
    let rates = FailureRates { node_failures: 0.01, ..without_failures() };
    let rate = |nodes| {
        let scenario = ClusterShape { nodes, data_per_node: Bytes::gib(100), ..local() };
        assess(&scenario, &rates).unwrap().cluster.losses_per_year
    };
    // With m nodes a zone, 3 m² pairs of nodes in different zones instead of 3.
    let ratio = rate(30) / rate(3);
    assert!((ratio / 100.0 - 1.0).abs() < 0.01, "{ratio}");
}

#[test]
fn a_zone_and_a_node_elsewhere_are_worse_on_local_disks() {
    let rates = FailureRates::default();
    let after = |answer: AvailabilityAssessment| answer.zone_and_node.unwrap();
    let by_hand = after(assess(&local(), &rates).unwrap());
    let attached = after(assess(&ClusterShape::default(), &rates).unwrap());
    assert_eq!(by_hand.recovery, RecoveryPath::DataRebuiltByHand);
    assert_eq!(attached.recovery, RecoveryPath::VolumeReattached);
    assert!(by_hand.minutes_to_recover > 10.0 * attached.minutes_to_recover);
}

#[test]
fn local_disks_that_outlive_the_outage_bring_the_zone_back_first() {
    let rates = FailureRates { zone_wipes_local: 0.0, zone_outage: Nanos::secs(3600), ..FailureRates::default() };
    let after = assess(&local(), &rates).unwrap().zone_and_node.unwrap();
    assert_eq!(after.recovery, RecoveryPath::ZoneReturned);
}

#[test]
fn one_outage_in_five_that_wipes_local_disks_is_enough_to_make_people_the_rule() {
    let recovery = |zone_wipes_local| {
        let rates = FailureRates { zone_wipes_local, ..FailureRates::default() };
        assess(&local(), &rates).unwrap().zone_and_node.unwrap().recovery
    };
    assert_eq!((recovery(0.1), recovery(0.2)), (RecoveryPath::ZoneReturned, RecoveryPath::DataRebuiltByHand));
}

#[test]
fn impossible_rates_are_refused_by_name() {
    let message =
        assess(&local(), &FailureRates { node_failures: -1.0, ..FailureRates::default() }).unwrap_err().to_string();
    assert_eq!(message, "the rate of node failures is -1; expected 0 or more a year");
    assert!(assess(&local(), &FailureRates { reattach: Nanos(0), ..FailureRates::default() }).is_err());
    assert!(assess(&local(), &FailureRates { zone_outages: f64::NAN, ..FailureRates::default() }).is_err());
}

fn any_rates() -> impl Strategy<Value = FailureRates> {
    (0.0..2.0_f64, 0.0..0.1_f64, 0.0..0.1_f64, 0.0..1.0_f64, 0.0..=1.0_f64, 300..40_000_u64, 60..10_000_u64).prop_map(
        |(node_failures, device_failures, volume_failures, zone_outages, zone_wipes_local, outage, reattach)| {
            FailureRates {
                node_failures,
                device_failures,
                volume_failures,
                zone_outages,
                zone_wipes_local,
                zone_outage: Nanos::secs(outage),
                reattach: Nanos::secs(reattach),
                ..FailureRates::default()
            }
        },
    )
}

fn storages() -> impl Strategy<Value = NodeStorage> {
    prop_oneof![Just(NodeStorage::Local), Just(NodeStorage::Reattachable)]
}

/// `a <= b` up to rounding.
fn at_most(a: f64, b: f64) -> bool {
    a <= b * (1.0 + 1e-9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn more_replicas_each_in_its_own_zone_are_never_worse(rates in any_rates(), storage in storages()) {
        let unavailable = |replicas| {
            let scenario = ClusterShape { replicas, zones: replicas, nodes: replicas, storage, ..ClusterShape::default() };
            let answer = assess(&scenario, &rates).unwrap();
            (answer.range.unavailable_minutes_per_year, answer.data_loss_per_year)
        };
        let (one, three, five) = (unavailable(1), unavailable(3), unavailable(5));
        prop_assert!(at_most(three.0, one.0) && at_most(five.0, three.0), "{one:?} {three:?} {five:?}");
        prop_assert!(at_most(three.1, one.1) && at_most(five.1, three.1), "{one:?} {three:?} {five:?}");
    }

    #[test]
    fn more_failures_are_never_better(rates in any_rates(), storage in storages(), zones in 1..4_u32, more in 1.0..3.0_f64) {
        let scenario = ClusterShape { zones, storage, ..ClusterShape::default() };
        let worse = FailureRates { node_failures: rates.node_failures * more, zone_outages: rates.zone_outages * more, ..rates };
        let unavailable = |rates| assess(&scenario, rates).unwrap().range.unavailable_minutes_per_year;
        prop_assert!(at_most(unavailable(&rates), unavailable(&worse)));
    }

    #[test]
    fn a_slower_way_back_is_never_better(rates in any_rates(), storage in storages(), zones in 1..4_u32) {
        let scenario = ClusterShape { zones, storage, ..ClusterShape::default() };
        let slower = FailureRates { reattach: Nanos(rates.reattach.0 * 2), by_hand: Nanos(rates.by_hand.0 * 2), ..rates };
        let unavailable = |rates| assess(&scenario, rates).unwrap().range.unavailable_minutes_per_year;
        prop_assert!(at_most(unavailable(&rates), unavailable(&slower)));
    }

    #[test]
    fn any_range_of_a_cluster_is_lost_at_least_as_often_as_a_given_one(rates in any_rates(), storage in storages(), nodes in 3..12_u32) {
        let answer = assess(&ClusterShape { nodes, storage, ..ClusterShape::default() }, &rates).unwrap();
        prop_assert!(answer.range.losses_per_year <= answer.cluster.losses_per_year * (1.0 + 1e-2));
    }
}
