//! What is known of one node: its engine, its processors, and the link to its disks.

use std::collections::BTreeSet;

use ::disk::IoDirection;
use timeline::{Series, SeriesSpec, vocabulary};
use units::{Bytes, Nanos};
use workload::Engine;

use super::disk::larger;
use super::group::NodeSeries;
use super::{DiagnosisSignal, FindingScope, FindingSubject, IntervalGrid, SubjectFacts, link, space};
use crate::KnownFacts;

/// TiKV's default size of a data block: `rocksdb.defaultcf.block-size`, tikv src/config/mod.rs.
const BLOCK: Bytes = Bytes::kib(32);

/// RocksDB counts a compaction's bytes when the job ends; what it wrote, it wrote in about so long a time before, and what it
/// counts stands for what jobs under way write after.
const JOB: Nanos = Nanos::secs(30);

/// `None` for a node of which nothing is told. Its disks learn what their instance holds them up with. Of a refuted instance the
/// limits of its link are not known.
pub(super) fn facts(
    node: &str,
    series: &NodeSeries<'_>,
    disks: &mut [SubjectFacts],
    known: &KnownFacts,
    refuted: &BTreeSet<FindingSubject>,
) -> Option<SubjectFacts> {
    let of_engine = || series.others.iter().copied().filter(|series| !series.points().is_empty());
    let grid = disks.first().map(|disk| disk.grid).or_else(|| IntervalGrid::of(of_engine()))?;
    let subject = FindingSubject { scope: FindingScope::Node, node: node.to_owned(), disk: String::new() };
    let mut facts = SubjectFacts::new(subject, grid);
    facts.instance = known.instance(node).cloned();
    let told = Told { series: &series.others, grid };
    let of_link = FindingSubject { scope: FindingScope::Instance, ..facts.subject.clone() };
    let caps = facts.instance.as_ref().and_then(|instance| instance.caps).filter(|_| !refuted.contains(&of_link));
    link::facts(&mut facts, caps, &told, disks, known);
    processors(&mut facts, &told, known);
    engine(&mut facts, &told);
    data(&mut facts, &told, disks, known);
    cache(&mut facts, &told, known);
    space::facts(&mut facts, &told, disks);
    facts.engine = engine_of(&told, known);
    let busy = facts.columns.get(&DiagnosisSignal::CpuUse);
    for disk in disks.iter_mut() {
        disk.engine = facts.engine;
        if let Some(busy) = busy.filter(|_| disk.grid == facts.grid) {
            disk.columns.insert(DiagnosisSignal::CpuUse, busy.clone());
        }
    }
    // Settings alone tell nothing of a node.
    let set = [
        DiagnosisSignal::BlockSize,
        DiagnosisSignal::CacheOfMemory,
        DiagnosisSignal::LogOnData,
        DiagnosisSignal::Iops,
        DiagnosisSignal::Throughput,
    ];
    facts.columns.keys().any(|signal| !set.contains(signal)).then_some(facts)
}

/// The series of a node that are of no disk.
pub(super) struct Told<'t> {
    pub(super) series: &'t [&'t Series],
    pub(super) grid: IntervalGrid,
}

impl<'t> Told<'t> {
    /// A series by its name.
    pub(super) fn get(&self, name: &str) -> Option<Vec<Option<f64>>> {
        self.all(name).next().map(|(_, column)| column)
    }

    /// All series of a name.
    pub(super) fn all<'s>(&'s self, name: &'s str) -> impl Iterator<Item = (&'t Series, Vec<Option<f64>>)> + 's {
        let of_name = self.series.iter().filter(move |series| series.name == name);
        of_name.map(|series| (*series, self.grid.column(series)))
    }
}

/// The engine of a node: as the deployment says, else the one whose own counters are told; `None` where nothing tells.
fn engine_of(told: &Told<'_>, known: &KnownFacts) -> Option<Engine> {
    let has = |specs: &[SeriesSpec]| told.series.iter().any(|series| specs.iter().any(|spec| spec.name == series.name));
    let said = known.deployment.as_ref().map(|deployment| deployment.engine);
    let told =
        [
            (
                Engine::TiKv,
                &[
                    vocabulary::RAFT_LOG_SYNCS,
                    vocabulary::LEVEL0_FILES,
                    vocabulary::FLUSH_BYTES,
                    vocabulary::SLOW_SCORE,
                ][..],
            ),
            (
                Engine::InnoDb,
                &[vocabulary::INNODB_WRITES, vocabulary::BUFFER_POOL_REQUESTS, vocabulary::REDO_BYTES][..],
            ),
        ]
        .into_iter()
        .find(|(_, specs)| has(specs));
    said.or(told.map(|(engine, _)| engine))
}

fn processors(facts: &mut SubjectFacts, told: &Told<'_>, known: &KnownFacts) {
    machine(facts, told);
    let Some(vcpu) = facts.instance.as_ref().map(|instance| instance.vcpu) else { return };
    let pools: Vec<(&str, Vec<Option<f64>>)> = told
        .series
        .iter()
        .filter(|series| series.name == vocabulary::CPU_TIME.name)
        .filter_map(|series| Some((series.labels.get("pool")?.as_str(), told.grid.column(series))))
        .collect();
    if pools.is_empty() {
        return;
    }
    // Where the machine tells, it knows of the programs beside the database, too.
    if !facts.columns.contains_key(&DiagnosisSignal::CpuUse) {
        facts.derive(DiagnosisSignal::CpuUse, vocabulary::CPU_TIME.name, |_, i| {
            let busy: Vec<f64> = pools.iter().filter_map(|(_, busy)| busy[i]).collect();
            (!busy.is_empty()).then(|| busy.iter().sum::<f64>() / f64::from(vcpu))
        });
    }
    let without_grpc = pools.iter().all(|(pool, _)| *pool != "grpc_server");
    let threads = |pool: &str| known.threads(pool, vcpu, without_grpc).filter(|threads| *threads > 0.0);
    let used = |(pool, busy): &(&str, Vec<Option<f64>>), i: usize| Some(busy[i]? / threads(pool)?);
    let mean = |pool: &(&str, Vec<Option<f64>>)| (0..told.grid.count).filter_map(|i| used(pool, i)).sum::<f64>();
    let fullest = pools.iter().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    if let Some(fullest) = fullest {
        facts.derive(DiagnosisSignal::PoolUse, format!("cpu_time{{pool={}}}", fullest.0), |_, i| used(fullest, i));
    }
}

/// Busy processors as the cloud or node_exporter tell of the machine.
fn machine(facts: &mut SubjectFacts, told: &Told<'_>) {
    /// Modes in which a processor does nothing for this machine, or counts twice (proc(5): guest time is user time).
    const NOT_BUSY: [&str; 5] = ["idle", "iowait", "steal", "guest", "guest_nice"];
    if let Some(processors) = told.get(vocabulary::HOST_CPUS.name) {
        let is_busy = |series: &&&Series| {
            let mode = series.labels.get("mode").map_or("", String::as_str);
            series.name == vocabulary::HOST_CPU_TIME.name && !NOT_BUSY.contains(&mode)
        };
        let modes: Vec<_> = told.series.iter().filter(is_busy).map(|series| told.grid.column(series)).collect();
        facts.derive(DiagnosisSignal::CpuUse, "host_cpu_time over host_cpus", |_, i| {
            let busy = modes.iter().filter_map(|mode| mode[i]).reduce(|a, b| a + b)?;
            Some(busy / processors[i].filter(|processors| *processors > 0.0)?)
        });
    }
    if let Some(percent) = told.get("CPUUtilization") {
        facts.put(
            DiagnosisSignal::CpuUse,
            "CPUUtilization",
            percent.into_iter().map(|p| p.map(|p| p / 100.0)).collect(),
        );
    }
}

fn engine(facts: &mut SubjectFacts, told: &Told<'_>) {
    let (stalls, throttles) = (told.get(vocabulary::STALL_TIME.name), told.get(vocabulary::THROTTLE_TIME.name));
    let at = |column: &Option<Vec<Option<f64>>>, i: usize| column.as_ref().and_then(|column| column[i]);
    facts.derive(DiagnosisSignal::HeldBack, "stall_time + throttle_time", |_, i| {
        match (at(&stalls, i), at(&throttles, i)) {
            (None, None) => None,
            (stall, throttle) => Some(stall.unwrap_or(0.0) + throttle.unwrap_or(0.0)),
        }
    });
    for (signal, name) in [
        (DiagnosisSignal::PendingBytes, vocabulary::PENDING_COMPACTION_BYTES.name),
        (DiagnosisSignal::Level0Files, vocabulary::LEVEL0_FILES.name),
    ] {
        if let Some(values) = told.get(name) {
            facts.put(signal, name, values);
        }
    }
    let (time, syncs) = (told.get(vocabulary::RAFT_LOG_SYNC_TIME.name), told.get(vocabulary::RAFT_LOG_SYNCS.name));
    facts.derive(DiagnosisSignal::SyncLatency, "raft_log_sync_time over raft_log_syncs", |_, i| {
        Some(at(&time, i)? / at(&syncs, i).filter(|syncs| *syncs > 0.0)?)
    });
}

/// What the engine does to its data disk, and the log to it.
fn data(facts: &mut SubjectFacts, told: &Told<'_>, disks: &[SubjectFacts], known: &KnownFacts) {
    let node = facts.subject.node.clone();
    let is = |disk: &&SubjectFacts, names: &[&str]| names.iter().any(|name| disk.subject.disk.ends_with(name));
    let log = disks.iter().find(|disk| is(disk, &["log", "raft", "redo"]));
    let others = disks.iter().filter(|disk| log.is_none_or(|log| disk.subject != log.subject));
    let Some(data) = disks.iter().find(|disk| is(disk, &["data", "kv"])).or_else(|| others.clone().next()) else {
        return;
    };
    let sync_told = facts.columns.contains_key(&DiagnosisSignal::SyncLatency);
    let shared = known.separate_log(&node).map_or(log.is_none() && sync_told, |separate| !separate);
    facts.derive(DiagnosisSignal::LogOnData, "the deployment", |_, _| Some(f64::from(u8::from(shared))));
    let home = if shared { Some(data) } else { log };
    let model = home.and_then(|disk| disk.limits.clone());
    let (bytes, syncs) = (told.get(vocabulary::RAFT_LOG_BYTES.name), told.get(vocabulary::RAFT_LOG_SYNCS.name));
    if let Some(limits) = model {
        facts.derive(DiagnosisSignal::SyncExcess, "raft_log_sync_time over the disk model's", |facts, i| {
            let size = bytes.as_ref()?[i]? / syncs.as_ref()?[i].filter(|syncs| *syncs > 0.0)?;
            let median = limits.service.median(IoDirection::Write, Bytes(size as u64), 0.0);
            Some(facts.at(DiagnosisSignal::SyncLatency, i)? / limits.service.mean(median))
        });
    }
    let same = [
        (DiagnosisSignal::DataReadShare, DiagnosisSignal::ReadShare),
        (DiagnosisSignal::DataReadSize, DiagnosisSignal::ReadSize),
        (DiagnosisSignal::DataBound, DiagnosisSignal::BoundAny),
    ];
    for (signal, of) in same {
        if let Some(drawn) = data.columns.get(&of) {
            facts.draw(signal, drawn.clone());
        }
    }
    let of = [
        (DiagnosisSignal::DataBoundIops, [DiagnosisSignal::BoundVolumeIops, DiagnosisSignal::BoundInstanceIops]),
        (
            DiagnosisSignal::DataBoundThroughput,
            [DiagnosisSignal::BoundVolumeThroughput, DiagnosisSignal::BoundInstanceThroughput],
        ),
    ];
    for (signal, of) in of {
        facts.derive(signal, "the data disk", |_, i| of.iter().filter_map(|of| data.at(*of, i)).reduce(f64::max));
    }
    let uses = [
        DiagnosisSignal::IopsUse,
        DiagnosisSignal::ThroughputUse,
        DiagnosisSignal::InstanceIopsUse,
        DiagnosisSignal::InstanceThroughputUse,
    ];
    facts.derive(DiagnosisSignal::DataUse, "use of the data disk's limits", |_, i| {
        uses.iter().filter_map(|signal| data.at(*signal, i)).reduce(f64::max)
    });
    let (read, written) =
        (told.get(vocabulary::COMPACTION_READ_BYTES.name), told.get(vocabulary::COMPACTION_WRITE_BYTES.name));
    let around = (JOB.as_secs_f64() / facts.grid.step.as_secs_f64()) as usize;
    facts.derive(DiagnosisSignal::CompactionShare, "compaction_read_bytes + compaction_write_bytes", |facts, i| {
        let (read, written) = (read.as_ref()?, written.as_ref()?);
        let within = i.saturating_sub(around)..(i + around + 1).min(facts.grid.count);
        let both = within.filter_map(|i| Some((read[i]? + written[i]?, data.at(DiagnosisSignal::Throughput, i)?)));
        let (compacted, all) = both.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (all > 0.0).then(|| (compacted / all).min(1.0))
    });
}

fn cache(facts: &mut SubjectFacts, told: &Told<'_>, known: &KnownFacts) {
    let (hits, misses) = (told.get(vocabulary::BLOCK_CACHE_HITS.name), told.get(vocabulary::BLOCK_CACHE_MISSES.name));
    facts.derive(DiagnosisSignal::CacheMissShare, "block_cache_misses over all", |_, i| {
        let (hits, misses) = (hits.as_ref()?[i]?, misses.as_ref()?[i]?);
        (hits + misses > 0.0).then(|| misses / (hits + misses))
    });
    // InnoDB's cache of blocks is its buffer pool of pages.
    let (asked, missed) =
        (told.get(vocabulary::BUFFER_POOL_REQUESTS.name), told.get(vocabulary::BUFFER_POOL_MISSES.name));
    if asked.is_some() {
        facts.derive(DiagnosisSignal::CacheMissShare, "buffer_pool_misses over all", |_, i| {
            Some(missed.as_ref()?[i]? / asked.as_ref()?[i].filter(|asked| *asked > 0.0)?)
        });
    }
    let Some(memory) = facts.instance.as_ref().map(|instance| instance.memory.as_f64()) else { return };
    let held = told.get(vocabulary::BLOCK_CACHE_BYTES.name);
    let set = known.settings().and_then(|settings| settings.block_cache);
    facts.derive(
        DiagnosisSignal::CacheOfMemory,
        set.map_or(vocabulary::BLOCK_CACHE_BYTES.name, |_| "the setting"),
        |_, i| {
            let bytes = set.map(Bytes::as_f64).or_else(|| held.as_ref()?[i])?;
            Some(bytes / memory)
        },
    );
    if let Some(settings) = known.settings() {
        let size = settings.block_size.unwrap_or(BLOCK).as_f64();
        facts.derive(DiagnosisSignal::BlockSize, "the setting", |_, _| Some(size));
    }
}

/// Of node and disks: the largest of what holds a disk up.
pub(super) fn any_bound(disk: &mut SubjectFacts) {
    larger(
        disk,
        DiagnosisSignal::BoundAny,
        &[
            DiagnosisSignal::BoundVolumeIops,
            DiagnosisSignal::BoundVolumeThroughput,
            DiagnosisSignal::BoundInstanceIops,
            DiagnosisSignal::BoundInstanceThroughput,
        ],
    );
}
