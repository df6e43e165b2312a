//! `diskwright simulate`: hours of a deployment under a workload in seconds, event by event.

mod out;
mod sweep;

use std::path::{Path, PathBuf};
use std::time::Instant;

use catalog::{CatalogView, Date};
use deployment::Deployment;
use disk::StartCredits;
use report::verbs::simulate as simulate_report;
use run::{AnswerPatience, ComputedAnswer};
use simulate::{ServerFlavour, ServerVariables, SimulateError, SimulationOptions, SimulationSetup};
use units::Nanos;
use workload::Workload;

use crate::failure::Failure;
use crate::inputs::{self, Read};
use crate::output::Output;
use crate::progress::Steps;
use out::Out;

/// Arguments of `simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright simulate examples/raft-shared.toml examples/social-inserts.toml
  diskwright simulate examples/tpcc-5000-m5.4xlarge.toml examples/tpcc-5000.toml --for 1h --out run
  diskwright simulate examples/raft-shared.toml examples/social-inserts.toml \\
    --sweep raft-disk=shared,own --sweep block-size=4KiB,16KiB,64KiB
  diskwright simulate examples/raft-dedicated.toml examples/social-inserts.toml \\
    --for 30m --events examples/events.toml
  diskwright simulate examples/rds-gp2.toml examples/rds-inserts.toml --for 6h --set sync_binlog=0

Time is virtual: an hour takes about a minute. The same seed gives the same bytes.

Nodes of the role `sql` are simulated, too: their processors can be full. Without such nodes a
statement takes a fixed time, however many there are.

--out FILE (.parquet, .csv, .json) holds the series of a measured run: operations, latencies, every
disk, the engine, CPU, traffic between zones. --out DIR writes timeline.parquet, summary.json and
report.html with charts.

--sweep runs every combination of the values, on all cores. Settings: block-size, block-cache,
compression, value-separation, rate-limit, raft-disk, data-disk, instance, nodes, replicas,
follower-read, grpc-compression, zone-round-trip, flow-control, locks, clustered-index,
thread-pools, clients, throughput, credits, degraded, seed.

--events reads a TOML file; each event has an instant and one thing that happens:
  [[events]]
  at = \"20m\"
  load = 1.5                                        # times the load at the start
  # or: mix = \"reads 1x, scans 2x, writes 0.5x\"       times what an operation did at the start
  #     fault = \"n1/data slow 20x for 60s\"          in the words of `diskwright disk fault`
  #     modify = \"n1/data gp3:1000GiB,8000iops\"     as the cloud changes volumes
  #     setting = \"rocksdb.rate-bytes-per-sec = 20MiB\"
  #     zone-down = \"a for 5m\" · node-down = \"n2 for 5m\" · evict-leaders = \"n2 for 10m\"

Error against the reference store: docs/results/validate.md.
Exits with 1 if the workload asks for more than is carried, or a disk fills up.")]
pub(crate) struct Args {
    /// Deployment, a TOML file; - reads standard input
    deployment: PathBuf,
    /// Workload, a TOML file; intervals are taken at their middle
    workload: PathBuf,
    /// Duration of the load, in virtual time
    #[arg(long = "for", value_name = "SPAN", default_value = "10m")]
    span: Nanos,
    /// Warm-up that is not measured [default: a tenth of the time, at most a minute]
    #[arg(long, value_name = "SPAN")]
    warm_up: Option<Nanos>,
    /// Run once with each value of a setting: block-size=4KiB,16KiB; may be repeated
    #[arg(long, value_name = "SETTING=VALUES")]
    sweep: Vec<String>,
    /// Events during the run, a TOML file
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// InnoDB: variable of the server, innodb_io_capacity=2000; may be repeated
    #[arg(long, value_name = "VARIABLE=VALUE")]
    set: Vec<String>,
    /// InnoDB: server whose defaults apply
    #[arg(long, value_name = "SERVER", default_value = "mysql")]
    server: ServerName,
    /// Random seed (same seed, same result)
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Start without burst credits
    #[arg(long)]
    no_credits: bool,
    /// Include degraded minutes, as often as the volumes' promises allow
    #[arg(long)]
    degraded: bool,
    /// Write every series to a file (.parquet, .csv or .json), or series, summary and report.html into a folder
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// Longest real time: give up if the first seconds suggest more
    #[arg(long, value_name = "SPAN", default_value = "1d")]
    patience: Nanos,
    /// Day whose limits and prices apply: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
}

/// The server of InnoDB.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ServerName {
    /// MySQL 5.7 as RDS has it
    Mysql,
    /// MariaDB 10.11 as `bench --launch mariadb` starts it
    Mariadb,
}

impl ServerName {
    /// Its variables, with those that were set.
    fn with(self, set: &[String]) -> Result<ServerVariables, Failure> {
        let flavour = match self {
            Self::Mysql => ServerFlavour::Mysql,
            Self::Mariadb => ServerFlavour::MariaDb,
        };
        set.iter().try_fold(ServerVariables::of(flavour), |server, set| {
            let (variable, value) = set.split_once('=').ok_or_else(|| {
                Failure::input(format!("--set {set}: expected VARIABLE=VALUE, innodb_io_capacity=2000"))
            })?;
            server.with(variable, value).map_err(|error| Failure::input(format!("--set {error}")))
        })
    }
}

/// Inputs of a simulation, with the texts to point into.
#[derive(Debug)]
struct Asked {
    deployment: Read<Deployment>,
    workload: Read<Workload>,
    view: CatalogView,
    setup: SimulationSetup,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let out = args.out.as_deref().map(Out::of).transpose()?;
    let asked = Asked::new(args)?;
    if !args.sweep.is_empty() {
        return sweep::run(args, &asked, json);
    }
    let (began, patience) = (Instant::now(), AnswerPatience::new(ComputedAnswer::Simulation, args.patience));
    let progress = Steps::new(1);
    let mut watch = |now: Nanos| {
        let done = now.as_secs_f64() / args.span.as_secs_f64();
        let second = Nanos::secs(1).0;
        progress.at(
            now.0 / second + 1,
            args.span.0 / second,
            "seconds simulated",
            patience.left(began.elapsed(), done),
        );
        patience.lasts(began.elapsed(), done)
    };
    let SimulationSetup { deployment, task, options } = &asked.setup;
    let run = simulate::simulate_watched(deployment, task, &asked.view, options, &mut watch);
    progress.end();
    patience.lasted()?;
    let run = run.map_err(|error| asked.explain(error))?;
    let took = began.elapsed().as_secs_f64();
    let mut document = simulate_report::document(args.seed, &run.summary);
    let written = out.map(|out| out.write(&asked, &run, &document)).transpose()?.unwrap_or_default();
    let (ios, events) = simulate_report::pace(&run.summary, took);
    document["elapsed_ms"] = (took * 1e3).into();
    document["simulated_per_second"] = serde_json::json!({ "ios": ios, "events": events });
    document["out"] = args.out.as_ref().and_then(|out| out.to_str()).into();
    let output = if json {
        Output::json(&document)
    } else {
        Output::text(simulate_report::text(args.seed, &run, took, &written))
    };
    Ok(output.negative(run.summary.saturated.is_some() || run.summary.full.is_some()))
}

impl Asked {
    fn new(args: &Args) -> Result<Self, Failure> {
        let deployment = inputs::deployment(&args.deployment)?;
        let workload = inputs::workload(&args.workload)?;
        let script = inputs::script(args.events.as_deref())?;
        let engine = deployment.noun.engine;
        if !engine.facts().has_server_variables && !args.set.is_empty() {
            return Err(Failure::input("--set: only InnoDB has variables; TiKV's settings stand in the deployment"));
        }
        let server = args.server.with(&args.set)?;
        let options = SimulationOptions {
            seed: args.seed,
            span: args.span,
            warm_up: args.warm_up.unwrap_or(Nanos(args.span.0 / 10).min(Nanos::secs(60))),
            credits: if args.no_credits { StartCredits::Spent } else { StartCredits::Full },
            degraded_minutes: args.degraded,
            script,
            server,
            ..SimulationOptions::default()
        };
        let setup = SimulationSetup { deployment: deployment.noun.clone(), task: workload.noun.middle()?, options };
        let view = inputs::view(args.as_of.or(deployment.noun.as_of));
        Ok(Self { deployment, workload, view, setup })
    }

    /// An error where it stands.
    fn explain(&self, error: SimulateError) -> Failure {
        let deployment = &self.deployment.text;
        match error {
            SimulateError::Deployment(error) => error.locate(deployment).into(),
            SimulateError::Events(error) => error.into(),
            SimulateError::OtherEngine { .. } | SimulateError::OnlyInserts => {
                self.workload.text.error_at_key("engine", error.to_string()).into()
            }
            error => match error.key() {
                Some(key) => deployment.error_at_key(&key, error.to_string()).into(),
                None => Failure::input(error.to_string()),
            },
        }
    }

    fn title(&self) -> String {
        let name = |name: &str, path: &Path| if name.is_empty() { path.display().to_string() } else { name.to_owned() };
        format!(
            "{} on {}",
            name(&self.workload.noun.name, self.workload.text.path()),
            name(&self.deployment.noun.name, self.deployment.text.path())
        )
    }
}
