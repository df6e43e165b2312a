//! `diskwright pilot run`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ::pilot::{
    Attention, LoopPlan, MetricsServer, OpenedPilot, PilotFolder, PrometheusSource, SettingsController, watch,
};
use compaction_control::Constants;
use diagnose::KnownFacts;
use ingest::prometheus::PrometheusOptions;
use report::verbs::pilot::{run_document, sentence};
use serde_json::json;
use units::Nanos;

use super::limits::Limits;
use super::maintenance::Listen;
use super::reach::{Place, Reach};
use super::volumes::Volumes;
use crate::failure::Failure;
use crate::inputs;
use crate::on_signal;
use crate::output::{self, Output};

/// Longest part of the shortest notice, half a minute, that passes unnoticed. The backlog of compactions and the rate
/// that holds are seen as soon.
const NOTICED_WITHIN: Nanos = Nanos::secs(1);

const NODE_TOKEN: &str = "DISKWRIGHT_NODE_TOKEN";

/// Arguments of `pilot run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright pilot run --pd http://127.0.0.1:2379 --prometheus http://127.0.0.1:9090 --for 1h
  diskwright pilot run --pd http://127.0.0.1:2379 --limit 1=/mnt/tikv --act
  diskwright pilot run --pd http://127.0.0.1:2379 --volume vol-0a1b2c3d --policy policy.toml --act
  diskwright pilot run --pd https://10.0.0.5:2379 --tikv-status https://10.0.0.6:20180 \\
    --ca ca.pem --cert pilot.pem --key pilot.key --prometheus http://127.0.0.1:9090 --act

Without --act it prints what it would do, and changes nothing. It ends at an interrupt, after --for,
or by `diskwright pilot stop`, and undoes what is under way then. Tokens are taken from
DISKWRIGHT_PD_TOKEN, DISKWRIGHT_TIKV_TOKEN, DISKWRIGHT_PROMETHEUS_TOKEN and DISKWRIGHT_NODE_TOKEN.")]
pub(crate) struct Args {
    #[command(flatten)]
    reach: Reach,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    listen: Listen,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    volumes: Volumes,
    /// Make changes; without it they are only printed
    #[arg(long)]
    act: bool,
    /// Prometheus, Thanos or Mimir with the cluster's metrics; without it no setting is changed
    #[arg(long, value_name = "URL")]
    prometheus: Option<String>,
    /// Matchers added to every query: tidb_cluster="prod"
    #[arg(long, value_name = "MATCHERS", default_value = "")]
    select: String,
    /// Deployment of the cluster, a TOML file: disks, instances, settings
    #[arg(long, value_name = "DEPLOYMENT")]
    on: Option<PathBuf>,
    /// Interval between two checks of the cluster
    #[arg(long, value_name = "SPAN", default_value = "10s", value_parser = inputs::interval)]
    every: Nanos,
    /// Duration [default: without end]
    #[arg(long = "for", value_name = "SPAN")]
    last: Option<Nanos>,
    /// Serve the pilot's metrics at this loopback address
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
}

impl Args {
    /// Facts beside the series.
    fn known(&self) -> Result<KnownFacts, Failure> {
        let Some(path) = &self.on else { return Ok(KnownFacts::nothing(inputs::view(None))) };
        let read = inputs::deployment(path)?;
        let view = inputs::view(read.noun.as_of);
        read.noun.validate(&view).map_err(|error| error.locate(&read.text))?;
        Ok(KnownFacts::deployment(view, read.noun))
    }

    fn source(&self, known: &KnownFacts, attention: &Attention) -> Result<Option<PrometheusSource>, Failure> {
        let Some(url) = &self.prometheus else { return Ok(None) };
        let server = self.reach.prometheus(url, attention)?;
        let options = PrometheusOptions { selector: self.select.clone(), ..PrometheusOptions::default() };
        Ok(Some(PrometheusSource::new(Box::new((server, options)), known.clone())))
    }
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    PilotFolder::check_not_stopped(&args.place.path())?;
    PilotFolder::check_undamaged(&args.place.path())?;
    let known = args.known()?;
    let attention = args.place.attention(None)?;
    let source = args.source(&known, &attention)?;
    let limited = args.limits.limited(&known, &args.reach.access(NODE_TOKEN, &attention)?)?;
    let account = args.volumes.account(&args.reach, &attention);
    let volumes = args.volumes.tend(known, &args.place, args.act, &account)?;
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut opened = args.reach.open(&args.place, args.act, attention, telling(&said, json))?;
    let mut pilot = opened.pilot.controller(Box::<SettingsController>::default());
    if let Some(source) = source {
        pilot = pilot.source(Box::new(source));
    }
    let pilot = args.limits.join(pilot, limited, &opened.tikv);
    let joined = args.listen.join(pilot, &args.volumes, &account, &opened.attention);
    let (pilot, _listening) = joined.map_err(on_signal::told)?;
    opened.pilot = match volumes {
        Some(join) => join(pilot),
        None => pilot,
    };
    if let Some(addr) = args.metrics {
        let server = MetricsServer::start(addr, &opened.meters)?;
        tell(json, &format!("metrics at http://{}/metrics", server.addr));
    }
    let mode = if args.act { "acts" } else { "only looks: --act lets it act" };
    tell(json, &format!("cluster {}; {mode}; lease: {}", opened.cluster, opened.lease));
    let every = if args.listen.is_on() || args.limits.is_on() { args.every.min(NOTICED_WITHIN) } else { args.every };
    let glance = args.limits.is_on().then(|| Constants::embedded().look());
    let plan = LoopPlan { every, glance, last: args.last, patience: Nanos::secs(120) };
    let OpenedPilot { pilot, folder, meters, clock, attention, .. } = &mut opened;
    watch(pilot, folder, meters, clock, &plan, attention)?;
    let said = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let document = json!({
        "cluster": opened.cluster, "acts": args.act, "lease": opened.lease, "said": said,
        "runs": opened.pilot.runs().values().map(run_document).collect::<Vec<_>>(),
    });
    opened.close()?;
    Ok(if json { Output::json(&document) } else { Output::text("") })
}

/// Prints sentences as they come, and collects them for the end.
pub(super) fn telling(said: &Arc<Mutex<Vec<String>>>, json: bool) -> Box<dyn FnMut(&str)> {
    let said = Arc::clone(said);
    Box::new(move |sentence| {
        said.lock().unwrap_or_else(PoisonError::into_inner).push(sentence.to_owned());
        tell(json, sentence);
    })
}

fn tell(json: bool, said: &str) {
    if !json {
        // A closed standard output ends no pilot.
        let _ = output::print(&report::text::fitted(&sentence(said)));
    }
}
