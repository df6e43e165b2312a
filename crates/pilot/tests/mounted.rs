//! The pilot over a disk that is mounted on this machine: under more than its limit it grows and then serves it, and becomes
//! smaller when the load is gone. Its own program is the daemon, so this test has a `main` of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::Catalog;
use diagnose::Known;
use jiff::Timestamp;
use mount::{Client, Filesystem, Home, Request};
use pilot::twin::{MemoryAudit, MemoryLines, Twin};
use pilot::volumes::{Bridge, MemoryBook, Mounted, Resizer};
use pilot::{Clock, Journal, Pilot, Replay, SystemClock, World};
use resize::Policy;
use units::{Nanos, Usd};

/// A modification of 20 GiB takes seven minutes at AWS: here half a second.
const FAST_FORWARD: f64 = 1000.0;

const SMALL: f64 = 3000.0;

/// All disks away, also after a test that failed.
struct Place {
    home: Home,
    dir: PathBuf,
    _scratch: tempfile::TempDir,
}

impl Drop for Place {
    fn drop(&mut self) {
        for node in mount::nodes(&self.home) {
            if let Err(error) = mount::down(&self.home, &node.dir, true) {
                eprintln!("left behind: {error}");
            }
        }
    }
}

impl Place {
    fn up(disk: &str) -> Self {
        assert!(nix::unistd::geteuid().is_root(), "this test mounts a disk: run it as root");
        let scratch = tempfile::Builder::new().prefix("dw-pilot-").tempdir_in("/dev/shm").unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let home = Home::open(root.join("run"), std::env::current_exe().unwrap()).unwrap();
        let dir = root.join("db");
        let request = Request {
            backing: root.join("backing"),
            filesystem: Filesystem::Ext4,
            ..Request::single(&dir, disk.parse().unwrap())
        };
        mount::up(&home, &request).unwrap();
        Self { home, dir, _scratch: scratch }
    }

    fn client(&self) -> Client {
        Client::of(&mount::find(&self.home, &self.dir).unwrap()).unwrap()
    }

    /// I/Os a second over so long.
    fn iops(&self, over: Duration) -> f64 {
        let before = self.client().sample().unwrap();
        std::thread::sleep(over);
        let after = self.client().sample().unwrap();
        let count = |sample: &observe::NodeSample| sample.disks[0].read.count as f64;
        (count(&after) - count(&before)) / (after.at - before.at).as_secs_f64()
    }

    fn limit(&self) -> f64 {
        self.client().sample().unwrap().disks[0].iops_limit.unwrap().0
    }
}

/// Random reads with so many in flight, until it is dropped.
struct Load(Child);

impl Load {
    fn on(dir: &Path, depth: u32) -> Self {
        let file = format!("--filename={}", dir.join("file").display());
        let depth = format!("--iodepth={depth}");
        let options = ["--name=x", "--size=64M", "--direct=1", "--ioengine=libaio", "--rw=randread", "--bs=4k"];
        let mut fio = Command::new("fio");
        fio.args(options).args([&file, &depth]).args(["--runtime=600", "--time_based"]);
        Self(fio.stdout(Stdio::null()).spawn().expect("this test needs fio: apt-get install fio"))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn pilot(place: &Place, book: &MemoryBook, audit: &MemoryAudit) -> Pilot {
    let view = Catalog::embedded().at(None);
    let policy = Policy {
        budget: Some(Usd(100.0)),
        window: Nanos::secs(8),
        recent: Nanos::secs(4),
        shrink_after: Nanos::secs(6),
        rest: Nanos::secs(6),
        // Of a clock that is forwarded a day is over at once.
        per_day: Some(1000),
        ..Policy::default()
    };
    let fleet = Mounted::new(place.home.clone(), &place.dir, FAST_FORWARD);
    let bridge = Bridge::new(fleet, Arc::new(SystemClock::new()), Nanos::secs(600));
    // PD tells that the cluster is well: the guard lets nothing through otherwise.
    let twin = Twin::new(1, &[]);
    let world = World { volumes: Some(Box::new(bridge.clone())), ..twin.world() };
    let lines = MemoryLines::default();
    let (replay, _) = Replay::read("journal", "").unwrap();
    let journal = Journal::open(Box::new(lines), replay, "7001", "p", Timestamp::now()).unwrap();
    let known = Known { region: Some("us-west-2".to_owned()), ..Known::nothing(view) };
    let resizer = Resizer::new(policy, known, Box::new(book.clone()), 1).unwrap();
    let pilot = Pilot::new(world, journal, Box::new(audit.clone()), SystemClock::new().now()).unwrap();
    pilot.controller(Box::new(resizer)).source(Box::new(bridge))
}

/// Ticks until something is so, for a minute at most.
#[track_caller]
fn until(
    what: &str,
    pilot: &mut Pilot,
    clock: &SystemClock,
    audit: &MemoryAudit,
    mut is: impl FnMut() -> bool,
) -> Duration {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} does not come:\n{}", audit.sentences().join("\n"));
        pilot.tick(clock.now(), None).unwrap();
        std::thread::sleep(Duration::from_millis(500));
    }
    began.elapsed()
}

fn a_disk_grows_under_load_and_shrinks_after_it() {
    let place = Place::up("gp3:20GiB");
    let (book, audit, clock) = (MemoryBook::default(), MemoryAudit::default(), SystemClock::new());
    let load = Load::on(&place.dir, 64);
    let mut pilot = pilot(&place, &book, &audit);
    let grown = until("growth", &mut pilot, &clock, &audit, || place.limit() > SMALL);
    let limit = place.limit();
    let served = place.iops(Duration::from_secs(3));
    let seen = until("a look at what came", &mut pilot, &clock, &audit, || {
        book.ledger().entries.first().is_some_and(|entry| entry.seen.is_some())
    });
    drop(load);
    let shrunk = until("shrinking", &mut pilot, &clock, &audit, || place.limit() < limit);
    let ledger = book.ledger();
    let entry = &ledger.entries[0];
    println!(
        "grown to {limit} IOPS after {grown:.1?}; served {served:.0}; predicted {:.0} at {:.2} ms, seen {:.0} at {:.2} ms after \
         {seen:.1?} more; shrunk to {} after {shrunk:.1?}",
        entry.predicted.unwrap().iops.0,
        entry.predicted.unwrap().latency.as_millis_f64(),
        entry.seen.unwrap().load.iops.0,
        entry.seen.unwrap().load.latency.unwrap().as_millis_f64(),
        place.limit(),
    );
    println!("{}", audit.sentences().join("\n"));
    // A machine with neighbours may not reach the new limit; it must be past the old one.
    assert!(served > SMALL * 1.1, "{served} of {limit}");
    let (first, last) = (&ledger.entries[0], ledger.entries.last().unwrap());
    assert_eq!((first.direction, last.direction), (resize::Direction::Grow, resize::Direction::Shrink));
    assert!(first.monthly.0 > 0.0 && last.monthly.0 < 0.0);
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).is_some_and(|word| word == "daemon") {
        return match mount::daemon::run(Path::new(&args[2])) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => ExitCode::from(error.exit_code()),
        };
    }
    // What `cargo test -- --list` and a filter for other tests ask for.
    let name = "a_disk_grows_under_load_and_shrinks_after_it";
    if args.iter().any(|arg| arg == "--list") {
        println!("{name}: test");
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = args[1..].iter().filter(|arg| !arg.starts_with('-')).collect();
    if filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str())) {
        a_disk_grows_under_load_and_shrinks_after_it();
        println!("test {name} ... ok");
    }
    ExitCode::SUCCESS
}
