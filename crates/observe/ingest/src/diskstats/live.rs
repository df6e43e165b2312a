//! Sampling as time goes by, on a clock and a file that tests replace.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use timeline::Timeline;
use units::Nanos;

use super::{DiskstatsOptions, DiskstatsSample, timeline};
use crate::GatherError;
use crate::stack::{self, MachineStack};

/// Where samples come from: the kernel's text, and the clocks.
pub trait SampleSource {
    /// The text of /proc/diskstats now.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self) -> io::Result<String>;
    /// The time by a clock that nobody sets, from any beginning.
    fn now(&mut self) -> Nanos;
    /// The time of day.
    fn wall(&mut self) -> Timestamp;
    /// What lies under which device; nothing where that is not known.
    fn layers(&mut self) -> MachineStack {
        MachineStack::new()
    }
    /// Waits until that time by [`now`](Self::now); false if there is no reason to go on.
    fn wait_until(&mut self, at: Nanos) -> bool;
}

/// How often and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleSchedule {
    /// From one sample to the next.
    pub every: Nanos,
    /// In all; `None` until the ground says that there is no reason to go on.
    pub span: Option<Nanos>,
}

/// Samples until the schedule's end. An interval that the machine slept through is one long point, not several.
///
/// # Errors
/// When the kernel's text cannot be read.
pub fn record(
    ground: &mut dyn SampleSource,
    schedule: SampleSchedule,
    options: &DiskstatsOptions,
) -> Result<Timeline, GatherError> {
    let every = Nanos(schedule.every.0.max(1));
    let (begin, start) = (ground.now(), ground.wall());
    let mut samples = Vec::new();
    let mut due = begin;
    loop {
        let text = ground.read().map_err(|error| {
            let hint = "expected a Linux kernel's counters of its block devices";
            GatherError::Environment(format!("/proc/diskstats cannot be read: {error}; {hint}"))
        })?;
        let now = ground.now();
        samples.push(DiskstatsSample::parse(&text, Nanos(now.0.saturating_sub(begin.0)))?);
        while due <= now {
            due = Nanos(due.0.saturating_add(every.0));
        }
        let over = schedule.span.is_some_and(|span| due.0 - begin.0 > span.0);
        if over || !ground.wait_until(due) {
            break;
        }
    }
    let (lasted, wall) = (ground.now(), ground.wall());
    let options = DiskstatsOptions { start: options.start.or(Some(start)), ..options.clone() };
    let mut timeline = timeline(&samples, &options)?;
    for (device, under) in ground.layers() {
        timeline.about.notes.insert(format!("{}{device}", stack::NOTE), under.join(" "));
    }
    let by_wall = (wall.as_nanosecond() - start.as_nanosecond()) as f64 / 1e9;
    let skew = by_wall - Nanos(lasted.0.saturating_sub(begin.0)).as_secs_f64();
    if skew.abs() >= 1.0 {
        let told = format!("the time of day was set by {skew:+.1} s meanwhile");
        timeline.about.notes.insert("clock".to_owned(), told);
    }
    Ok(timeline)
}

/// This machine.
pub struct LocalMachine {
    path: PathBuf,
    begin: Instant,
    /// Asked at least every tenth of a second while waiting.
    go_on: Box<dyn FnMut() -> bool>,
}

impl LocalMachine {
    /// Samples for as long as `go_on` says so.
    pub fn new(go_on: impl FnMut() -> bool + 'static) -> Self {
        Self { path: "/proc/diskstats".into(), begin: Instant::now(), go_on: Box::new(go_on) }
    }
}

impl SampleSource for LocalMachine {
    fn read(&mut self) -> io::Result<String> {
        std::fs::read_to_string(&self.path)
    }

    fn now(&mut self) -> Nanos {
        Nanos(u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn wall(&mut self) -> Timestamp {
        Timestamp::now()
    }

    fn layers(&mut self) -> MachineStack {
        stack::machine_stack(Path::new("/sys/block"))
    }

    fn wait_until(&mut self, at: Nanos) -> bool {
        while (self.go_on)() {
            let left = Nanos(at.0.saturating_sub(self.now().0));
            if left.0 == 0 {
                return true;
            }
            std::thread::sleep(Duration::from_nanos(left.0).min(Duration::from_millis(100)));
        }
        false
    }
}
