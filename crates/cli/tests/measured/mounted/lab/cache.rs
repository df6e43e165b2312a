//! A read cache: hits at the flash's latency, misses at the volume's, as often as a reference LRU says.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use disk::BehaviourConstants;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Bytes;

use super::figure::{Figure, Target};
use super::load::{self, Load, micros};
use super::rig::{Mounted, Rig};
use super::{Found, Length, instance, measured, model, spec};

const INSTANCE: &str = "m5d.2xlarge";
const DISK: &str = "gp3:10GiB+cache(nvme:64MiB)";
/// Four times the cache.
const SPAN: Bytes = Bytes::mib(256);
/// Blocks read cold, then warm: they fit the cache.
const WARM: u64 = 8192;

/// Reads of blocks, one after another.
struct Trace<'a> {
    name: &'static str,
    blocks: &'a [u64],
    /// Microseconds between an answer and the next read.
    pause: u32,
    /// How far off the median may be, or if it is only told. None of hits and misses mixed: between two peaks it says little.
    p50: Option<Option<f64>>,
}

/// The blocks of a set in order of use, the latest last. Slow and plain, to be held against.
struct ReferenceLru {
    blocks: Vec<u64>,
    capacity: usize,
}

impl ReferenceLru {
    /// Uses a block, and tells whether it was there.
    fn read(&mut self, block: u64) -> bool {
        // From the end: what is used again was mostly used lately.
        let there = self.blocks.iter().rposition(|b| *b == block);
        if let Some(at) = there {
            self.blocks.remove(at);
        } else if self.blocks.len() == self.capacity {
            self.blocks.remove(0);
        }
        self.blocks.push(block);
        there.is_some()
    }

    fn hits(&mut self, trace: &[u64]) -> u64 {
        trace.iter().map(|block| u64::from(self.read(*block))).sum()
    }
}

pub(super) fn hits_and_misses(length: Length) -> Found {
    let block = BehaviourConstants::embedded().cache_block.0;
    let instance = instance(INSTANCE)?;
    let spec = spec(DISK, Some(&instance))?;
    let capacity = spec.cache.as_ref().map_or(0, |cache| cache.limits.size.0 / block) as usize;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut cold: Vec<u64> = (0..SPAN.0 / block).step_by((SPAN.0 / block / WARM) as usize).collect();
    cold.shuffle(&mut rng);
    let mut warm = cold.clone();
    warm.shuffle(&mut rng);
    // Squares of uniform numbers: low blocks far more often than high ones, so that about half are hits.
    let count = length.pick(20_000, 100_000);
    let skewed: Vec<u64> = (0..count).map(|_| (rng.random::<f64>().powi(3) * (SPAN.0 / block) as f64) as u64).collect();
    // Hits one after another keep the processors awake, and the way to the disk is shorter than it was when measured at
    // mounting: what is taken off for it is too much for so short a latency. So they are told, and paced hits are held.
    let (at_once, paced) = warm.split_at(warm.len() / 2);
    let traces = [
        Trace { name: "never read before", blocks: &cold, pause: 0, p50: Some(Some(0.05)) },
        Trace { name: "read again, with 1 ms between", blocks: paced, pause: 1000, p50: Some(Some(0.1)) },
        Trace { name: "read again at once", blocks: at_once, pause: 0, p50: Some(None) },
        Trace { name: "skewed", blocks: &skewed, pause: 0, p50: None },
    ];

    measured(|| {
        let rig = Rig::new()?;
        let mounted = rig.mount(DISK, &["--instance", INSTANCE])?;
        let file = mounted.file("", SPAN)?;
        let ideal = model::one_by_one(&spec, &traces.each_ref().map(|trace| trace.blocks));
        let mut reference = ReferenceLru { blocks: Vec::new(), capacity };
        let mut figures = Vec::new();
        for (Trace { name, blocks, pause, p50 }, ideal) in traces.iter().zip(ideal) {
            let before = counted(&mounted)?;
            let seen = load::latency(&replay(&rig.path("trace"), &file, blocks, block, *pause)?)?;
            let after = counted(&mounted)?;
            let of = format!("{DISK} on {INSTANCE}, {} blocks {name}, depth 1", blocks.len());
            let (hits, all) = (after.0 - before.0, after.0 + after.1 - before.0 - before.1);
            let off = (hits / all - reference.hits(blocks) as f64 / blocks.len() as f64).abs() * 100.0;
            figures.push(Figure::new(&of, "hit rate off a reference LRU", "points", Target::AtMost(0.1), off));
            let ideal = ideal.percentile(0.5);
            match p50 {
                Some(Some(tolerance)) => {
                    let figure = Figure::new(&of, "p50", "µs", Target::Near(ideal, *tolerance), micros(seen.p50));
                    figures.push(figure.of_the_clock(length, 0.5));
                }
                Some(None) => {
                    let share = micros(seen.p50) / ideal;
                    figures.push(Figure::new(&of, "p50 over the model's", "times", Target::Nothing, share));
                }
                None => {}
            }
        }
        Ok(figures)
    })
}

/// Lets fio read the blocks one after another.
fn replay(
    log: &Path,
    file: &Path,
    trace: &[u64],
    block: u64,
    pause: u32,
) -> Result<probe::fio::JobReport, Box<dyn Error>> {
    let (log, name) = (super::rig::text(log)?, super::rig::text(file)?);
    let mut text = format!("fio version 2 iolog\n{name} add\n{name} open\n");
    for at in trace {
        writeln!(text, "{name} read {} {block}", at * block)?;
    }
    writeln!(text, "{name} close")?;
    fs::write(log, text)?;
    let mut job = Load::small(1.0, 1, SPAN).job(file, 0);
    (job.runtime, job.ramp, job.size) = (None, units::Nanos(0), None);
    job.extra.extend([format!("read_iolog={log}"), format!("thinktime={pause}")]);
    load::run(job)
}

/// Hits and misses so far.
fn counted(mounted: &Mounted<'_>) -> Result<(f64, f64), Box<dyn Error>> {
    let count = |result| mounted.metric("diskwright_disk_cache_reads_total", &format!("result=\"{result}\""));
    Ok((count("hit")?, count("miss")?))
}
