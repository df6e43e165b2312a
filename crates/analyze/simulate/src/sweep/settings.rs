//! The settings that can be swept: a row each.

use std::fmt::Display;
use std::str::FromStr;

use deployment::{BlockCompression, NodeGroup, NodeRole};
use disk::{Disk, StartCredits};
use engine::OfferedLoad;
use units::{Bytes, BytesPerSec};

use super::SimulationSetup;

/// A setting that can be swept.
pub(super) struct Setting {
    /// As it is written.
    pub(super) name: &'static str,
    /// What its values are.
    pub(super) expected: &'static str,
    /// Two of them, to show and to test.
    pub(super) example: &'static str,
    /// Puts a value into place, or says why not.
    pub(super) apply: fn(&mut SimulationSetup, &str) -> Result<(), String>,
}

/// With `on`, values from this size on are kept apart: what Titan's min-blob-size was before TiKV 7.6 (docs, Titan
/// configuration). It is 32 KiB since, which few rows reach.
const SEPARATED: Bytes = Bytes::kib(1);
/// The log disk of `own` where the deployment has none: what PingCAP's best practices for public cloud put beside a gp3.
const OWN_LOG: &str = "gp3:20GiB";

macro_rules! settings {
    ($($name:literal, $expected:literal, $example:literal, $apply:expr;)*) => {
        /// All of them.
        pub(super) const SETTINGS: [Setting; [$($name),*].len()] =
            [$(Setting { name: $name, expected: $expected, example: $example, apply: $apply }),*];
        /// Their names.
        pub(super) const NAMES: [&str; SETTINGS.len()] = [$($name),*];
    };
}

settings! {
    "block-size", "a size such as 16KiB", "4KiB,64KiB", |setup, text| {
        setup.deployment.settings.block_size = Some(read(text)?);
        Ok(())
    };
    "block-cache", "a size such as 8GiB", "1GiB,8GiB", |setup, text| {
        setup.deployment.settings.block_cache = Some(read(text)?);
        Ok(())
    };
    "compression", "none, default or zstd", "none,zstd", |setup, text| {
        setup.deployment.settings.compression = Some(match text {
            "none" => BlockCompression::None,
            "default" => BlockCompression::Default,
            "zstd" => BlockCompression::Zstd,
            _ => return Err("is none of them".to_owned()),
        });
        Ok(())
    };
    "value-separation", "off, on (values from 1KiB) or the size from which values are kept apart", "on,off,4KiB",
    |setup, text| {
        setup.deployment.settings.value_separation = match text {
            "off" => None,
            "on" => Some(SEPARATED),
            size => Some(read(size)?),
        };
        Ok(())
    };
    "rate-limit", "off or a rate such as 100MiB/s", "20MiB/s,off", |setup, text| {
        setup.deployment.settings.rate_limit = match text {
            "off" => None,
            rate => Some(read::<BytesPerSec>(rate)?),
        };
        Ok(())
    };
    "limiter", "tikv, rocksdb, fixed or pilot", "tikv,pilot", |setup, text| {
        setup.options.tuner = Some(read(text)?);
        Ok(())
    };
    "raft-disk", "shared, own (the deployment's log disk, else gp3:20GiB) or a disk", "own,shared", |setup, text| {
        each(setup, |group| {
            group.log = match (text, &group.log) {
                ("shared", _) => None,
                ("own", Some(log)) => Some(log.clone()),
                ("own", None) => Some(read(OWN_LOG)?),
                (disk, _) => Some(read(disk)?),
            };
            Ok(())
        })
    };
    "data-disk", "a disk such as gp3:1000GiB,6000iops", "gp3:600GiB,6000iops,io2:500GiB,4000iops", |setup, text| {
        let disk: Disk = read(text)?;
        each(setup, |group| {
            group.data = Some(disk.clone());
            Ok(())
        })
    };
    "instance", "an instance type such as m5.2xlarge", "m5.4xlarge,m6i.2xlarge", |setup, text| {
        each(setup, |group| {
            text.clone_into(&mut group.instance);
            Ok(())
        })
    };
    "nodes", "how many storage nodes", "3,6", |setup, text| {
        let count = positive(text)?;
        let mut groups = setup.deployment.nodes.iter_mut().filter(|group| group.role == NodeRole::Storage);
        match (groups.next(), groups.next()) {
            (Some(group), None) => group.count = count,
            _ => return Err("the deployment has several groups of storage nodes, so which is to grow?".to_owned()),
        }
        Ok(())
    };
    "replicas", "how many copies of each range", "1,3", |setup, text| {
        setup.deployment.settings.replicas = Some(positive(text)?);
        Ok(())
    };
    "follower-read", "on or off", "on,off", |setup, text| {
        setup.deployment.settings.follower_read = Some(switch(text)?);
        Ok(())
    };
    "grpc-compression", "on or off", "on,off", |setup, text| {
        setup.deployment.settings.grpc_compression = Some(switch(text)?);
        Ok(())
    };
    "zone-round-trip", "a span such as 1ms", "500us,2ms", |setup, text| {
        setup.deployment.settings.zone_round_trip = Some(read(text)?);
        Ok(())
    };
    "flow-control", "on or off", "off,on", |setup, text| {
        setup.options.flow_control = switch(text)?;
        Ok(())
    };
    "locks", "memory (TiKV since 6.0), pipelined or written (TiKV 4.0): what becomes of pessimistic transactions' locks",
    "memory,written", |setup, text| {
        setup.deployment.settings.locks = Some(read(text)?);
        Ok(())
    };
    "clustered-index", "on or int-only (TiDB before 5.0): which primary keys are the keys of their rows", "on,int-only",
    |setup, text| {
        setup.deployment.settings.clustered_index = Some(read(text)?);
        Ok(())
    };
    "thread-pools", "how many times TiKV's default threads requests have: unified read, scheduler, raftstore, apply", "1,2",
    |setup, text| {
        setup.options.pools = positive(text)?.min(1000);
        Ok(())
    };
    "clients", "how many clients wait for their answers", "16,64", |setup, text| {
        setup.options.load = Some(OfferedLoad::Closed(f64::from(positive(text)?)));
        Ok(())
    };
    "throughput", "what is sent, in the workload's unit, whatever becomes of it", "500,2000", |setup, text| {
        let rate = text.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
        let rate = rate.ok_or("is no number over 0")?;
        setup.options.load = Some(OfferedLoad::Open(rate / setup.task.profile.unit.per_operation));
        Ok(())
    };
    "credits", "full or spent", "full,spent", |setup, text| {
        setup.options.credits = match text {
            "full" => StartCredits::Full,
            "spent" => StartCredits::Spent,
            _ => return Err("is none of them".to_owned()),
        };
        Ok(())
    };
    "degraded", "on or off: disks have the degraded minutes that their promise leaves room for", "off,on", |setup, text| {
        setup.options.degraded_minutes = switch(text)?;
        Ok(())
    };
    "seed", "a number that decides all that is left to chance", "1,2", |setup, text| {
        setup.options.seed = text.parse().map_err(|_| "is no whole number")?;
        Ok(())
    };
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("is none of them".to_owned()),
    }
}

fn positive(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|count| (1..=1_000_000).contains(count))
        .ok_or("is no whole number from 1 to 1000000".to_owned())
}

/// For all groups of storage nodes.
fn each(
    setup: &mut SimulationSetup,
    mut change: impl FnMut(&mut NodeGroup) -> Result<(), String>,
) -> Result<(), String> {
    setup.deployment.nodes.iter_mut().filter(|group| group.role == NodeRole::Storage).try_for_each(&mut change)
}
