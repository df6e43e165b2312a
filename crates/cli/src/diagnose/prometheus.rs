//! `diskwright diagnose prometheus`: from the metrics of a cluster in a Prometheus, Thanos or Mimir.

use std::path::PathBuf;

use ingest::prometheus::{ClientAccess, PrometheusAuth, PrometheusOptions, PrometheusServer, QueryRange, gather};
use jiff::{SignedDuration, Timestamp};
use units::Nanos;

use super::file::FileArgs;
use super::given::Given;
use super::watch::Watch;
use crate::failure::Failure;
use crate::inputs;
use crate::output::Output;
use crate::progress;

/// Where secrets come from: never from arguments, which others on the machine can read.
const PASSWORD: &str = "DISKWRIGHT_PROMETHEUS_PASSWORD";
const TOKEN: &str = "DISKWRIGHT_PROMETHEUS_TOKEN";

/// Arguments of `diagnose prometheus`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright diagnose prometheus http://10.0.0.5:9090 --since 6h --on deployment.toml
  diskwright diagnose prometheus https://mimir.example/prometheus --tenant prod \\
    --select 'tidb_cluster=\"prod\"' --disk nvme1n1=gp3:1000GiB,6000iops --instance m6i.4xlarge
  diskwright diagnose prometheus http://10.0.0.5:9090 --since 30m --watch
  diskwright diagnose prometheus answer.json --disk nvme1n1=gp3:500GiB

Reads TiKV, PD, TiDB, node_exporter and disks mounted by diskwright, summed up by the server.
A token is taken from DISKWRIGHT_PROMETHEUS_TOKEN, the password of --user from
DISKWRIGHT_PROMETHEUS_PASSWORD; neither is sent in plain HTTP beyond this machine without
--insecure.")]
pub(crate) struct Args {
    /// Address of the server, or a file that holds a saved answer or the text of /metrics
    url: String,
    /// Interval between saved pages of /metrics
    #[arg(long, value_name = "SPAN")]
    interval: Option<Nanos>,
    /// Time before --until to read
    #[arg(long, value_name = "SPAN", default_value = "6h")]
    since: Nanos,
    /// End of the range [default: now]
    #[arg(long, value_name = "INSTANT")]
    until: Option<Timestamp>,
    /// Interval of the points [default: by the range]
    #[arg(long, value_name = "SPAN")]
    step: Option<Nanos>,
    /// Matchers added to every query: tidb_cluster="prod"
    #[arg(long, value_name = "MATCHERS", default_value = "")]
    select: String,
    /// User name
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Tenant of a Mimir or Cortex
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// PEM file of the only certificate authority to trust
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Allow the token or password in plain HTTP beyond this machine, which anybody on the way can read
    #[arg(long)]
    insecure: bool,
    #[command(flatten)]
    watch: Watch,
    #[command(flatten)]
    given: Given,
}

fn input(error: http_client::PeerError) -> Failure {
    Failure::input(error.to_string())
}

impl Args {
    fn server(&self) -> Result<PrometheusServer, Failure> {
        let mut access = ClientAccess::default().insecure(self.insecure);
        let secret = |name| std::env::var(name).ok();
        match (&self.user, secret(PASSWORD), secret(TOKEN)) {
            (Some(user), Some(password), _) => {
                access = access.secret(PrometheusAuth::Basic { user: user.clone(), password }).map_err(input)?;
            }
            (Some(_), None, _) => return Err(Failure::input(format!("--user: set its password in {PASSWORD}"))),
            (None, _, Some(token)) => access = access.secret(PrometheusAuth::Bearer(token)).map_err(input)?,
            (None, _, None) => {}
        }
        if let Some(path) = &self.ca {
            access = access.ca("CA", &inputs::bytes("--ca", path)?).map_err(input)?;
        }
        let server = PrometheusServer::new(&self.url, access)?;
        Ok(match &self.tenant {
            Some(tenant) => server.tenant(tenant),
            None => server,
        })
    }

    fn range(&self) -> Result<QueryRange, Failure> {
        let until = self.until.unwrap_or_else(Timestamp::now);
        let since = SignedDuration::from_nanos(i64::try_from(self.since.0).unwrap_or(i64::MAX));
        let from =
            until.checked_sub(since).map_err(|error| Failure::input(format!("--since {}: {error}", self.since)))?;
        Ok(QueryRange { from, until, step: self.step })
    }
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    if args.url == "-" || !args.url.contains("://") && std::path::Path::new(&args.url).exists() {
        let file = FileArgs::of(args.url.clone().into(), args.interval, args.watch.clone(), args.given.clone());
        return file.run(ingest::formats::named("metrics"), json);
    }
    if args.watch.is_on() && args.until.is_some() {
        return Err(Failure::input("--watch looks at what comes: leave --until out"));
    }
    let server = args.server()?;
    let options = PrometheusOptions { selector: args.select.clone(), ..PrometheusOptions::default() };
    let ask = || {
        let (range, mut known) = (args.range()?, args.given.known(None)?);
        let timeline = progress::during("asking Prometheus", || gather(&server, &range, &options))?;
        known.learn_noted(&timeline);
        args.given.asked(timeline.about.title.clone(), timeline, known, false).map(Some)
    };
    args.watch.answer(ask, args.given.out.as_deref(), json)
}
