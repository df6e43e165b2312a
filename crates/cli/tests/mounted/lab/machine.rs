//! The machine's processors: how busy they are, with what is measured and without.

use std::error::Error;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// What neighbours take from and add to a latency in microseconds: the way to the disk, which is taken off, is not as long as
/// it was a second before, and a sleeping processor wakes later.
pub(crate) const LATE: (f64, f64) = (100.0, 250.0);
/// How much slower than a limit neighbours make a rate, as a share of it; none makes it faster.
pub(crate) const SHARED: f64 = 0.4;

/// Other programs may keep this share of the processors busy before something is measured.
const QUIET: f64 = 0.15;
/// How long the share is looked at, and how long a quiet moment is waited for.
const LOOK: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(10);

/// Seconds that all processors together were busy and idle since the machine started; the kernel counts in hundredths
/// (proc(5), USER_HZ).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Processors {
    pub(crate) busy: f64,
    idle: f64,
}

impl Processors {
    pub(crate) fn now() -> Result<Self, Box<dyn Error>> {
        let stat = fs::read_to_string("/proc/stat")?;
        let line = stat.lines().next().ok_or("/proc/stat is empty")?;
        let ticks = line.split_whitespace().skip(1).map(str::parse::<u64>).collect::<Result<Vec<_>, _>>()?;
        match ticks.as_slice() {
            [user, nice, system, idle, iowait, irq, softirq, ..] => {
                let (busy, idle) = (user + nice + system + irq + softirq, idle + iowait);
                Ok(Self { busy: busy as f64 / 100.0, idle: idle as f64 / 100.0 })
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
        let (busy, idle) = (after.busy - before.busy, after.idle - before.idle);
        let share = busy / (busy + idle);
        if share <= QUIET {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            println!("other programs keep {:.0} % of the processors busy: measured all the same", share * 100.0);
            return Ok(());
        }
    }
}
