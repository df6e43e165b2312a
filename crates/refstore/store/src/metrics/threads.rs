//! CPU time and disk I/O of this process by thread, from /proc: which pool spends what.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::sync::LazyLock;

use parking_lot::Mutex;

use super::Page;

/// For what a thread does I/O, by the beginning of its name.
const PURPOSES: &str = include_str!("../../tables/threads.csv");
/// TiKV's purposes in `tikv_io_bytes` (tikv components/file_system/src/metrics.rs).
const TYPES: [&str; 11] = [
    "other",
    "foreground_read",
    "foreground_write",
    "flush",
    "compaction",
    "level_zero_compaction",
    "replication",
    "load_balance",
    "gc",
    "import",
    "export",
];

static PREFIXES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let mut reader = csv::Reader::from_reader(PURPOSES.as_bytes());
    let rows = reader.records().flatten();
    rows.map(|row| (row[0].to_owned(), row[1].to_owned())).collect()
});

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Spent {
    cpu_nanos: u64,
    read: u64,
    written: u64,
}

/// Sums of all threads that ever ran, also those that ended.
#[derive(Default)]
pub(crate) struct Threads {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The last look at each thread that ran then.
    last: HashMap<u64, (String, Spent)>,
    /// Sums by name.
    total: BTreeMap<String, Spent>,
}

impl Threads {
    /// Looks at all threads. What a thread does between the last look and its end is lost: look each second or so.
    pub(crate) fn look(&self) {
        let Ok(tasks) = fs::read_dir("/proc/self/task") else { return };
        let ids = tasks.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let seen = ids.filter_map(|id: u64| Some((id, thread(id)?))).collect();
        self.known.lock().update(seen);
    }

    /// Adds `tikv_thread_cpu_seconds_total`, `tikv_threads_io_bytes_total` and `tikv_io_bytes`.
    pub(crate) fn add_to(&self, page: &mut Page) {
        self.look();
        let known = self.known.lock();
        for (name, spent) in &known.total {
            let (metric, help) = ("tikv_thread_cpu_seconds_total", "Time on a processor.");
            page.counter(metric, help, &[("name", &sanitised(name))], spent.cpu_nanos as f64 / 1e9);
        }
        for (name, spent) in &known.total {
            for (io, bytes) in [("read", spent.read), ("write", spent.written)] {
                let labels = [("name", &*sanitised(name)), ("io", io)];
                page.counter("tikv_threads_io_bytes_total", "Bytes to and from disks.", &labels, bytes as f64);
            }
        }
        for purpose in TYPES {
            let of_purpose = || known.total.iter().filter(|(name, _)| self::purpose(name) == purpose).map(|(_, s)| s);
            let sums = [("read", of_purpose().map(|s| s.read).sum()), ("write", of_purpose().map(|s| s.written).sum())];
            for (op, bytes) in sums {
                let bytes: u64 = bytes;
                let labels = [("type", purpose), ("op", op)];
                page.counter("tikv_io_bytes", "Bytes to and from disks, by purpose.", &labels, bytes as f64);
            }
        }
    }
}

impl Known {
    fn update(&mut self, seen: HashMap<u64, (String, Spent)>) {
        for (id, (name, now)) in &seen {
            // A thread whose numbers shrank or whose name changed is another one under an old number.
            let before = self.last.get(id).filter(|(old, spent)| old == name && spent.cpu_nanos <= now.cpu_nanos);
            let before = before.map(|(_, spent)| *spent).unwrap_or_default();
            let total = self.total.entry(name.clone()).or_default();
            total.cpu_nanos += now.cpu_nanos - before.cpu_nanos;
            total.read += now.read.saturating_sub(before.read);
            total.written += now.written.saturating_sub(before.written);
        }
        self.last = seen;
    }
}

fn thread(id: u64) -> Option<(String, Spent)> {
    let read = |file: &str| fs::read_to_string(format!("/proc/self/task/{id}/{file}")).ok();
    let name = read("comm")?.trim().to_owned();
    let cpu_nanos = read("schedstat").and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    let io = read("io").unwrap_or_default();
    let field = |name: &str| io.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()).unwrap_or(0);
    Some((name, Spent { cpu_nanos, read: field("read_bytes:"), written: field("write_bytes:") }))
}

fn purpose(name: &str) -> &str {
    PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or("other", |(_, purpose)| purpose)
}

/// The name as TiKV's metrics show it: letters and digits, the rest underscores.
fn sanitised(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(threads: &[(u64, &str, u64)]) -> HashMap<u64, (String, Spent)> {
        let spent = |written| Spent { cpu_nanos: written, read: 0, written };
        threads.iter().map(|(id, name, written)| (*id, ((*name).to_owned(), spent(*written)))).collect()
    }

    #[test]
    fn a_thread_that_ended_stays_in_the_sum_and_its_number_may_come_again() {
        let mut known = Known::default();
        known.update(seen(&[(1, "apply-0", 5), (2, "apply-0", 10)]));
        known.update(seen(&[(1, "apply-0", 7)]));
        known.update(seen(&[(1, "apply-0", 7), (2, "rocksdb:low", 3)]));
        assert_eq!(known.total["apply-0"].written, 17);
        assert_eq!(known.total["rocksdb:low"].written, 3);
    }

    #[test]
    fn io_has_tikvs_purposes() {
        assert_eq!(purpose("rocksdb:low12"), "compaction");
        assert_eq!(purpose("store-writer-0"), "foreground_write");
        assert_eq!(purpose("main"), "other");
        assert!(PREFIXES.iter().all(|(_, purpose)| TYPES.contains(&purpose.as_str())));
        assert_eq!(sanitised("store-writer-0"), "store_writer_0");
    }

    #[test]
    fn this_process_has_spent_time() {
        let threads = Threads::default();
        threads.look();
        assert!(threads.known.lock().total.values().any(|spent| spent.cpu_nanos > 0));
    }
}
