//! Whose hand is on the rate while a run lasts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cluster::{ClusterNode, EngineCounters, TestBed};
use reference_store::{PilotProcess, ReferenceStore};
use serde_json::{Map, Value};
use units::{Bytes, BytesPerSec};

use crate::Trouble;
use crate::arms::{Arm, Who};
use crate::setup::Setup;
use crate::tikv::Tuning;

const RATE: &str = "rocksdb.rate-bytes-per-sec";
/// From one look to the next, TiKV's and the pilot's.
const LOOK: Duration = Duration::from_secs(1);
/// TiKV is in a hurry from these shares of the thresholds of L0 files and of pending bytes on: tikv/rocksdb 8.10, db/column_family.cc.
const HURRY: (f64, f64) = (0.8, 0.5);
/// TiKV's `storage.flow-control.l0-files-threshold`.
const FILES: f64 = 20.0;

/// Who changes the rate, and who counts how often it changes.
pub(crate) struct Hand {
    pilot: Option<PilotProcess>,
    threads: Vec<JoinHandle<Result<u32, Trouble>>>,
    over: Arc<AtomicBool>,
}

impl Hand {
    /// Begins. `folder` gets what the pilot keeps and says.
    pub(crate) fn begin(
        arm: &Arm,
        setup: &Setup,
        (lab, store): (&TestBed, &ReferenceStore),
        folder: &Path,
    ) -> Result<Self, Trouble> {
        let cluster = store.cluster().ok_or("there is no cluster")?;
        let node = cluster.nodes().first().ok_or("there is no node")?;
        let over = Arc::<AtomicBool>::default();
        let mut threads = vec![std::thread::spawn({
            let (node, over) = (node.clone(), over.clone());
            move || count(&node, &over)
        })];
        let mut pilot = None;
        match arm.who {
            Who::Pilot(_) => pilot = Some(PilotProcess::start(lab, cluster, setup.share, folder)?),
            Who::Tikv(ceiling) => threads.push(std::thread::spawn({
                let (node, over, setup) = (node.clone(), over.clone(), *setup);
                move || tune(&node, &setup, ceiling, &over)
            })),
            Who::Fixed(_) | Who::Rocksdb(_) => {}
        }
        Ok(Self { pilot, threads, over })
    }

    /// Ends; how often the rate changed.
    pub(crate) fn end(mut self) -> Result<u32, Trouble> {
        self.over.store(true, Ordering::Relaxed);
        self.pilot.take().map(PilotProcess::end).transpose()?;
        let mut changes = 0;
        for thread in self.threads.drain(..) {
            changes += thread.join().map_err(|_| "a thread beside the run panicked")??;
        }
        Ok(changes)
    }
}

impl Drop for Hand {
    /// The threads of a run that failed end.
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// How often the rate that is set is another, as one who looks each second sees it.
fn count(node: &ClusterNode, over: &AtomicBool) -> Result<u32, Trouble> {
    let (mut changes, mut last) = (0, None);
    each_second(over, |_| {
        // A store that is busy answers later.
        let Ok(config) = node.config() else { return Ok(()) };
        let rate = config.pointer("/rocksdb/rate-bytes-per-sec").map(ToString::to_string);
        if last.is_some() && rate.is_some() && rate != last {
            changes += 1;
        }
        last = rate.or(last.take());
        Ok(())
    })?;
    Ok(changes)
}

/// TiKV's formula, told what the store's metrics tell. It knows disks as they come: it sees, and says, rates of the whole disk.
fn tune(node: &ClusterNode, setup: &Setup, ceiling: f64, over: &AtomicBool) -> Result<u32, Trouble> {
    let (most, soft) = (BytesPerSec::mib(ceiling).0, setup.soft_pending().as_f64());
    let (mut tuning, mut rate, mut was) = (Tuning::new(), most / 2.0, None::<EngineCounters>);
    each_second(over, |passed| {
        let Ok(now) = node.engine() else { return Ok(()) };
        if let Some(was) = &was {
            let grown = |series| now.grown(was, series).unwrap_or(0.0) / setup.share;
            tuning.add(grown("flush_bytes"), true);
            tuning.add(grown("compaction_write_bytes"), false);
        }
        let is = |series| now.get(series).unwrap_or(0.0);
        let hurry = is("level0_files") >= HURRY.0 * FILES || is("pending_compaction_bytes") >= HURRY.1 * soft;
        was = Some(now);
        let Some(new) = tuning.tune(passed.as_secs_f64(), rate, most, hurry) else { return Ok(()) };
        if new != rate {
            rate = new;
            let bytes = Bytes((rate * setup.share) as u64);
            // As above: the next look sets it.
            let _ = node.change(&Map::from_iter([(RATE.to_owned(), Value::from(bytes.to_string()))]));
        }
        Ok(())
    })?;
    // They are counted by who looks.
    Ok(0)
}

/// Looks each second until it is over, told how much time has passed.
fn each_second(over: &AtomicBool, mut look: impl FnMut(Duration) -> Result<(), Trouble>) -> Result<(), Trouble> {
    let began = Instant::now();
    let mut next = began;
    while !over.load(Ordering::Relaxed) {
        if Instant::now() < next {
            std::thread::sleep(LOOK / 20);
            continue;
        }
        next += LOOK;
        look(began.elapsed())?;
    }
    Ok(())
}
