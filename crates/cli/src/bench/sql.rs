//! `diskwright bench` on SQL databases.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bench::{DatabaseSource, ExistingRows, PreparedDatabase, RunFiles, RunPhase, RunPlan, RunReport};
use deployment::Deployment;
use disk_space::DiskSpace;
use mysql::{
    JobKind, LaunchedMariaDb, PATIENCE, Password, ServerMachine, SqlDatabase, SqlJob, SqlRun, SqlSettings, SqlSpec,
    SqlTarget,
};
use private_dir::FolderPurpose;
use report::verbs::bench_page::page;
use report::verbs::sql_bench::{document, text};
use units::{Bytes, Nanos, Ratio, Usd};
use workload::Workload;

use crate::bench::live::Live;
use crate::bench::options::CLIENTS;
use crate::bench::{Args, write_pages};
use crate::failure::Failure;
use crate::origin::origin;
use crate::output::Output;
use crate::{home, inputs, on_signal};

/// Servers that can be started here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Launch {
    /// MariaDB, from the package mariadb-server
    Mariadb,
}

/// Options of SQL databases.
#[derive(Debug, clap::Args)]
pub(crate) struct Extra {
    /// Drop the workload's tables of the schema, and load them anew
    #[arg(long, conflicts_with = "no_load")]
    drop: bool,
    /// Create the schema of the URL if it is missing
    #[arg(long, requires = "db", conflicts_with = "no_load")]
    create: bool,
    /// PEM file of the authority of the server's certificate; turns TLS on
    #[arg(long, value_name = "PEM", requires = "db")]
    tls_ca: Option<PathBuf>,
    /// PEM file of the client's certificate
    #[arg(long, value_name = "PEM", requires_all = ["tls_ca", "tls_key"])]
    tls_cert: Option<PathBuf>,
    /// PEM file of that certificate's key
    #[arg(long, value_name = "PEM", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Allow the password without TLS beyond this machine, where anybody on the way can read it and the data
    #[arg(long, requires = "db", conflicts_with = "tls_ca")]
    insecure: bool,
    /// Log in to RDS with an AWS IAM token in place of a password, renewed during the run
    #[arg(long, requires_all = ["db", "tls_ca"])]
    iam: bool,
    /// Profile of ~/.aws/config whose keys sign the token
    #[arg(long, requires = "iam")]
    profile: Option<String>,
    /// Burst credits of the disks at the start of a run, as a share of a full bucket
    #[arg(long, value_name = "SHARE", requires = "launch")]
    credits: Option<Ratio>,
    /// Time after the start of a run at which the server is killed (kill -9) and started again
    #[arg(long, value_name = "SPAN", requires = "launch")]
    crash: Option<Nanos>,
}

impl Extra {
    /// Refuses what the reference store and TiKV do not know.
    pub(crate) fn check_unused(&self) -> Result<(), Failure> {
        let given = [
            (self.drop, "--drop"),
            (self.create, "--create"),
            (self.tls_ca.is_some(), "--tls-ca"),
            (self.insecure, "--insecure"),
            (self.iam, "--iam"),
            (self.credits.is_some(), "--credits"),
            (self.crash.is_some(), "--crash"),
        ];
        match given.into_iter().find(|(given, _)| *given) {
            Some((_, option)) => {
                Err(Failure::input(format!("{option} is for SQL databases: --launch mariadb, or --db mysql://…")))
            }
            None => Ok(()),
        }
    }
}

pub(super) fn measure(
    args: &Args,
    (pages, files): (&[PathBuf], &[PathBuf]),
    workload: &Workload,
    json: bool,
) -> Result<Output, Failure> {
    let order = order(args, workload)?;
    let order = SqlSpec { stop: on_signal::catch()?, ..order };
    let launched = order.settings.source.launched().is_some();
    let home = launched.then(home::home).transpose()?;
    if launched {
        mysql::MariadbPrograms::find()?;
        room(args, &order.settings.job)?;
    }
    let mut live = Live::new();
    let machine = home.map(|home| ServerMachine { home, scratch: args.options.scratch.clone() });
    let prepared = PreparedDatabase::<SqlDatabase>::prepare(machine.as_ref(), order, &mut |stage| live.show(&stage))?;
    let report = prepared.spec().plan.report_of(prepared.rows_loaded(), Vec::new());
    let mut files = RunFiles::new(files, args.runs, report);
    let mut keep = |run: &SqlRun| files.add(&run.report, &run.timeline).map_err(Failure::from);
    let series = prepared.measure(args.runs, &mut keep, &mut |stage| live.show(&stage))?;
    let (found, cut) = (series.runs, series.cut);
    // What the runs before have measured is told all the same.
    let cut = cut.map(|(number, error)| format!("run {number} could not be made: {error}"));
    let failed = cut.is_some() || found.iter().any(is_failed);
    let notes: Vec<_> = cut.into_iter().chain(prepared.notes().iter().cloned()).collect();
    prepared.stop()?;
    live.end();
    if let Some(last) = found.last() {
        let page = page(files.report(), Some((&last.timeline, last.from)), &[], &notes, origin());
        write_pages(pages, &page)?;
    }
    let written = [files.written(), pages].concat();
    let output = match json {
        true => Output::json(&document(files.report(), &found, &notes)),
        false => Output::text(text(files.report(), &found, &notes, &written)),
    };
    Ok(output.negative(failed))
}

/// Whether a run is a failed one, or its data are not as they should be, or nobody knows.
fn is_failed(found: &SqlRun) -> bool {
    let broken = found.findings.checked.as_ref().is_some_and(|checked| !checked.broken.is_empty());
    // Whose end nobody asked for was cut short by a fault.
    let cut = found.report.end == RunPhase::Interrupted || found.ended.is_some();
    !found.report.rejected.is_empty() || cut || found.findings.unchecked.is_some() || broken
}

fn order(args: &Args, workload: &Workload) -> Result<SqlSpec, Failure> {
    let options = &args.options;
    let job = SqlJob::new(workload, options.records.map(|records| records as u64))?;
    let (source, title, price) = match (&args.on, &args.db) {
        (Some(on), _) => launched(args, &inputs::deployment(on)?.noun)?,
        (None, Some(url)) => existing(args, url)?,
        (None, None) => return Err(Failure::input("say what to run on: --on DEPLOYMENT or --db URL")),
    };
    let own = job.clients;
    let load = options.load(own, job.think, options.clients.or(own).unwrap_or(CLIENTS));
    let plan = RunPlan {
        limits: options.limits(),
        seed: options.seed,
        monthly: price,
        // What a kill on purpose makes fail is no failure of the run.
        may_fail: if args.sql.crash.is_some() { Ratio(1.0) } else { RunReport::MAY_FAIL },
        ..RunPlan::new(title, &workload.name, load, PATIENCE)
    };
    plan.check()?;
    let rows = match (args.sql.drop, options.no_load) {
        (true, _) => ExistingRows::Drop,
        (_, true) => ExistingRows::Keep,
        _ => ExistingRows::Load,
    };
    let crash = args.sql.crash.map(|after| Duration::from_nanos(after.0));
    let settings = SqlSettings { create: args.sql.create, crash, ..SqlSettings::new(job, source) };
    Ok(SqlSpec { rows, ..SqlSpec::new(settings, plan) })
}

type Chosen = (DatabaseSource<LaunchedMariaDb, SqlTarget>, String, Option<Usd>);

fn launched(args: &Args, deployment: &Deployment) -> Result<Chosen, Failure> {
    let options = &args.options;
    if deployment.engine != LaunchedMariaDb::ENGINE {
        return Err(Failure::input("--launch mariadb: set `engine = \"innodb\"` in the deployment"));
    }
    if options.no_load {
        return Err(Failure::input("--no-load: a server that is started here has no rows yet"));
    }
    let credits = args.sql.credits.map(|share| share.0);
    if credits.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        return Err(Failure::input("--credits: expected 0 % to 100 %"));
    }
    let set = options.set.iter().map(|pair| {
        let wrong =
            || Failure::input(format!("--set {pair}: expected VARIABLE=VALUE, such as innodb_io_capacity=2000"));
        pair.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).ok_or_else(wrong)
    });
    let price = deployment.monthly(&inputs::view(deployment.as_of)).ok().map(|costs| costs.total());
    let title = match deployment.name.as_str() {
        "" => "a deployment without a name",
        name => name,
    };
    let launched = LaunchedMariaDb {
        deployment: deployment.clone(),
        options: cluster::ClusterOptions {
            memory: options.memory,
            seed: options.seed,
            credits,
            ..cluster::ClusterOptions::default()
        },
        variables: set.collect::<Result<_, _>>()?,
    };
    Ok((DatabaseSource::Launched(Box::new(launched)), title.to_owned(), price))
}

fn existing(args: &Args, url: &str) -> Result<Chosen, Failure> {
    let options = &args.options;
    for (given, option) in [(options.memory.is_some(), "--memory"), (!options.set.is_empty(), "--set")] {
        if given {
            return Err(Failure::input(format!("{option} is for servers that are started here, with --launch")));
        }
    }
    let target = SqlTarget::parse(url)?;
    let sql = &args.sql;
    for (option, file) in [("--tls-ca", &sql.tls_ca), ("--tls-cert", &sql.tls_cert), ("--tls-key", &sql.tls_key)] {
        if let Some(file) = file.as_ref().filter(|file| !file.is_file()) {
            return Err(Failure::input(format!("{option} {}: there is no such file", file.display())));
        }
    }
    let password = match sql.iam {
        true => Some(signed_password(&target, sql.profile.as_deref())?),
        false => password(&target)?,
    };
    let tls_identity = sql.tls_cert.clone().zip(sql.tls_key.clone());
    let target = SqlTarget { tls_ca: sql.tls_ca.clone(), tls_identity, password, ..target };
    target.admit("--db", sql.insecure)?;
    let title = target.title();
    Ok((DatabaseSource::Existing(target), title, None))
}

/// A password that AWS IAM signs.
#[cfg(feature = "cloud")]
fn signed_password(target: &SqlTarget, profile: Option<&str>) -> Result<Password, Failure> {
    Ok(mysql::iam_password(target, profile)?)
}

#[cfg(not(feature = "cloud"))]
fn signed_password(_: &SqlTarget, _: Option<&str>) -> Result<Password, Failure> {
    Err(crate::diagnose::cloud::without())
}

/// The environment's, else what people type, else none.
fn password(target: &SqlTarget) -> Result<Option<Password>, Failure> {
    if let Some(password) = Password::from_environment() {
        return Ok(Some(password));
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(None);
    }
    let title = target.title();
    let asked = rpassword::prompt_password(format!("password of {} (empty for none): ", textfile::escape_line(&title)));
    let typed = asked.map_err(|error| Failure::environment(format!("the password cannot be read: {error}")))?;
    Ok((!typed.is_empty()).then(|| Password::new(typed)))
}

/// Refuses what would not fit: a full scratch folder fails late and unclearly.
fn room(args: &Args, job: &SqlJob) -> Result<(), Failure> {
    /// A warehouse in InnoDB's pages and the binary log; a row of inserts with its four index entries likewise. Estimates
    /// on the safe side.
    const WAREHOUSE: f64 = 190e6;
    const ROW: f64 = 1200.0;
    /// Redo log, undo log, system tables.
    const SERVER: f64 = 700e6;
    let rows = match job.kind {
        JobKind::Tpcc(scale) => WAREHOUSE * scale.warehouses as f64,
        JobKind::Inserts { before, .. } => ROW * before as f64,
        JobKind::Sysbench(oltp) => ROW * (oltp.tables * oltp.rows) as f64,
    };
    enough(&args.options.scratch, SERVER + rows)
}

/// Whether a folder has so many bytes of room.
pub(super) fn enough(scratch: &Path, needed: f64) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::environment(format!("{}: {error}", scratch.display()));
    private_dir::open(scratch, FolderPurpose::SCRATCH)?;
    let there = DiskSpace::of(scratch).map_err(|error| failed(&error))?;
    if needed > there.available.as_f64() {
        return Err(Failure::input(format!(
            "the rows need some {} of room in {}, which has {}: load fewer with --records, or name another folder with \
             --scratch",
            Bytes(needed as u64),
            scratch.display(),
            there.available
        )));
    }
    Ok(())
}
