//! What a whole run of InnoDB keeps to.

use deployment::Deployment;
use proptest::prelude::*;
use textfile::Text;
use units::{Bytes, Nanos};
use workload::{Task, Workload};

use crate::testing::{seconds, view};
use crate::{ServerFlavour, ServerVariables, SimulateError, SimulationOptions, SimulationRun, simulate};

fn deployment(disk: &str, log: Option<&str>, settings: &str) -> Deployment {
    let log = log.map(|log| format!("log = \"{log}\"\n")).unwrap_or_default();
    let text = format!(
        "engine = \"innodb\"\nregion = \"us-west-2\"\nzones = 1\n[[nodes]]\nrole = \"storage\"\ncount = 1\n\
         instance = \"m4.2xlarge\"\ndata = \"{disk}\"\n{log}[settings]\n{settings}"
    );
    Deployment::from_text(&Text::new("d.toml", text)).unwrap()
}

fn task(more: &str) -> Task {
    let text = format!(
        "engine = \"innodb\"\nregion = \"us-west-2\"\n[inserts]\nrow = \"176B\"\nindexes = 4\nindex-entry = \"68B\"\n\
         order = \"ordered\"\nrandom-indexes = 2\nkey-period = \"429.5s\"\nswept-indexes = 1\n{more}\n[targets]\n\
         throughput = 1000\n"
    );
    let workload =
        Workload::from_text(&Text::new("w.toml", text), &mut |path| textfile::read_text(path, textfile::LIMIT));
    workload.unwrap().middle().unwrap()
}

fn run(deployment: &Deployment, task: &Task, options: &SimulationOptions) -> SimulationRun {
    simulate(deployment, task, &view(), options).unwrap()
}

/// A pool that is small beside its rows.
const SMALL: &str = "block-cache = \"64MiB\"";
const ROWS: &str = "rows-before = 1e6\nrows-added = 1e8\nclients = 64";

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let of = |seed| {
        let run = run(&deployment("gp3:400GiB", None, SMALL), &task(ROWS), &SimulationOptions { seed, ..seconds(5) });
        format!("{:?}", (run.timeline, run.summary))
    };
    let first = of(7);
    assert!(first == of(7), "two runs of one seed differ");
    assert!(first != of(8), "the seed does not matter");
}

#[test]
fn a_timeline_is_valid_and_has_the_series_of_a_measured_run() {
    let run = run(&deployment("gp3:400GiB", Some("gp3:20GiB"), SMALL), &task(ROWS), &seconds(10));
    run.timeline.validate().unwrap();
    for name in ["rows_added_per_second", "latency", "write_ops", "pages_written", "redo_bytes", "dirty_bytes"] {
        assert!(run.timeline.series.iter().any(|series| series.name == name), "{name}");
    }
    let log = run.timeline.select("write_ops", &[("disk", "log")]).next().unwrap();
    assert_eq!(log.points().len(), 10);
}

#[test]
fn clients_are_as_many_as_throughput_times_latency_says() {
    let summary = run(&deployment("io1:400GiB,5000iops", None, ""), &task(ROWS), &seconds(20)).summary;
    let inside = summary.operations_per_second * summary.latency.unwrap().mean.as_secs_f64();
    assert!((inside / 64.0 - 1.0).abs() < 0.02, "Little's law: {inside}");
}

#[test]
fn more_iops_and_a_larger_pool_carry_more_and_doublewrite_costs_bytes() {
    let of = |disk: &str, settings: &str| {
        // Without a change buffer, which would take what has no page in memory for as long as this lasts.
        let server = ServerVariables::of(ServerFlavour::MariaDb);
        let options = SimulationOptions { credits: disk::StartCredits::Spent, server, ..seconds(20) };
        run(&deployment(disk, None, settings), &task(ROWS), &options).summary
    };
    let few = of("gp2:400GiB", SMALL);
    assert!(of("io1:400GiB,5000iops", SMALL).operations_per_second > 1.5 * few.operations_per_second);
    assert!(of("gp2:400GiB", "block-cache = \"4GiB\"").operations_per_second > 1.5 * few.operations_per_second);
    let once = of("gp2:400GiB", "block-cache = \"64MiB\"\ndoublewrite = false").innodb.unwrap();
    let twice = few.innodb.unwrap();
    assert_eq!((once.doublewrite_pages, twice.doublewrite_pages), (0.0, twice.pages_written));
}

#[test]
fn a_run_that_has_added_all_rows_says_when() {
    let rows = 20_000.0;
    let task = task("rows-added = 20000\nclients = 64");
    let summary =
        run(&deployment("gp3:400GiB", None, ""), &task, &SimulationOptions { warm_up: Nanos(0), ..seconds(60) })
            .summary;
    let innodb = summary.innodb.unwrap();
    assert_eq!(innodb.rows, rows);
    assert!(innodb.finished.unwrap() < Nanos::secs(60) && summary.until < Nanos::secs(60));
}

#[test]
fn a_cleaner_that_sleeps_until_the_log_is_full_writes_a_page_once_for_more_changes() {
    // All pages stay in memory, so that only the log asks for them; it is turned over several times.
    let pages = |cleaner_sleeps| {
        let server = ServerVariables::of(ServerFlavour::MariaDb).with("innodb_log_file_size", "8388608").unwrap();
        let options = SimulationOptions { server: ServerVariables { cleaner_sleeps, ..server }, ..seconds(20) };
        let rows = task("rows-before = 100000\nrows-added = 1e8\nclients = 16");
        let innodb = run(&deployment("gp3:400GiB", None, ""), &rows, &options).summary.innodb.unwrap();
        assert!(innodb.redo_bytes > 3.0 * server.log_size, "{}", innodb.redo_bytes);
        innodb.pages_written / innodb.rows
    };
    let (sleeps, steady) = (pages(true), pages(false));
    assert!(sleeps < 0.8 * steady, "{sleeps} against {steady}");
}

#[test]
fn commits_that_are_not_synced_go_faster_and_sync_once_a_second() {
    let of = |variables: &[(&str, &str)]| {
        let server = variables
            .iter()
            .fold(ServerVariables::of(ServerFlavour::MariaDb), |server, (key, value)| server.with(key, value).unwrap());
        run(
            &deployment("gp3:400GiB", None, ""),
            &task("rows-added = 1e8\nclients = 4"),
            &SimulationOptions { server, ..seconds(10) },
        )
        .summary
    };
    let each = of(&[("log_bin", "0")]);
    let lazy = of(&[("log_bin", "0"), ("innodb_flush_log_at_trx_commit", "2")]);
    assert!(lazy.operations_per_second > 1.5 * each.operations_per_second);
    let syncs = lazy.innodb.unwrap().redo_syncs / lazy.used.seconds;
    assert!((0.8..=1.2).contains(&syncs), "{syncs}");
}

#[test]
fn a_driver_that_does_one_thing_at_a_time_bounds_the_rate() {
    let options = SimulationOptions { driver: Nanos::millis(2), ..seconds(10) };
    let summary = run(&deployment("io1:400GiB,5000iops", None, ""), &task(ROWS), &options).summary;
    assert!((summary.operations_per_second / 500.0 - 1.0).abs() < 0.02, "{}", summary.operations_per_second);
}

#[test]
fn what_cannot_start_is_refused_with_the_reason() {
    let refused = |deployment: &Deployment, task: &Task, options: &SimulationOptions| {
        simulate(deployment, task, &view(), options).unwrap_err()
    };
    let good = deployment("gp3:400GiB", None, "");
    let many = task("rows-before = 4e9\nrows-added = 1");
    assert!(matches!(refused(&good, &many, &seconds(5)), SimulateError::TooMuchData { .. }));
    let large = deployment("gp3:400GiB", None, "block-cache = \"64GiB\"");
    assert_eq!(refused(&large, &task(ROWS), &seconds(5)).key().as_deref(), Some("settings.block-cache"));
    let mut server = ServerVariables::of(ServerFlavour::Mysql);
    server.log_size = Bytes::gib(30).as_f64();
    let log = deployment("gp3:400GiB", Some("gp3:20GiB"), "");
    let error = refused(&log, &task(ROWS), &SimulationOptions { server, ..seconds(5) });
    assert!(error.to_string().contains("the redo log is 30GiB"), "{error}");
    let mut reads = task(ROWS);
    reads.profile.point_reads = 1.0;
    assert!(refused(&good, &reads, &seconds(5)).to_string().contains("[inserts]"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn no_disk_does_more_than_its_limits(seed: u64, clients in 1u32..300, own: bool) {
        let deployment = deployment("gp3:400GiB", own.then_some("gp3:20GiB"), SMALL);
        let task = task(&format!("rows-before = 1e6\nrows-added = 1e8\nclients = {clients}"));
        let run = run(&deployment, &task, &SimulationOptions { seed, ..seconds(10) });
        for (name, limit) in [("counted_ios", 3000.0), ("read_bytes+write_bytes", 125.0 * 1_048_576.0)] {
            let points = |name: &str| -> f64 {
                run.timeline.select(name, &[("disk", "data")]).flat_map(|s| s.points()).map(|p| p.value).sum()
            };
            let moved: f64 = name.split('+').map(points).sum();
            prop_assert!(moved <= limit * 10.1, "{moved} {name}");
        }
    }
}
