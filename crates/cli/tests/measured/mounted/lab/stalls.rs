//! Moments in which a processor of this machine ran nothing, though a thread of its own was due: its host had taken it away.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// How long each witness sleeps at a time.
const NAP: Duration = Duration::from_millis(2);
/// A witness that wakes so much later saw a stall. Programs of this machine's own let a thread that slept run within
/// milliseconds.
const STALL: f64 = 0.010;

/// From, to, in seconds since the Unix epoch.
type Spans = Vec<(f64, f64)>;

/// One witness on each processor, asleep most of the time.
pub(crate) struct Witnesses {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Result<Spans, nix::Error>>>,
}

impl Witnesses {
    pub(crate) fn start() -> Result<Self, Box<dyn Error>> {
        let allowed = sched_getaffinity(Pid::from_raw(0))?;
        let processors = (0..CpuSet::count()).filter(|at| allowed.is_set(*at).unwrap_or(false));
        let over = Arc::new(AtomicBool::new(false));
        let threads = processors
            .map(|processor| {
                let told = Arc::clone(&over);
                thread::spawn(move || watch(processor, &told))
            })
            .collect();
        Ok(Self { over, threads })
    }

    /// What they saw.
    pub(crate) fn stop(self) -> Result<Stalls, Box<dyn Error>> {
        self.over.store(true, Ordering::Relaxed);
        let mut stalls = Vec::new();
        for thread in self.threads {
            stalls.extend(thread.join().map_err(|_| "a witness of the processors panicked")??);
        }
        Ok(Stalls(stalls))
    }
}

fn watch(processor: usize, over: &AtomicBool) -> Result<Spans, nix::Error> {
    let mut own = CpuSet::new();
    own.set(processor)?;
    sched_setaffinity(Pid::from_raw(0), &own)?;
    let mut stalls = Vec::new();
    let mut asleep = epoch();
    while !over.load(Ordering::Relaxed) {
        thread::sleep(NAP);
        let awake = epoch();
        if awake - asleep > NAP.as_secs_f64() + STALL {
            stalls.push((asleep, awake));
        }
        asleep = awake;
    }
    Ok(stalls)
}

/// Seconds since the Unix epoch, as fio's log tells its answers.
fn epoch() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// When processors were away.
#[derive(Debug, Default)]
pub(crate) struct Stalls(Spans);

impl Stalls {
    /// Whether one was, at any moment between these.
    pub(crate) fn touch(&self, from: f64, to: f64) -> bool {
        self.0.iter().any(|&(away, back)| away < to && from < back)
    }
}
