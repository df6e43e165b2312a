//! The machine's processors: how busy they are, with what is measured and without.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// What neighbours always may take from and add to a latency in microseconds: the way to the disk, which is taken off, is not
/// as long as it was a second before, and a sleeping processor wakes later.
pub(crate) const LATE: (f64, f64) = (100.0, 250.0);
/// How often a request waits for a processor on its way: when the disk takes it, when it is due, and when fio takes it back.
const WAKES: f64 = 3.0;
/// How much slower than a limit neighbours make a rate, as a share of it; none makes it faster.
pub(crate) const SHARED: f64 = 0.4;

/// How late the machine woke a thread that did nothing but sleep, beside what was measured: what a neighbour does to the
/// processors, whoever wants them.
#[derive(Debug)]
pub(crate) struct Lateness {
    /// Microseconds, in order.
    late: Vec<f64>,
}

/// Sleeps and looks at the clock, until it is stopped.
pub(crate) struct Sleeper {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Vec<f64>>,
}

impl Sleeper {
    pub(crate) fn start() -> Self {
        const NAP: Duration = Duration::from_millis(2);
        let over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&over);
        let thread = thread::spawn(move || {
            let mut late = Vec::new();
            while !told.load(Ordering::Relaxed) {
                let asleep = Instant::now();
                thread::sleep(NAP);
                late.push(asleep.elapsed().saturating_sub(NAP).as_secs_f64() * 1e6);
            }
            late
        });
        Self { over, thread }
    }

    pub(crate) fn stop(self) -> Lateness {
        self.over.store(true, Ordering::Relaxed);
        let mut late = self.thread.join().unwrap_or_default();
        late.sort_by(f64::total_cmp);
        Lateness { late }
    }
}

impl Lateness {
    /// Microseconds that a request was later than it would have been on a machine of its own, at this share of requests.
    pub(crate) fn of_a_request(&self, share: f64) -> f64 {
        let place = (self.late.len() as f64 * share) as usize;
        self.late.get(place).map_or(0.0, |late| late * WAKES)
    }
}

/// Other programs and machines may keep this share of the processors busy before something is measured.
const QUIET: f64 = 0.15;
/// How long the share is looked at, and how long a quiet moment is waited for.
const LOOK: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(20);

/// Seconds that all processors together were busy, idle, and lent to other machines since this one started; the kernel counts
/// in hundredths (proc(5), USER_HZ).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Processors {
    pub(crate) busy: f64,
    idle: f64,
    stolen: f64,
}

impl Processors {
    pub(crate) fn now() -> Result<Self, Box<dyn Error>> {
        let stat = fs::read_to_string("/proc/stat")?;
        let line = stat.lines().next().ok_or("/proc/stat is empty")?;
        let ticks = line.split_whitespace().skip(1).map(str::parse::<u64>).collect::<Result<Vec<_>, _>>()?;
        match ticks.as_slice() {
            [user, nice, system, idle, iowait, irq, softirq, stolen, ..] => {
                let (busy, idle) = (user + nice + system + irq + softirq, idle + iowait);
                let seconds = |ticks: u64| ticks as f64 / 100.0;
                Ok(Self { busy: seconds(busy), idle: seconds(idle), stolen: seconds(*stolen) })
            }
            _ => Err(format!("/proc/stat begins with {line}").into()),
        }
    }
}

/// Waits until other programs leave the processors alone; not for ever, but then it says so.
pub(crate) fn wait_for_quiet() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    loop {
        let before = Processors::now()?;
        thread::sleep(LOOK);
        let after = Processors::now()?;
        let (busy, idle) = (after.busy + after.stolen - before.busy - before.stolen, after.idle - before.idle);
        let share = busy / (busy + idle);
        if share <= QUIET {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            println!("others keep {:.0} % of the processors busy: measured all the same", share * 100.0);
            return Ok(());
        }
    }
}
