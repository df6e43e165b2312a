//! The whole of it: the clocks, the step, the queries, the names, the series.

use std::collections::{BTreeMap, BTreeSet};

use catalog::Release;
use jiff::Timestamp;
use timeline::{LatencyPoint, SeriesLabels, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo};
use units::Nanos;

use super::answer::{Answer, Fault};
use super::ask::{Ask, Form};
use super::batch::{self, Harvest};
use super::buckets;
use super::clock;
use super::names::Names;
use super::server::PrometheusServer;
use super::step::{Grid, QueryRange};
use super::table::{QUERIES, Query, SeriesGroup};
use super::version;
use crate::GatherError;

/// Parts of disks and what is none: after node_exporter's default of `--collector.diskstats.device-exclude`.
const PARTS: &str = "(z?ram|fd|sr)[0-9]+|(h|s|v|xv)d[a-z]+[0-9]+|nvme[0-9]+n[0-9]+p[0-9]+|mmcblk[0-9]+p[0-9]+";
/// Added where no mount of ours serves its disks through loop devices.
const LOOPS: &str = "|loop[0-9]+";
/// The longest note, in characters.
const LONGEST: usize = 4_000;

/// What of the server is wanted, and what things are called.
#[derive(Debug, Clone, Default)]
pub struct PrometheusOptions {
    /// Which series; none are all.
    pub groups: Vec<SeriesGroup>,
    /// Matchers that every series has: `tidb_cluster="prod",job=~"tikv.*"`.
    pub selector: String,
    /// What nodes are called, by instance (`10.0.0.5:20180`) or host. Others are called by their hosts.
    pub nodes: BTreeMap<String, String>,
    /// What disks are called, by device (`nvme1n1` = `data`) or `node/device`. Others have their devices' names.
    pub disks: BTreeMap<String, String>,
}

/// Asks for all that the server knows. What could not be had is in the Timeline's notes: series that are `missing` or
/// `failed`, clocks that are off, the `release` that PD tells, `disk NODE/NAME` as our mounts tell what it is.
///
/// # Errors
/// When the server cannot be reached, does not let in, is no Prometheus, or knows nothing of the range.
pub fn gather(
    server: &PrometheusServer,
    range: &QueryRange,
    options: &PrometheusOptions,
) -> Result<Timeline, GatherError> {
    gather_from(server, range, options, &Timestamp::now)
}

/// The same of a server that answers everything so: what any server may say is read or refused. For fuzzers.
///
/// # Errors
/// As [`gather`].
#[doc(hidden)]
pub fn gather_answered(status: u16, body: &str, range: &QueryRange) -> Result<Timeline, GatherError> {
    struct Always<'a>(u16, &'a str);
    impl Ask for Always<'_> {
        fn post(&self, _: &str, _: Form<'_>) -> Result<Answer, Fault> {
            Ok(Answer { status: self.0, body: self.1.to_owned() })
        }
        fn shown(&self) -> &str {
            "http://always"
        }
    }
    gather_from(&Always(status, body), range, &PrometheusOptions::default(), &|| range.until)
}

/// The same, from any server and by any clock.
pub(super) fn gather_from(
    server: &dyn Ask,
    range: &QueryRange,
    options: &PrometheusOptions,
    now: &dyn Fn() -> Timestamp,
) -> Result<Timeline, GatherError> {
    let mut about = TimelineInfo { title: format!("Prometheus, {}", server.shown()), ..TimelineInfo::default() };
    let selector = options.selector.trim();
    let selector = selector.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(selector);
    let at = u64::try_from(range.until.as_second()).unwrap_or(0);
    if let Some(ahead) = clock::ahead(server, now)? {
        about.notes.insert("clock".to_owned(), format!("the server's is {ahead:+.0} s ahead of this machine's"));
    }
    let scrapes = clock::scrapes(server, at, selector)?;
    let grid = Grid::new(range, scrapes)?;
    about.start = Timestamp::from_second(i64::try_from(grid.from).unwrap_or(0)).ok();
    let short =
        if grid.step < 2 * scrapes { format!(", shorter than two scrapes of {scrapes} s") } else { String::new() };
    about.notes.insert("step".to_owned(), grid.window() + &short);

    let span = grid.until - grid.from;
    let info =
        format!("max by (instance, device, name, disk) (max_over_time(diskwright_disk_info{{{selector}}}[{span}s]))");
    let mut names = Names::new(server.instant(info, grid.until)?.0, &options.nodes, &options.disks);
    // Disks and machines have no release.
    let of_cluster = [SeriesGroup::Tikv, SeriesGroup::Pd, SeriesGroup::Tidb];
    let asks = options.groups.is_empty() || of_cluster.iter().any(|group| options.groups.contains(group));
    let running = if asks { version::running(server, selector, span, grid.until)? } else { Vec::new() };
    if !running.is_empty() {
        let told: Vec<String> = running.iter().map(Release::to_string).collect();
        about.notes.insert(version::NOTE.to_owned(), told.join(", "));
    }
    let wanted = Wanted { groups: &options.groups, running: &running };
    let harvest = ask(server, &grid, &wanted, selector, !names.mounted.is_empty())?;
    names.learn(&harvest.found);
    let series = series(&harvest, &names, &grid);
    if series.is_empty() {
        return Err(nothing(server, range, selector, &harvest, &short));
    }
    tell(&mut about, &harvest, &wanted);
    for ((instance, _), mounted) in &names.mounted {
        let node =
            QUERIES.iter().find(|query| query.group == SeriesGroup::Mounts).map(|query| names.node(query, instance));
        about.notes.insert(format!("disk {}/{}", node.unwrap_or_default(), mounted.name), mounted.disk.clone());
    }
    for (instance, ahead) in clock::nodes(server, grid.until, selector)? {
        about.notes.insert(format!("clock of {instance}"), format!("{ahead:+.0} s ahead of the server's"));
    }
    let timeline = Timeline { about, series };
    timeline.validate()?;
    Ok(timeline)
}

/// What is asked for: some groups, or all, as far as one of the releases that run tells it.
struct Wanted<'a> {
    groups: &'a [SeriesGroup],
    running: &'a [Release],
}

impl Wanted<'_> {
    fn has(&self, query: &Query) -> bool {
        query.live && (self.groups.is_empty() || self.groups.contains(&query.group)) && query.is_told_by(self.running)
    }
}

/// Values in the grid's steps, histograms in longer ones.
fn ask(
    server: &dyn Ask,
    grid: &Grid,
    wanted: &Wanted<'_>,
    selector: &str,
    loops: bool,
) -> Result<Harvest, GatherError> {
    let devices = format!("device!~\"{PARTS}{}\"", if loops { "" } else { LOOPS });
    let asked = QUERIES.iter().filter(|query| wanted.has(query));
    let (histograms, values): (Vec<_>, Vec<_>) = asked.partition(|query| query.spec.merge().is_none());
    let coarse = grid.of_histograms();
    let all = |queries: &[&'static Query], grid: &Grid| {
        batch::ask(server, queries, grid, &|query: &Query| query.text(&grid.window(), selector, &devices))
    };
    let mut harvest = all(&values, grid)?;
    let more = all(&histograms, &coarse)?;
    harvest.found.extend(more.found);
    harvest.failed.extend(more.failed);
    harvest.warnings.extend(more.warnings);
    Ok(harvest)
}

/// The buckets of one histogram by time: bounds and counts.
type Buckets = BTreeMap<u64, Vec<(f64, f64)>>;

fn series(harvest: &Harvest, names: &Names, grid: &Grid) -> Vec<timeline::Series> {
    let mut series = TimelineBuilder::default();
    let coarse = grid.of_histograms();
    let mut histograms: BTreeMap<(&str, SeriesLabels), (SeriesSpec, Buckets)> = BTreeMap::new();
    for (query, found) in &harvest.found {
        let instance = found.labels.get("instance").map(String::as_str).unwrap_or_default();
        let Some(labels) = names.labels(query, found, instance) else { continue };
        if query.spec.merge().is_none() {
            let Some(bound) = found.labels.get("le").and_then(|le| le.parse::<f64>().ok()) else { continue };
            let empty = || (query.spec, Buckets::new());
            let (_, histogram) = histograms.entry((query.spec.name, labels)).or_insert_with(empty);
            for (at, count) in &found.values {
                histogram.entry(*at as u64).or_default().push((bound, *count));
            }
            continue;
        }
        for (at, value) in &found.values {
            if let Some((from, until)) = span(grid, *at as u64, grid.step) {
                series.value(query.spec, &labels, SeriesPoint { from, until, value: *value });
            }
        }
    }
    for ((_, labels), (spec, histogram)) in histograms {
        for (at, mut buckets) in histogram {
            let Some(histogram) = buckets::latencies(&mut buckets) else { continue };
            if let Some((from, until)) = span(grid, at, coarse.step) {
                series.latency(spec, &labels, LatencyPoint { from, until, histogram });
            }
        }
    }
    series.finish_sorted()
}

/// The step that ends at an instant, from the grid's beginning; `None` if it was not asked for.
fn span(grid: &Grid, at: u64, step: u64) -> Option<(Nanos, Nanos)> {
    let until = at.checked_sub(grid.from).filter(|_| at <= grid.until)?;
    Some((Nanos::secs(until.checked_sub(step)?), Nanos::secs(until)))
}

fn nothing(server: &dyn Ask, range: &QueryRange, selector: &str, harvest: &Harvest, short: &str) -> GatherError {
    if let Some((series, error)) = harvest.failed.iter().next() {
        let help = "take a shorter range, a longer step or a selector";
        return GatherError::Server(format!("{} cannot answer for {series}: {error}; {help}", server.shown()));
    }
    let with = if selector.is_empty() { String::new() } else { format!(" with {{{selector}}}") };
    let step = if short.is_empty() { String::new() } else { format!(", the step{short},") };
    GatherError::Asked(format!(
        "{} knows no series of disks, TiKV, PD or TiDB{with} from {} to {}; check the range,{step} the selector, and that \
         this is the Prometheus that scrapes them",
        server.shown(),
        range.from,
        range.until
    ))
}

/// Says in the notes what is not there: of programs that told something the series, of others the program.
fn tell(about: &mut TimelineInfo, harvest: &Harvest, wanted: &Wanted<'_>) {
    let told: BTreeSet<&str> = harvest.found.iter().map(|(query, _)| query.series.as_str()).collect();
    let exporters: BTreeSet<&str> = harvest.found.iter().map(|(query, _)| query.exporter.as_str()).collect();
    let mut missing = BTreeSet::new();
    for query in QUERIES.iter().filter(|query| wanted.has(query)) {
        if !exporters.contains(query.exporter.as_str()) {
            if query.optional {
                continue;
            }
            missing.insert(format!("all of {}", query.exporter));
        } else if !told.contains(query.series.as_str()) {
            missing.insert(query.series.clone());
        }
    }
    let mut note = |key: &str, list: Vec<String>| {
        if !list.is_empty() {
            about.notes.insert(key.to_owned(), list.join(", ").chars().take(LONGEST).collect());
        }
    };
    note("missing", missing.into_iter().collect());
    note("failed", harvest.failed.iter().map(|(series, error)| format!("{series}: {error}")).collect());
    let warnings: BTreeSet<String> = harvest.warnings.iter().cloned().collect();
    note("the server warns", warnings.into_iter().collect());
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
