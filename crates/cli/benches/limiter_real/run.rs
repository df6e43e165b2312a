//! One run: the store settled, started as the arm has it, its disk given the share, and the phases sent.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bench::{PreparedDatabase, RunStage};
use cluster::{ClusterNode, TestBed};
use events::EventScript;
use reference_store::{PilotProcess, ReferenceStore, with_events};
use textfile::Text;
use timeline::Timeline;
use validation::MachineState;

use crate::Trouble;
use crate::arms::Arm;
use crate::figures::{Figures, values};
use crate::hand::Hand;
use crate::kept::Kept;
use crate::phases::{events, sequence};
use crate::setup::Setup;

/// Where mounted disks are kept track of, in the scratch folder.
pub(crate) const HOME: &str = "run";
/// The disk that the store gets a share of.
const DISK: &str = "data";
/// What a run left is worked off within this, at the whole disk's rate.
const SETTLE: Duration = Duration::from_secs(900);
/// So much that is still to be compacted is not worth waiting for.
const SETTLED: f64 = 16.0 * 1024.0 * 1024.0;
/// A store that has just started elects its leaders and says nothing of compactions yet.
const STARTED: Duration = Duration::from_secs(5);

/// The node with its rows, on which all runs are.
pub(crate) struct Place {
    prepared: PreparedDatabase<ReferenceStore>,
    setup: Setup,
    lab: TestBed,
    stop: Arc<AtomicBool>,
}

impl Place {
    /// Starts the node and loads the rows.
    pub(crate) fn prepare(setup: Setup, lab: TestBed, seed: u64, stop: &Arc<AtomicBool>) -> Result<Self, Trouble> {
        let began = Instant::now();
        let mut told = 0;
        let prepared = PreparedDatabase::prepare(Some(&lab), setup.spec(seed, stop)?, &mut |stage| {
            if let RunStage::Loading(loading) = stage
                && loading.rows * 10 / loading.all.max(1) > told
            {
                told = loading.rows * 10 / loading.all.max(1);
                println!("loaded {told} of 10 parts, {:.0} s", began.elapsed().as_secs_f64());
            }
        })?;
        Ok(Self { prepared, setup, lab, stop: stop.clone() })
    }

    fn node(&self) -> Result<&ClusterNode, Trouble> {
        Ok(self.prepared.database().cluster().and_then(|cluster| cluster.nodes().first()).ok_or("there is no node")?)
    }

    /// An arm on the sequence of a seed: its figures, and all series.
    pub(crate) fn run(&mut self, arm: &Arm, seed: u64) -> Result<(Kept, Timeline), Trouble> {
        let setup = self.setup;
        self.settle()?;
        self.node()?.restart_with(&arm.keys(&setup))?;
        std::thread::sleep(STARTED);
        self.prepared.database().degrade(DISK, setup.share)?;
        let text = events(&sequence(seed, setup.seconds as f64));
        let script = EventScript::from_text(&Text::new("phases.toml", text))?;
        self.prepared.set_spec(with_events(self.prepared.spec().clone(), &script)?);
        let folder: PathBuf = self.lab.scratch.join(format!("pilot-{seed}"));
        let mut around = MachineState::start(&self.lab.scratch)?;
        let hand = Hand::begin(arm, &setup, (&self.lab, self.prepared.database()), &folder)?;
        // Arms of a sequence are sent the same operations at the same instants.
        let found = self.prepared.run(u32::try_from(seed)?, &mut |_| {});
        let changes = hand.end();
        let (found, busy) = (found?, around.look()?);
        keep_what_it_said(&folder)?;
        let an_hour = f64::from(changes?) * 3600.0 / setup.seconds as f64;
        let [pending, l0] = ["pending_compaction_bytes", "level0_files"].map(|name| values(&found.timeline, name));
        let done = found.throughput();
        let kept = Kept {
            setup: setup.of(arm),
            figures: Figures::of(done, &found.latencies(), [&pending, &l0], an_hour),
            failures: found.report.failures,
            dropped: found.report.backlog.dropped,
            flushed: found.used.flush_bytes,
            compacted: found.used.compaction_write_bytes,
            busy,
            machine: validation::machine(),
        };
        Ok((kept, found.timeline))
    }

    /// Waits until nothing is left to be compacted, with the whole disk and without a limit.
    fn settle(&self) -> Result<(), Trouble> {
        let node = self.node()?;
        node.heal()?;
        node.restart_with(&Arm::free(&self.setup))?;
        std::thread::sleep(STARTED);
        let began = Instant::now();
        loop {
            node.holds()?;
            if self.stop.load(Ordering::Relaxed) {
                return Err("interrupted".into());
            }
            let engine = node.engine()?;
            let is = |series| engine.get(series).unwrap_or(f64::INFINITY);
            if is("pending_compaction_bytes") <= SETTLED && is("memtables") == 0.0 {
                return Ok(());
            }
            if began.elapsed() > SETTLE {
                return Err(format!("{:.0} bytes still wait for compaction", is("pending_compaction_bytes")).into());
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// Takes all down.
    pub(crate) fn end(self) -> Result<(), Trouble> {
        self.prepared.stop()?.iter().for_each(|said| println!("{said}"));
        Ok(())
    }
}

/// What a pilot said goes to who watches, where it is more than its greeting; its folder goes.
fn keep_what_it_said(folder: &Path) -> Result<(), Trouble> {
    let usual = |line: &String| [RATE_SET, STAYS].iter().any(|word| line.contains(word));
    PilotProcess::said(folder).iter().filter(|line| !usual(line)).for_each(|line| println!("  pilot: {line}"));
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// What it says of each change, and after it.
const RATE_SET: &str = "rate-bytes-per-sec";
const STAYS: &str = "its changes stay";
