//! Looks at a node's disks each second while something happens to it, and lets it go wrong in time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cluster::Rounds;
use disk::Wish;
use jiff::Timestamp;
use mount::{Client, Home, Node};
use observe::{CloudWatch, NodeSample};
use timeline::{About, Merge, Point, Points, Series, Timeline, Unit};
use validate::Around;

use crate::Trouble;
use crate::prometheus::Prometheus;
use crate::row::{INSTANCE_ID, Row};

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
}

/// A node that is watched.
pub(crate) struct Watch {
    node: Node,
    samples: Arc<Mutex<Vec<NodeSample>>>,
    rounds: Rounds,
    prometheus: Prometheus,
    /// Taken at the end.
    around: Option<Around>,
    from: Timestamp,
}

/// The one node that is mounted, with its credits and its share as the row wants them.
pub(crate) fn node(home: &Home) -> Result<(Node, Client), Trouble> {
    let node = mount::nodes(home).into_iter().find(Node::is_alive).ok_or("no node is mounted")?;
    let client = Client::of(&node)?;
    Ok((node, client))
}

/// Makes the disks as the row has them: small, with so many credits.
pub(crate) fn set_up(row: &Row, client: &Client) -> Result<(), Trouble> {
    /// Longer than any incident.
    const FOREVER: units::Nanos = units::Nanos::secs(30 * 24 * 3600);
    if row.share < 1.0 {
        client.fault("data", disk::Fault::Degrade(row.share), FOREVER)?;
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
        home: &Home,
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
        let rounds = Rounds::start("watch".to_owned(), move |_| look(&client, began, &mut fault, &seen))?;
        let around = Around::start(scratch)?;
        Ok(Self { node, samples, rounds, prometheus, around: Some(around), from: Timestamp::now() })
    }

    /// Ends, and gives what was seen; `engine` are series of the disks and the engine together, where there is one.
    pub(crate) fn finish(mut self, row: &Row, engine: Option<Timeline>) -> Result<Seen, Trouble> {
        self.rounds.end();
        let busy = self.around.take().ok_or("watched to the end once")?.end()?;
        // The whole machine's use has others in it.
        let own = (busy.all - busy.others).clamp(0.0, 1.0);
        let until = Timestamp::now();
        let samples = std::mem::take(&mut *self.samples.lock().unwrap_or_else(PoisonError::into_inner));
        let about = About { start: Some(self.node.started), ..About::default() };
        let mut counted = match engine {
            Some(engine) => engine,
            None => {
                let mut own = observe::timeline(&samples, &vec![Vec::new(); samples.len()], about);
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
        let mut cloudwatch = observe::cloudwatch(&samples, &options);
        let mut prometheus = self.prometheus.gathered(&self.node, (self.from, until))?;
        let utilisation = ("CPUUtilization", "InstanceId", INSTANCE_ID, Unit::Percent, Merge::Mean, 100.0 * own);
        add(&mut cloudwatch, utilisation);
        for timeline in [&mut counted, &mut prometheus] {
            let seconds = timeline.span().map_or(0.0, |(from, until)| (until - from).as_secs_f64());
            let busy_time = own * busy.processors * seconds;
            add(timeline, ("host_cpu_time", "node", NODE, Unit::Seconds, Merge::Sum, busy_time));
            add(timeline, ("host_cpus", "node", NODE, Unit::Count, Merge::Mean, busy.processors));
        }
        Ok(Seen { counted, cloudwatch, prometheus })
    }
}

type Added<'a> = (&'static str, &'a str, &'a str, Unit, Merge, f64);

/// A series with one point over all that is there.
fn add(timeline: &mut Timeline, (name, label, of, unit, merge, value): Added<'_>) {
    let Some((from, until)) = timeline.span() else { return };
    let points = Points::Values(merge, vec![Point { from, until, value }]);
    let labels = BTreeMap::from([(label.to_owned(), of.to_owned())]);
    timeline.series.push(Series { name: name.to_owned(), labels, unit, points });
}

/// `data stall 10s`: a disk and what is to happen to it.
fn wish(row: &Row, text: &str) -> Result<(String, Wish), Trouble> {
    let (disk, what) = text.split_once(' ').ok_or("a fault is a disk and what goes wrong with it")?;
    let disk = if disk == "log" { row.log_name() } else { disk };
    Ok((disk.to_owned(), what.parse()?))
}

fn look(client: &Client, began: Instant, fault: &mut Option<(String, Wish)>, seen: &Mutex<Vec<NodeSample>>) {
    if let Ok(sample) = client.sample() {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
    }
    if let Some((disk, Wish::Inject(what, lasts))) = fault.take_if(|_| began.elapsed() >= FAULT_AT)
        && let Err(error) = client.fault(&disk, what, lasts)
    {
        eprintln!("{disk} has no fault: {error}");
    }
}
