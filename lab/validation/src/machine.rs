//! What the machine did besides while something was measured on it: other programs, and processors lent to other machines.

use std::path::{Path, PathBuf};
use std::time::Instant;

use units::Nanos;

use crate::ValidateError;
use crate::wakeups::WakeUps;

/// What the machine did besides, as shares of all its processors.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MachineLoad {
    /// All that ran on them.
    pub all: f64,
    /// Programs that are none of ours.
    pub others: f64,
    /// What was lent to other machines.
    pub stolen: f64,
    /// Processors.
    pub processors: f64,
    /// How much later than at best, in the mean, a thread that runs before all others had woken up and done a little work.
    #[serde(default)]
    pub late: Nanos,
}

/// The machine as it was when it was last looked at.
#[derive(Debug)]
pub struct MachineState {
    scratch: PathBuf,
    from: Instant,
    all: Ticks,
    others: u64,
    wakeups: WakeUps,
}

/// Of the first line of `/proc/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticks {
    busy: u64,
    stolen: u64,
}

/// The machine that is measured on in a line: its processors and its kernel, as `/proc` tells them.
pub fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map_or("?", |(_, m)| m);
    let count = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{count} processors ({model}), Linux {}", kernel.split('-').next().unwrap_or_default().trim())
}

/// The kernel counts in hundredths of a second for programs, whatever its own tick (proc(5), `USER_HZ`).
const TICKS: f64 = 100.0;

/// The parent of all threads of the kernel.
const KTHREADD: u32 = 2;

impl MachineState {
    /// From now on. Ours is what has a path below `scratch` on its command line, this program, and the kernel.
    ///
    /// # Errors
    /// When `/proc` cannot be read, or no thread can be started.
    pub fn start(scratch: &Path) -> Result<Self, ValidateError> {
        let scratch = scratch.to_owned();
        let wakeups = WakeUps::start().map_err(ValidateError::machine("a thread that wakes up"))?;
        Ok(Self { from: Instant::now(), all: ticks()?, others: others(&scratch)?, scratch, wakeups })
    }

    /// Since the start or the last look, until now.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn look(&mut self) -> Result<MachineLoad, ValidateError> {
        let (now, all, others) = (Instant::now(), ticks()?, others(&self.scratch)?);
        let processors = std::thread::available_parallelism().map_or(1.0, |count| count.get() as f64);
        let there = (now - self.from).as_secs_f64() * processors * TICKS;
        let share = |ticks: u64| ticks as f64 / there.max(f64::MIN_POSITIVE);
        let busy = MachineLoad {
            all: share(all.busy.saturating_sub(self.all.busy)),
            others: share(others.saturating_sub(self.others)),
            stolen: share(all.stolen.saturating_sub(self.all.stolen)),
            processors,
            late: self.wakeups.late(),
        };
        (self.from, self.all, self.others) = (now, all, others);
        Ok(busy)
    }
}

fn read(path: &str) -> Result<String, ValidateError> {
    std::fs::read_to_string(path).map_err(ValidateError::machine(path))
}

fn ticks() -> Result<Ticks, ValidateError> {
    let stat = read("/proc/stat")?;
    parse_ticks(&stat).ok_or(ValidateError::NoProcessors)
}

fn parse_ticks(stat: &str) -> Option<Ticks> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
    match fields.as_slice() {
        [user, nice, system, _idle, _iowait, irq, softirq, stolen, ..] => {
            Some(Ticks { busy: user + nice + system + irq + softirq, stolen: *stolen })
        }
        _ => None,
    }
}

/// Processor time, in ticks, of all processes that are none of ours, with that of their children that have ended: what a process
/// took goes to its parent with its end, so that the sum loses nothing.
fn others(scratch: &Path) -> Result<u64, ValidateError> {
    let entries = std::fs::read_dir("/proc").map_err(ValidateError::machine("/proc"))?;
    let own = std::process::id();
    let scratch = scratch.display().to_string();
    let mut all = 0;
    for id in entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        // A process may end at any moment.
        let (Ok(stat), Ok(line)) = (read(&format!("/proc/{id}/stat")), read(&format!("/proc/{id}/cmdline"))) else {
            continue;
        };
        let Some((parent, ticks)) = parse_process(&stat) else { continue };
        let kernel = id == KTHREADD || parent == KTHREADD;
        if id != own && !kernel && !line.contains(&scratch) {
            all += ticks;
        }
    }
    Ok(all)
}

/// Parent and ticks of a process: fields 4 and 14 to 17 of its `stat` (proc(5)); the second may hold anything in brackets.
fn parse_process(stat: &str) -> Option<(u32, u64)> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let parent = fields.get(1)?.parse().ok()?;
    let ticks = fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some((parent, ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let stat = "77 (a) b (c) S 2 77 77 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 5";
        assert_eq!(parse_process(stat), Some((2, 100)));
        assert_eq!(parse_process("77 (short) S 2"), None);
    }

    #[test]
    fn idle_is_not_busy_and_stolen_is_apart() {
        let expected = Ticks { busy: 1 + 2 + 3 + 6 + 7, stolen: 8 };
        assert_eq!(parse_ticks("cpu  1 2 3 4 5 6 7 8 0 0\n"), Some(expected));
        assert_eq!(parse_ticks("intr 5"), None);
    }

    #[test]
    fn what_the_machine_does_is_seen() {
        let mut around = MachineState::start(Path::new("/no/such/folder")).unwrap();
        for _ in 0..2 {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let busy = around.look().unwrap();
            assert!(
                busy.others >= 0.0 && busy.processors >= 1.0 && busy.all >= 0.0 && busy.late > Nanos(0),
                "{busy:?}"
            );
        }
    }
}
