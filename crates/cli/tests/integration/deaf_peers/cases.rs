//! Every command that talks to a peer, and which of its options name one.

/// A command with a peer that does not answer.
pub(crate) struct Case {
    /// `{deaf}` is the peer, `{live}` a placement driver that answers, `{journal}` a folder of the case's own.
    pub(crate) line: &'static str,
    /// The options that it stands for, as `command option`.
    pub(crate) covers: &'static [&'static str],
    /// Whether the peer is asked by itself; else only where a verdict calls for it.
    pub(crate) asks: bool,
    /// Whether it takes the SDK of AWS.
    pub(crate) cloud: bool,
}

const fn asks(line: &'static str, covers: &'static [&'static str]) -> Case {
    Case { line, covers, asks: true, cloud: false }
}

const fn cloud(line: &'static str, covers: &'static [&'static str]) -> Case {
    Case { line, covers, asks: true, cloud: true }
}

/// All of them.
pub(crate) const CASES: &[Case] = &[
    asks("diagnose prometheus http://{deaf}", &["diagnose prometheus <URL>"]),
    asks("diagnose prometheus http://{deaf} --watch=1s", &[]),
    cloud("diagnose cloudwatch --volume vol-0a1b2c3d --endpoint http://{deaf}", &["diagnose cloudwatch --endpoint"]),
    cloud("diagnose cloudwatch --all --endpoint http://{deaf}", &[]),
    cloud("diagnose rds orders --endpoint http://{deaf}", &["diagnose rds --endpoint"]),
    asks("bench examples/rds-inserts.toml --db mysql://bench@{deaf}/mine", &["bench --db"]),
    asks("bench examples/ycsb-a-uniform.toml --records 1k --db tikv://{deaf}", &[]),
    asks("pilot run --journal {journal} --pd http://{deaf}", &["pilot run --pd"]),
    asks("pilot run --journal {journal} --act --pd http://{deaf}", &[]),
    asks(
        "pilot run --journal {journal} --act --pd http://{live} --prometheus http://{deaf}",
        &["pilot run --prometheus"],
    ),
    asks(
        "pilot run --journal {journal} --act --pd http://{live} --tikv-status 1=http://{deaf}",
        &["pilot run --tikv-status"],
    ),
    asks(
        "pilot run --journal {journal} --act --pd http://{live} --on examples/raft-dedicated.toml --limit \
         1=http://{deaf}/metrics#nvme1n1",
        &["pilot run --limit"],
    ),
    asks(
        "pilot run --journal {journal} --act --pd http://{live} --maintenance gcp --machine vm-1=tikv:1 --metadata \
         http://{deaf}",
        &["pilot run --metadata"],
    ),
    asks(
        "pilot run --journal {journal} --act --pd http://{live} --maintenance aws --machine vm-1=tikv:1 --metadata \
         http://{deaf}",
        &[],
    ),
    asks(
        "pilot run --journal {journal} --act --pd http://{live} --maintenance azure --machine vm-1=tikv:1 --metadata \
         http://{deaf}",
        &[],
    ),
    asks(
        "pilot run --journal {journal} --act --pd http://{live} --maintenance gcp --machine vm-1=tidb:db/tidb-0@node-1 \
         --metadata http://{live} --kubernetes http://{deaf}",
        &["pilot run --kubernetes"],
    ),
    cloud(
        "pilot run --journal {journal} --act --pd http://{live} --volume vol-0a1b2c3d --endpoint http://{deaf}",
        &["pilot run --endpoint"],
    ),
    Case {
        line: "pilot run --journal {journal} --act --pd http://{live} --tidb mysql://pilot@{deaf}",
        covers: &["pilot run --tidb"],
        asks: false,
        cloud: false,
    },
    asks("pilot do evict/1 --act --journal {journal} --pd http://{deaf}", &["pilot do --pd"]),
    asks(
        "pilot do tikv/1/rocksdb.rate-bytes-per-sec=100MB --act --journal {journal} --pd http://{live} --tikv-status \
         1=http://{deaf}",
        &["pilot do --tikv-status"],
    ),
    Case {
        line: "pilot do pd/schedule.leader-schedule-limit=64 --for 10m --act --journal {journal} --pd http://{live} --tidb \
               mysql://pilot@{deaf}",
        covers: &["pilot do --tidb"],
        asks: false,
        cloud: false,
    },
    asks("pilot status --journal {journal} --pd http://{deaf}", &["pilot status --pd"]),
    asks("pilot undo --all --journal {journal} --pd http://{deaf}", &["pilot undo --pd"]),
    Case {
        line: "pilot undo --all --journal {journal} --pd http://{live} --tikv-status 1=http://{deaf} --tidb \
               mysql://pilot@{deaf}",
        covers: &["pilot undo --tikv-status", "pilot undo --tidb"],
        asks: false,
        cloud: false,
    },
    cloud(
        "pilot undo --all --journal {journal} --pd http://{live} --volume vol-0a1b2c3d --endpoint http://{deaf}",
        &["pilot undo --endpoint"],
    ),
];
