//! Flow control of a running node: a thread that asks the engine, and what writes pass through.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flow_control::WriteBucket;
use parking_lot::{Condvar, Mutex};

use super::checker::Checker;
use super::constants::{SAMPLE, SCALE, TICK};
use super::{EnginePressure, FlowSettings, metrics, nanos};
use crate::ServerError;

/// While it waits, a write looks this often whether the limit is gone: TiKV's `Scheduler::process`.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// The flow controller of a node, for changes while it runs.
pub struct FlowControl {
    settings: Mutex<FlowSettings>,
    enabled: AtomicBool,
    /// The share of writes to refuse, times [`SCALE`].
    refused: AtomicU32,
    limited: AtomicBool,
    /// Bytes written since the last tick.
    written: AtomicU64,
    bucket: Mutex<WriteBucket>,
    /// Held by the one write that waits, so that a higher speed counts at once and writes pass in turn.
    turn: Mutex<()>,
    began: Instant,
    stopped: (Mutex<bool>, Condvar),
}

impl FlowControl {
    /// Without limits, until somebody samples.
    pub(crate) fn new(settings: FlowSettings) -> Self {
        Self {
            enabled: AtomicBool::new(settings.enable),
            settings: Mutex::new(settings),
            refused: AtomicU32::new(0),
            limited: AtomicBool::new(false),
            written: AtomicU64::new(0),
            bucket: Mutex::new(WriteBucket::unlimited()),
            turn: Mutex::new(()),
            began: Instant::now(),
            stopped: (Mutex::new(false), Condvar::new()),
        }
    }

    /// Starts the thread that asks the engine.
    pub(crate) fn watch(self: &Arc<Self>, pressure: Arc<dyn EnginePressure>) -> Result<JoinHandle<()>, ServerError> {
        let (name, control) = ("flow-checker", self.clone());
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || control.run(&*pressure));
        thread.map_err(|source| ServerError::Thread { name: name.to_owned(), source })
    }

    /// Ends the thread, and lets waiting writes pass.
    pub(crate) fn stop(&self) {
        *self.stopped.0.lock() = true;
        self.stopped.1.notify_all();
        self.limit(f64::INFINITY);
    }

    /// The settings as they are.
    pub fn settings(&self) -> FlowSettings {
        self.settings.lock().clone()
    }

    /// Changes settings; they take effect at the engine's next flush or compaction. Switching off takes effect at once.
    pub fn set(&self, settings: FlowSettings) {
        let enable = settings.enable;
        *self.settings.lock() = settings;
        self.enabled.store(enable, Ordering::Relaxed);
        if !enable {
            self.refused.store(0, Ordering::Relaxed);
            self.limit(f64::INFINITY);
        }
    }

    /// Whether to refuse a write: at random, as often as the engine is behind.
    pub(crate) fn refuses(&self) -> bool {
        let refused = self.refused.load(Ordering::Relaxed);
        refused != 0 && rand::random_range(0..SCALE as u32) < refused
    }

    /// Whether writes pass without waiting.
    pub(crate) fn unlimited(&self) -> bool {
        !self.limited.load(Ordering::Relaxed)
    }

    /// Counts bytes that pass without waiting.
    pub(crate) fn count(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Waits for the turn of a write of so many bytes, at most until a deadline. Answers whether it may pass.
    pub(crate) fn wait(&self, bytes: u64, deadline: Instant) -> bool {
        if self.unlimited() {
            self.count(bytes);
            return true;
        }
        let since = Instant::now();
        let turn = self.turn.lock();
        let end = Instant::now() + self.take(bytes);
        let mut passes = true;
        while !self.unlimited() {
            let now = Instant::now();
            if now >= end {
                break;
            }
            if now >= deadline {
                self.bucket.lock().give_back(bytes as f64);
                passes = false;
                break;
            }
            std::thread::sleep(LOOK_AGAIN.min(end - now));
        }
        drop(turn);
        if passes {
            self.count(bytes);
        }
        metrics::THROTTLED.observe(since.elapsed().as_secs_f64());
        passes
    }

    fn take(&self, bytes: u64) -> Duration {
        Duration::from_nanos(self.bucket.lock().take(bytes as f64, nanos(self.began.elapsed())).0)
    }

    fn limit(&self, speed: f64) {
        self.bucket.lock().set_speed(speed, nanos(self.began.elapsed()));
        self.limited.store(speed.is_finite(), Ordering::Relaxed);
    }

    fn run(&self, pressure: &dyn EnginePressure) {
        let mut checker = Checker::new(self.began.elapsed());
        let mut ticked = self.began.elapsed();
        let mut speed = f64::INFINITY;
        loop {
            let now = self.began.elapsed();
            if now.saturating_sub(ticked) >= TICK {
                metrics::show_flow(checker.tick(now, self.written.swap(0, Ordering::Relaxed)));
                ticked = now;
            }
            let settings = self.settings();
            checker.sample(now, &settings, &pressure.per_cf());
            if !settings.enable {
                checker.reset(now);
            }
            metrics::show(&mut checker);
            self.refused.store((checker.refused() * SCALE) as u32, Ordering::Relaxed);
            let mut stopped = self.stopped.0.lock();
            if *stopped {
                return;
            }
            // Not while it stops: then all pass.
            if speed != checker.speed() {
                speed = checker.speed();
                self.limit(speed);
            }
            self.stopped.1.wait_for(&mut stopped, SAMPLE);
            if *stopped {
                return;
            }
        }
    }

    /// Whether it is switched on.
    pub(crate) fn enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CfPressure;
    use raftstore::ColumnFamily;

    /// An engine that is as far behind as the test says.
    struct Said(Mutex<CfPressure>);

    impl EnginePressure for Said {
        fn per_cf(&self) -> Vec<CfPressure> {
            vec![*self.0.lock()]
        }
    }

    fn until(what: &str, holds: impl Fn() -> bool) {
        let began = Instant::now();
        while !holds() {
            assert!(began.elapsed() < Duration::from_secs(20), "not within 20 s: {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn an_engine_that_is_behind_slows_writes_down_until_it_has_caught_up() {
        let none = CfPressure {
            cf: ColumnFamily::Default,
            l0_files: 0,
            immutable_memtables: 0,
            pending_compaction_bytes: 0,
            flushed_bytes: 0,
            l0_compacted_bytes: 0,
        };
        let engine = Arc::new(Said(Mutex::new(none)));
        let settings = FlowSettings { l0_files_threshold: 2, ..FlowSettings::default() };
        let control = Arc::new(FlowControl::new(settings));
        let thread = control.watch(engine.clone()).expect("there are threads");
        let later = || Instant::now() + Duration::from_secs(60);
        // Two ticks with writes, so that there is a flow to begin with; then each sample has one file more.
        let began = Instant::now();
        while began.elapsed() < TICK * 2 {
            assert!(control.wait(10_000, later()));
            std::thread::sleep(Duration::from_millis(10));
        }
        until("slowed down", || {
            engine.0.lock().l0_files += 1;
            std::thread::sleep(SAMPLE * 2);
            !control.unlimited()
        });
        assert!(!control.wait(100 << 20, Instant::now()), "a deadline ends the wait");
        let held = Instant::now();
        assert!(control.wait(200_000, later()));
        assert!(held.elapsed() > Duration::from_millis(100), "200 kB at some 1 MB/s or less: {:?}", held.elapsed());
        engine.0.lock().l0_files = 1;
        until("free", || control.unlimited());
        control.stop();
        thread.join().expect("it ends");
    }

    #[test]
    fn nothing_is_refused_when_it_is_switched_off() {
        let control = FlowControl::new(FlowSettings::default());
        control.refused.store(SCALE as u32, Ordering::Relaxed);
        assert!(control.refuses(), "all");
        control.set(FlowSettings { enable: false, ..FlowSettings::default() });
        assert!(!control.refuses() && !control.enabled());
    }
}
