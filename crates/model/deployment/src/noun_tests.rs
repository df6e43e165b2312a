use proptest::option;
use proptest::prelude::*;
use units::{Bytes, BytesPerSec, Iops, Nanos};

use super::*;
use crate::{BlockCompression, ClusteredIndex, LockMode};

fn error(content: &str) -> String {
    Deployment::from_text(&Text::new("a.toml", content)).unwrap_err().to_string()
}

const HEAD: &str = "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 1\n";

#[test]
fn an_unknown_key_is_refused_with_its_line_and_the_one_meant() {
    let message = error(&format!("{HEAD}[[nodes]]\nrole = \"storage\"\ncuont = 3\n"));
    assert_eq!(message, "a.toml:6:1: unknown key `cuont` in [nodes.0]; did you mean `count`?");
}

#[test]
fn an_unknown_engine_is_refused_with_the_known_ones() {
    let message = error(&HEAD.replace("tikv", "oracle"));
    assert_eq!(message, "a.toml:1:10: unknown value `oracle` for `engine`; expected one of tikv, innodb");
}

#[test]
fn a_disk_that_is_none_is_refused_at_its_line() {
    let nodes = "[[nodes]]\nrole = \"storage\"\ncount = 3\ninstance = \"m5.large\"\ndata = \"gp3\"\n";
    let message = error(&format!("{HEAD}{nodes}"));
    assert!(message.starts_with("a.toml:8:8: `nodes.0.data`: "), "{message}");
}

#[test]
fn asks_without_a_size_are_refused_at_their_table() {
    let message = error(&format!("{HEAD}nodes = []\n[asks]\nreads = 5\n"));
    assert!(message.starts_with("a.toml:5:") && message.contains("`reads` needs `read-size`"), "{message}");
}

#[test]
fn the_engine_sets_how_many_replicas_there_are_by_default() {
    let mut deployment = Deployment::from_text(&Text::new("a.toml", format!("{HEAD}nodes = []"))).unwrap();
    assert_eq!(deployment.replicas(), 3);
    deployment.engine = Engine::InnoDb;
    assert_eq!(deployment.replicas(), 1);
    deployment.settings.replicas = Some(5);
    assert_eq!(deployment.replicas(), 5);
}

#[test]
fn a_month_stands_for_its_last_day() {
    let text = Text::new("a.toml", format!("as-of = \"2020-11\"\nnodes = []\n{HEAD}"));
    assert_eq!(Deployment::from_text(&text).unwrap().as_of, Some(Date::constant(2020, 11, 30)));
}

#[test]
fn a_day_without_quotes_is_refused_with_how_to_write_it() {
    let message = error(&format!("as-of = 2020-11-30\nnodes = []\n{HEAD}"));
    assert!(message.starts_with("a.toml:1:9: `as-of` is") && message.contains("in quotes"), "{message}");
}

prop_compose! {
    fn disks()(text in prop::sample::select(vec![
        "gp3:1000GiB,6000iops,250MiB/s",
        "2x(gp2:1000GiB)",
        "io1:100GiB,2000iops",
        "gp2:1TiB+cache(nvme:200GiB)",
        "3x(pd-ssd:200GiB)",
    ])) -> Disk {
        text.parse().unwrap()
    }
}

prop_compose! {
    fn groups()(
        role in prop::sample::select(vec![NodeRole::Storage, NodeRole::Sql, NodeRole::Pd, NodeRole::Tiflash]),
        count in 1..100u32,
        instance in "[a-z0-9.-]{1,12}",
        data in option::of(disks()),
        log in option::of(disks()),
    ) -> NodeGroup {
        NodeGroup { role, count, instance, data, log }
    }
}

prop_compose! {
    fn settings()(
        (block_size, block_cache, value_separation) in
            (option::of(any::<u64>()), option::of(any::<u64>()), option::of(any::<u64>())),
        compression in option::of(prop::sample::select(vec![
            BlockCompression::None,
            BlockCompression::Default,
            BlockCompression::Zstd,
        ])),
        replicas in option::of(1..7u32),
        locks in option::of(prop::sample::select(vec![LockMode::Memory, LockMode::Pipelined, LockMode::Written])),
        clustered_index in option::of(prop::sample::select(vec![ClusteredIndex::On, ClusteredIndex::IntOnly])),
        rate_limit in option::of(0.0..1e10f64),
        (follower_read, grpc_compression, doublewrite) in any::<(Option<bool>, Option<bool>, Option<bool>)>(),
        zone_round_trip in option::of(any::<u64>()),
    ) -> EngineSettings {
        EngineSettings {
            block_size: block_size.map(Bytes),
            block_cache: block_cache.map(Bytes),
            value_separation: value_separation.map(Bytes),
            compression,
            replicas,
            rate_limit: rate_limit.map(BytesPerSec),
            follower_read,
            grpc_compression,
            locks,
            clustered_index,
            doublewrite,
            zone_round_trip: zone_round_trip.map(Nanos),
        }
    }
}

prop_compose! {
    fn asks()(
        flows in prop::array::uniform4((0.0..1e6f64, 1..1u64 << 30)),
        stored in option::of(any::<u64>()),
        cores in option::of(0.0..1e3f64),
    ) -> NodeDemand {
        let [reads, writes, log_reads, log_writes] =
            flows.map(|(rate, size)| (Iops(rate), Bytes(size)));
        let rates = |reads: (Iops, Bytes), writes: (Iops, Bytes)| workload::IoRates {
            reads: reads.0.0,
            read_bytes: reads.0.0 * reads.1.as_f64(),
            writes: writes.0.0,
            write_bytes: writes.0.0 * writes.1.as_f64(),
            flushes: 0.0,
        };
        NodeDemand { data: rates(reads, writes), log: rates(log_reads, log_writes), stored: stored.map(Bytes), cores }
    }
}

prop_compose! {
    fn deployments()(
        name in any::<String>(),
        engine in prop::sample::select(vec![Engine::TiKv, Engine::InnoDb]),
        region in "[a-z0-9-]{0,16}",
        as_of in option::of((2018..2027i16, 1..13i8, 1..29i8)),
        zones in 0..9u32,
        nodes in prop::collection::vec(groups(), 0..4),
        settings in settings(),
        asks in option::of(asks()),
    ) -> Deployment {
        let as_of = as_of.map(|(year, month, day)| Date::constant(year, month, day));
        Deployment { name, engine, region, as_of, zones, nodes, settings, asks }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(deployment in deployments()) {
        let written = deployment.to_toml();
        let read = Deployment::from_text(&Text::new("a.toml", &*written)).map_err(|e| e.to_string());
        prop_assert_eq!(read.as_ref(), Ok(&deployment), "{}", written);
        prop_assert_eq!(read.unwrap().to_toml(), written);
    }
}
