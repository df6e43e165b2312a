//! A gp2 that runs out of burst credits: when, and what its balance says meanwhile.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::SystemTime;

use catalog::BurstBucket;
use disk::CreditBalance;
use serde_json::Value;
use timeline::Timeline;
use units::{Bytes, Nanos};

use super::figure::{Figure, Target};
use super::load::{Answers, Load, Window};
use super::machine::SHARED;
use super::rig::{Mounted, Rig, text};
use super::{Found, Length, limits_of, measured};

/// The smallest rate that a gp2 sustains, so that credits go fastest.
const DISK: &str = "gp2:33GiB";
const SPAN: Bytes = Bytes::mib(64);
/// The fall of the rate is looked for in windows of so many seconds.
const WINDOW: f64 = 0.1;
/// So many windows are a second.
const SECOND: usize = 10;
/// How long the load goes on after the credits are gone.
const AFTER: u64 = 8;

pub(super) fn run_out(length: Length) -> Found {
    measured(|| once(length))
}

fn once(length: Length) -> Found {
    let start = length.pick("1%", "10%");
    let rig = Rig::new()?;
    let limits = limits_of(DISK, None)?;
    let Some(BurstBucket::IoCredits { iops: burst, capacity }) = limits.burst else {
        return Err(format!("{DISK} has no I/O credits").into());
    };
    let mounted = rig.mount(DISK, &["--credits", start])?;
    let file = mounted.file("", SPAN)?;
    let credits = mounted.metric("diskwright_disk_credits{", "unit=\"ios\"")?;
    let before = now()?;
    let balance = CreditBalance { now: credits, capacity, accrual: limits.iops.0 };
    let lasts = balance.time_to_exhaustion(burst.0).ok_or("the credits never run out")?.as_secs_f64();

    let load = Load::small(1.0, 64, SPAN);
    let mut job = load.job(&file, lasts as u64 + AFTER);
    job.ramp = Nanos(0);
    let watch = Watch::start(&rig, &mounted)?;
    let record = Record::start(&rig, &mounted, lasts as u64 + AFTER)?;
    let (_, answers) = Answers::of(job, &rig.path("answers"))?;
    let told = watch.stop()?;
    let recorded = record.stop()?;

    // The rate fell in the middle of the first second that is more slow than fast: one slow window may be a neighbour's.
    let between = (burst.0 + limits.iops.0) / 2.0 * WINDOW;
    let windows: Vec<usize> = answers.windows(WINDOW).iter().map(Window::count).collect();
    let slow = |second: &[usize]| (second.iter().sum::<usize>() as f64) < between * second.len() as f64;
    let fell = windows.windows(SECOND).position(slow).ok_or("the credits did not run out")? + SECOND / 2;
    // The book kept beside it, from nothing but fio's answers.
    let book = |at: f64| (credits + limits.iops.0 * (at - before) - answers.until(at) as f64).clamp(0.0, capacity);
    let off: Vec<f64> = told.iter().map(|(at, balance)| (balance - book(*at)).abs()).collect();
    let furthest = off.iter().copied().fold(0.0, f64::max);
    let cloud = recorded.iter().map(|point| (point.percent - point.mean(book) / capacity * 100.0).abs());
    let cloud = cloud.reduce(f64::max).ok_or("BurstBalance is not in the recorded Timeline")?;

    let of = format!("{DISK} with {start} of its credits, {}", load.name());
    let figure = |what, unit, target, measured| Figure::new(&of, what, unit, target, measured);
    Ok(vec![
        figure("credits run out after", "s", Target::Near(lasts, 0.02), fell as f64 * WINDOW)
            .with_neighbours(length, (0.0, SHARED / (1.0 - SHARED) * lasts)),
        figure("balances compared", "", Target::AtLeast(lasts / 2.0), off.len() as f64),
        figure("balance off what fio spent, at most", "points", Target::AtMost(1.0), furthest / capacity * 100.0),
        figure("the same as a share of the credits", "%", Target::AtMost(2.0), furthest / credits * 100.0),
        figure("BurstBalance off what fio spent, at most", "points", Target::AtMost(1.0), cloud),
        figure(
            "the same as a share of the credits",
            "%",
            Target::AtMost(2.0),
            cloud / 100.0 * capacity / credits * 100.0,
        ),
    ])
}

/// Seconds since the Unix epoch.
fn now() -> Result<f64, Box<dyn Error>> {
    Ok(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs_f64())
}

/// `diskwright disks --watch`, and the balances it tells.
struct Watch {
    child: Child,
    told: mpsc::Receiver<(f64, f64)>,
}

impl Watch {
    fn start(rig: &Rig, mounted: &Mounted<'_>) -> Result<Self, Box<dyn Error>> {
        let mut command = rig.command(&["disks", text(&mounted.dir)?, "--watch", "--json"]);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("no output to read")?).lines();
        let (send, told) = mpsc::channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // What cannot be read is found missing when the balances are counted.
                let document: Value = serde_json::from_str(&line).unwrap_or_default();
                let balance = document.pointer("/nodes/0/disks/0/now/ios/now").and_then(Value::as_f64);
                if let (Some(balance), Ok(at)) = (balance, now()) {
                    _ = send.send((at, balance));
                }
            }
        });
        Ok(Self { child, told })
    }

    /// When, and how many credits were left.
    fn stop(mut self) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(self.told.iter().collect())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It never ends by itself; one that was stopped is only waited for again.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// `diskwright record` of a command that does nothing.
struct Record {
    child: Child,
    out: std::path::PathBuf,
}

/// A point of BurstBalance, in seconds since the Unix epoch.
struct Recorded {
    from: f64,
    until: f64,
    percent: f64,
}

impl Recorded {
    /// The mean of a function over its time.
    fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        const STEPS: u32 = 1000;
        let at = |i: u32| self.from + (self.until - self.from) * (f64::from(i) + 0.5) / f64::from(STEPS);
        (0..STEPS).map(|i| of(at(i))).sum::<f64>() / f64::from(STEPS)
    }
}

impl Record {
    fn start(rig: &Rig, mounted: &Mounted<'_>, seconds: u64) -> Result<Self, Box<dyn Error>> {
        let out = rig.path("credits.json");
        let seconds = seconds.to_string();
        let args = ["record", text(&mounted.dir)?, "--out", text(&out)?, "--", "sleep", &seconds];
        Ok(Self { child: rig.command(&args).stdout(Stdio::null()).spawn()?, out })
    }

    fn stop(mut self) -> Result<Vec<Recorded>, Box<dyn Error>> {
        let status = self.child.wait()?;
        if !status.success() {
            return Err(format!("diskwright record: {status}").into());
        }
        let timeline = Timeline::read(&self.out)?;
        let start =
            timeline.about.start.ok_or("the Timeline does not tell when it began")?.as_nanosecond() as f64 / 1e9;
        let instant = |at: Nanos| start + at.as_secs_f64();
        let points = timeline.select("BurstBalance", &[]).flat_map(|series| series.points());
        Ok(points.map(|p| Recorded { from: instant(p.from), until: instant(p.until), percent: p.value }).collect())
    }
}
