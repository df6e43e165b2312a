//! What is compared, and what a run of it shows.

use catalog::Catalog;
use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use simulate::{Constants, EventScript, SimulationOptions, WriteRateTuner, simulate};
use textfile::Text;
use timeline::{SeriesPoints, Timeline};
use units::{Bytes, BytesPerSec, Nanos};
use workload::{Engine, OperationProfile, Task};

use crate::figures::{Figures, values};
use crate::phases::{MIX, events, sequence};

/// Virtual time of a sequence, and what of it is not measured.
pub(crate) const SPAN: Nanos = Nanos::secs(600);
const WARM_UP: Nanos = Nanos::secs(30);
/// Operations a second of the steady phase. With rows of 32 KiB it asks for half of the disk.
const RATE: f64 = 200.0;
/// The disk: a gp3 as it comes, 125 MiB/s.
const DISK: &str = "gp3:500GiB";
/// An hour is pressed into ten minutes, and so is what may wait for compaction: a sixth of TiKV's limits.
const PRESSED: f64 = 6.0;
/// Fixed rates, MiB/s.
const FIXED: [f64; 7] = [10.0, 12.5, 16.0, 20.0, 25.0, 32.0, 40.0];

/// A way to limit compactions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arm {
    pub(crate) name: String,
    tuner: WriteRateTuner,
    rate: Option<BytesPerSec>,
    pilot: compaction_control::Constants,
}

impl Arm {
    fn new(name: &str, tuner: WriteRateTuner, rate: Option<f64>) -> Self {
        let rate = rate.map(BytesPerSec::mib);
        Self { name: name.to_owned(), tuner, rate, pilot: *compaction_control::Constants::embedded() }
    }

    /// The pilot's limiter, with constants replaced as `horizon=60,polite=0.8` says.
    pub(crate) fn pilot(constants: &str) -> Self {
        let mut arm = Self::new("pilot", WriteRateTuner::Pilot, None);
        for (name, value) in constants.split(',').filter_map(|pair| pair.split_once('=')) {
            let value = value.parse().expect("a number");
            arm.pilot = arm.pilot.with(name, value).expect("a constant of the limiter");
            arm.name = format!("pilot {constants}");
        }
        arm
    }

    /// No limit, and those of RocksDB and TiKV. The ceiling of 0.6 of the throughput is what `render` writes.
    pub(crate) fn others() -> Vec<Self> {
        vec![
            Self::new("no limit", WriteRateTuner::Fixed, None),
            Self::new("RocksDB's auto-tune, ceiling 125 MiB/s", WriteRateTuner::Rocksdb, Some(125.0)),
            Self::new("TiKV's formula, ceiling 10 GiB/s", WriteRateTuner::Tikv, None),
            Self::new("TiKV's formula, ceiling 75 MiB/s", WriteRateTuner::Tikv, Some(75.0)),
        ]
    }

    fn fixed(rate: f64) -> Self {
        Self::new(&format!("fixed at {rate} MiB/s"), WriteRateTuner::Fixed, Some(rate))
    }

    /// All fixed rates.
    pub(crate) fn fixed_rates() -> Vec<Self> {
        FIXED.map(Self::fixed).to_vec()
    }

    /// These fixed rates, in MiB/s: `10,25`.
    pub(crate) fn fixed_at(rates: &str) -> Vec<Self> {
        rates.split(',').map(|rate| Self::fixed(rate.parse().expect("a number of MiB/s"))).collect()
    }
}

/// Bytes that wait for compaction when flow control begins.
pub(crate) fn flow_control() -> f64 {
    Constants::embedded().soft_pending / PRESSED
}

fn task() -> Task {
    let [point_reads, scans, updates] = MIX;
    let profile = OperationProfile::raw_keys(Bytes::kib(32), Bytes::gib(150), 0.6);
    Task::open_loop(Engine::TiKv, OperationProfile { point_reads, scans, rows_per_scan: 8.0, updates, ..profile }, RATE)
}

/// One run of an arm on the sequence of a seed.
pub(crate) fn run(arm: &Arm, seed: u64, span: Nanos) -> Figures {
    let group = NodeGroup {
        role: NodeRole::Storage,
        count: 1,
        instance: "m5.2xlarge".to_owned(),
        data: Some(DISK.parse().expect("a disk")),
        log: None,
    };
    let deployment = Deployment {
        name: String::new(),
        engine: Engine::TiKv,
        region: "us-west-2".to_owned(),
        as_of: None,
        zones: 1,
        nodes: vec![group],
        settings: EngineSettings { replicas: Some(1), rate_limit: arm.rate, ..EngineSettings::default() },
        asks: None,
    };
    let script =
        EventScript::from_text(&Text::new("phases.toml", events(&sequence(seed, span.as_secs_f64())))).expect("events");
    let c = Constants::embedded();
    let constants =
        c.with("soft_pending", flow_control()).and_then(|c| c.with("hard_pending", c.hard_pending / PRESSED));
    let options = SimulationOptions {
        constants: constants.expect("constants of the simulation"),
        seed,
        span,
        warm_up: WARM_UP,
        tuner: Some(arm.tuner),
        pilot: arm.pilot,
        script,
        ..SimulationOptions::default()
    };
    let run = simulate(&deployment, &task(), &Catalog::embedded().at(None), &options).expect("it can start");
    let latencies = latencies(&run.timeline);
    let [pending, rates, l0] = ["pending_compaction_bytes", "rate_limit_bytes_per_second", "level0_files"]
        .map(|name| values(&run.timeline, name));
    let changes = rates.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
    let an_hour = changes * 3600.0 / span.as_secs_f64();
    Figures::of(run.summary.operations_per_second, &latencies, [&pending, &l0], an_hour)
}

/// Latencies after the warm-up, of saturated runs too.
fn latencies(timeline: &Timeline) -> timeline::LatencyHistogram {
    let mut all = timeline::latencies();
    for series in timeline.series.iter().filter(|series| series.name == "latency") {
        if let SeriesPoints::Latencies(points) = &series.points {
            for point in points.iter().filter(|point| point.from >= WARM_UP) {
                all.add(&point.histogram).expect("all histograms are alike and grow");
            }
        }
    }
    all
}
