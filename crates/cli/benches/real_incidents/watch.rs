//! Looks at a node's disks each second while something happens to it, and lets it go wrong in time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cluster::SampleRounds;
use disk::RequestedRate;
use jiff::Timestamp;
use metrics::{CloudWatch, NodeSample};
use mount::{DaemonClient, MountHome, MountedNode};
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineInfo};
use units::Nanos;
use validation::{MachineLoad, MachineState};

use super::Trouble;
use super::machine::{Machine, Rule};
use super::prometheus::Prometheus;
use super::row::{INSTANCE_ID, Row};

/// When a fault begins, after the watching.
const FAULT_AT: Duration = Duration::from_secs(10);
/// As clusters call their first node.
const NODE: &str = "n1";

/// What was seen of an incident, as three sources tell it.
pub(crate) struct Seen {
    /// Our own counters, second by second; with the engine's where there is one.
    pub(crate) counted: Timeline,
    /// CloudWatch's series of the disks and of the machine.
    pub(crate) cloudwatch: Timeline,
    /// What a Prometheus scraped each second.
    pub(crate) prometheus: Timeline,
    /// What the machine did besides.
    pub(crate) machine: Machine,
    /// How often it was made.
    pub(crate) tries: u32,
}

/// A node that is watched.
pub(crate) struct Watch {
    node: MountedNode,
    samples: Arc<Mutex<Vec<NodeSample>>>,
    rounds: SampleRounds,
    prometheus: Prometheus,
    processors: Arc<Mutex<Vec<Ran>>>,
    from: Timestamp,
}

/// What the processors did since the look before.
struct Ran {
    until: Timestamp,
    busy: MachineLoad,
}

impl Ran {
    /// What the incident's own programs took, of what other programs and other machines left.
    fn share(&self) -> f64 {
        let left = (1.0 - self.busy.others - self.busy.stolen).max(f64::MIN_POSITIVE);
        ((self.busy.all - self.busy.others) / left).clamp(0.0, 1.0)
    }
}

/// The one node that is mounted, with its credits and its share as the row wants them.
pub(crate) fn node(home: &MountHome) -> Result<(MountedNode, DaemonClient), Trouble> {
    let node = mount::nodes(home).into_iter().find(MountedNode::is_alive).ok_or("no node is mounted")?;
    let client = DaemonClient::of(&node)?;
    Ok((node, client))
}

/// Makes the disks as the row has them: small, with so many credits.
pub(crate) fn set_up(row: &Row, client: &DaemonClient) -> Result<(), Trouble> {
    /// Longer than any incident.
    const FOREVER: Nanos = Nanos::secs(30 * 24 * 3600);
    if row.share < 1.0 {
        client.fault("data", disk::DiskFault::Degrade(row.share), FOREVER)?;
    }
    if let Some(share) = row.credits {
        client.set_credits(Some("data"), share)?;
    }
    if let Some(share) = row.instance_credits {
        client.set_credits(None, share)?;
    }
    Ok(())
}

impl Watch {
    /// Begins; `status` is where the engine tells its metrics.
    pub(crate) fn start(
        home: &MountHome,
        scratch: &Path,
        row: &Row,
        status: Option<std::net::SocketAddr>,
    ) -> Result<Self, Trouble> {
        let (node, client) = node(home)?;
        set_up(row, &client)?;
        let prometheus = Prometheus::start(scratch, node.metrics, status)?;
        let mut fault = row.fault.as_deref().map(|text| wish(row, text)).transpose()?;
        let samples = Arc::<Mutex<Vec<NodeSample>>>::default();
        let (seen, began) = (samples.clone(), Instant::now());
        let processors = Arc::<Mutex<Vec<Ran>>>::default();
        let (ran, mut around) = (processors.clone(), MachineState::start(scratch)?);
        let rounds = SampleRounds::start("watch".to_owned(), move |_| {
            look(&client, began, &mut fault, &seen);
            if let Ok(busy) = around.look() {
                let now = Ran { until: Timestamp::now(), busy };
                ran.lock().unwrap_or_else(PoisonError::into_inner).push(now);
            }
        })?;
        Ok(Self { node, samples, rounds, prometheus, processors, from: Timestamp::now() })
    }

    /// Ends, and gives what was seen; `engine` are series of the disks and the engine together, where there is one.
    pub(crate) fn finish(mut self, row: &Row, engine: Option<Timeline>) -> Result<Seen, Trouble> {
        self.rounds.end();
        let ran = std::mem::take(&mut *self.processors.lock().unwrap_or_else(PoisonError::into_inner));
        let until = Timestamp::now();
        let samples = std::mem::take(&mut *self.samples.lock().unwrap_or_else(PoisonError::into_inner));
        let about = TimelineInfo { start: Some(self.node.started), ..TimelineInfo::default() };
        let mut counted = match engine {
            Some(engine) => engine,
            None => {
                let mut own = metrics::timeline(&samples, &vec![Vec::new(); samples.len()], about);
                own.series.iter_mut().for_each(|series| drop(series.labels.insert("node".into(), NODE.into())));
                own
            }
        };
        // CloudWatch's beside them would tell a node of its own.
        counted
            .series
            .retain(|series| !series.labels.contains_key("VolumeId") && !series.labels.contains_key("InstanceId"));
        let nitro = row.known().view.instance(&row.instance).is_ok_and(|instance| instance.nitro);
        let options =
            CloudWatch { start: self.node.started, instance_id: INSTANCE_ID.to_owned(), nitro, detailed: true };
        let mut cloudwatch = metrics::cloudwatch(&samples, &options);
        let mut prometheus = self.prometheus.gathered(&self.node, (self.from, until))?;
        add_processors(&mut cloudwatch, &ran, self.from, true);
        for timeline in [&mut counted, &mut prometheus] {
            add_processors(timeline, &ran, self.from, false);
        }
        let seconds = |from: Timestamp, until| from.duration_until(until).as_secs_f64().max(0.0);
        let stretches: Vec<(f64, MachineLoad)> =
            since(&ran, self.from).map(|(from, ran)| (seconds(from, ran.until), ran.busy)).collect();
        Ok(Seen { counted, cloudwatch, prometheus, machine: Rule::embedded().judge(&stretches), tries: 1 })
    }
}

/// Each look with the instant from which it tells: that of the one before.
fn since(ran: &[Ran], began: Timestamp) -> impl Iterator<Item = (Timestamp, &Ran)> {
    std::iter::once(began).chain(ran.iter().map(|ran| ran.until)).zip(ran)
}

/// Adds what the processors did: as node_exporter tells it, or in the mean of all, as CloudWatch does.
fn add_processors(timeline: &mut Timeline, ran: &[Ran], began: Timestamp, cloud: bool) {
    let start = timeline.about.start.unwrap_or(began);
    let at =
        |instant: Timestamp| Nanos(u64::try_from(instant.as_nanosecond() - start.as_nanosecond()).unwrap_or_default());
    let each: Vec<(Nanos, Nanos, &Ran)> = since(ran, began)
        .map(|(from, ran)| (at(from), at(ran.until), ran))
        .filter(|(from, until, _)| from < until)
        .collect();
    let (Some((first, ..)), Some((_, last, ran))) = (each.first(), each.last()) else { return };
    let busy = |(from, until, ran): &(Nanos, Nanos, &Ran)| ran.share() * (*until - *from).as_secs_f64();
    let mut add = |name: &str, label: (&str, &str), unit, merge, points| {
        let labels = BTreeMap::from([(label.0.to_owned(), label.1.to_owned())]);
        timeline.series.push(Series {
            name: name.to_owned(),
            labels,
            unit,
            points: SeriesPoints::Values(merge, points),
        });
    };
    if cloud {
        let value = 100.0 * each.iter().map(busy).sum::<f64>() / (*last - *first).as_secs_f64();
        let all = vec![SeriesPoint { from: *first, until: *last, value }];
        return add("CPUUtilization", ("InstanceId", INSTANCE_ID), SeriesUnit::Percent, MergeRule::Mean, all);
    }
    let point = |one: &(Nanos, Nanos, &Ran)| SeriesPoint {
        from: one.0,
        until: one.1,
        value: busy(one) * one.2.busy.processors,
    };
    add("host_cpu_time", ("node", NODE), SeriesUnit::Seconds, MergeRule::Sum, each.iter().map(point).collect());
    let all = vec![SeriesPoint { from: *first, until: *last, value: ran.busy.processors }];
    add("host_cpus", ("node", NODE), SeriesUnit::Count, MergeRule::Mean, all);
}

/// `data stall 10s`: a disk and what is to happen to it.
fn wish(row: &Row, text: &str) -> Result<(String, RequestedRate), Trouble> {
    let (disk, what) = text.split_once(' ').ok_or("a fault is a disk and what goes wrong with it")?;
    let disk = if disk == "log" { row.log_name() } else { disk };
    Ok((disk.to_owned(), what.parse()?))
}

fn look(
    client: &DaemonClient,
    began: Instant,
    fault: &mut Option<(String, RequestedRate)>,
    seen: &Mutex<Vec<NodeSample>>,
) {
    if let Ok(sample) = client.sample() {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
    }
    if let Some((disk, RequestedRate::Inject(what, lasts))) = fault.take_if(|_| began.elapsed() >= FAULT_AT)
        && let Err(error) = client.fault(&disk, what, lasts)
    {
        eprintln!("{disk} has no fault: {error}");
    }
}
