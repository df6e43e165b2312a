//! What a run and a comparison have in common.

use std::path::PathBuf;

use bench::{ArrivalSpacing, DatabaseSource, ExistingRows, LoopKind, RunLimits, RunPlan};
use cluster::{ClusterPrograms, TestBed};
use deployment::Deployment;
use disk_space::DiskSpace;
use private_dir::FolderPurpose;
use reference_store::{LaunchedStore, REQUEST_TIMEOUT, StoreSettings, StoreSpec};
use units::{Bytes, Nanos, Ratio, Uncertain, Usd};
use workload::Workload;
use workload::operations::{OperationRecipe, ValueSizes, WorkloadScale};

use crate::failure::Failure;
use crate::{home, inputs};

/// Options that a run and a comparison share.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Clients of a closed loop, each with one operation at a time [default: the workload's, else 64]
    #[arg(long, value_name = "N", conflicts_with = "rate")]
    pub(super) clients: Option<u32>,
    /// Operations a second of an open loop, whether the database keeps up or not; above 10,000 those of 1.6 ms
    /// leave together
    #[arg(long, value_name = "PER_SECOND", value_parser = number)]
    pub(super) rate: Option<f64>,
    /// Space the operations of an open loop evenly, not at random
    #[arg(long, requires = "rate")]
    pub(super) even: bool,
    /// Rows to load, or warehouses for [tpcc] [default: the workload's]
    #[arg(long, value_name = "N", value_parser = number)]
    pub(super) records: Option<f64>,
    /// Sizes of values, without keys, for raw keys: 4KiB, uniform:1KiB..64KiB, or zipfian:100B..32KiB, small ones
    /// most [default: the workload's]
    #[arg(long, value_name = "DISTRIBUTION")]
    pub(super) values: Option<ValueSizes>,
    /// Use rows that exist already
    #[arg(long)]
    pub(super) no_load: bool,
    /// Memory of each node, page cache included
    #[arg(long, value_name = "BYTES")]
    pub(super) memory: Option<Bytes>,
    /// Regions that the keys are split into
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) regions: u32,
    /// Set a key of TiKV's configuration, rocksdb.defaultcf.block-size=4KB, or a variable of MariaDB,
    /// innodb_io_capacity=2000; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Share of its limits that each disk delivers
    #[arg(long, value_name = "SHARE", default_value = "100%")]
    pub(super) disk_share: Ratio,
    /// Compress the driver's traffic with gzip, as TiDB's tikv-client.grpc-compression-type; TiKV only
    #[arg(long)]
    pub(super) gzip: bool,
    /// Zone of the driver: a, b, c …
    #[arg(long, value_name = "ZONE")]
    pub(super) zone: Option<String>,
    /// Shortest warm-up
    #[arg(long, value_name = "SPAN", default_value = "10s")]
    pub(super) warm_up: Nanos,
    /// Shortest measurement
    #[arg(long, value_name = "SPAN", default_value = "20s")]
    pub(super) least: Nanos,
    /// Longest measurement
    #[arg(long, value_name = "SPAN", default_value = "120s")]
    pub(super) most: Nanos,
    /// Relative half-width of the throughput's 95 % interval that ends the run
    #[arg(long, value_name = "SHARE", default_value = "2%")]
    pub(super) within: Ratio,
    /// Random seed (same seed, same operations)
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Folder of disks and logs during the run, best in memory; all of it is removed
    #[arg(long, value_name = "DIR", default_value = "/dev/shm/diskwright-bench")]
    pub(super) scratch: PathBuf,
}

/// Clients where neither the workload nor the command line says.
pub(super) const CLIENTS: u32 = 64;
/// Operations of an open loop that the database may have at a time, and arrivals that may wait.
const IN_FLIGHT: u32 = 4096;

impl Options {
    /// The order for a deployment that is started here.
    pub(crate) fn on(&self, workload: Workload, deployment: &Deployment) -> Result<StoreSpec, Failure> {
        let price = deployment.monthly(&inputs::view(deployment.as_of)).ok().map(|costs| costs.total());
        let title = match deployment.name.as_str() {
            "" => "a deployment without a name",
            name => name,
        };
        let keys = keys(&self.set)?;
        let options = cluster::ClusterOptions {
            memory: self.memory,
            keys,
            seed: self.seed,
            ..cluster::ClusterOptions::default()
        };
        let share = self.disk_share.0;
        if !(share > 0.0 && share <= 1.0) {
            return Err(Failure::input(format!(
                "--disk-share {}: expected more than 0 % and up to 100 %",
                self.disk_share
            )));
        }
        let (deployment, regions) = (deployment.clone(), self.regions as usize);
        let launched = LaunchedStore { deployment, options, regions, share };
        self.order(workload, DatabaseSource::Launched(Box::new(launched)), title, price)
    }

    /// The order for a cluster that is there.
    pub(crate) fn db(&self, workload: Workload, url: &str) -> Result<StoreSpec, Failure> {
        let scheme = url.split_once("://").map(|(scheme, _)| scheme);
        if scheme.is_some_and(|scheme| scheme != "tikv") {
            return Err(Failure::input(format!(
                "--db {url}: expected tikv://HOST:PORT, the placement driver's address, or mysql://USER@HOST/SCHEMA"
            )));
        }
        for (given, option) in [(self.memory.is_some(), "--memory"), (!self.set.is_empty(), "--set")] {
            if given {
                return Err(Failure::input(format!("{option} is for clusters that are started here, with --on")));
            }
        }
        self.order(workload, DatabaseSource::Existing(url.to_owned()), url, None)
    }

    fn order(
        &self,
        workload: Workload,
        source: DatabaseSource<LaunchedStore, String>,
        title: &str,
        price: Option<Usd>,
    ) -> Result<StoreSpec, Failure> {
        let rows = self.records.map(|rows| rows as u64);
        let scale = WorkloadScale { rows, values: self.values, ..WorkloadScale::default() };
        let recipe = OperationRecipe::new(&workload, scale)?;
        let own = recipe.clients().map(|clients| clients.round() as u32);
        let load = self.load(own, recipe.think(), IN_FLIGHT);
        let plan = RunPlan {
            limits: self.limits(),
            seed: self.seed,
            monthly: price,
            ..RunPlan::new(title, &workload.name, load, REQUEST_TIMEOUT)
        };
        plan.check().map_err(|error| Failure { code: error.exit_code(), message: error.to_string() })?;
        let settings = StoreSettings::new(workload, source);
        let client = rawkv::RawClientOptions { zone: self.zone.clone(), gzip: self.gzip, ..settings.client };
        let rows = if self.no_load { ExistingRows::Keep } else { ExistingRows::Load };
        Ok(StoreSpec { rows, ..StoreSpec::new(StoreSettings { scale, client, ..settings }, plan) })
    }

    /// Loop of the load; `own` and `think` are the workload's. An open loop has at most `in_flight` operations at a time.
    pub(super) fn load(&self, own: Option<u32>, think: Nanos, in_flight: u32) -> LoopKind {
        match self.rate {
            Some(rate) => {
                let arrivals = if self.even { ArrivalSpacing::Constant } else { ArrivalSpacing::Poisson };
                LoopKind::Open { rate, arrivals, in_flight, backlog: 16 * IN_FLIGHT }
            }
            None => LoopKind::Closed { clients: self.clients.or(own).unwrap_or(CLIENTS), think },
        }
    }

    /// How long runs are.
    pub(super) fn limits(&self) -> RunLimits {
        RunLimits {
            warm_least: self.warm_up,
            warm_most: Nanos(self.warm_up.0.saturating_mul(3)).max(Nanos::secs(1)),
            measure_least: self.least.min(self.most),
            measure_most: self.most,
            within: self.within.0,
            ..RunLimits::default()
        }
    }

    /// Test bed of this machine; `None` for an existing cluster.
    pub(crate) fn lab(&self, order: &StoreSpec) -> Result<Option<TestBed>, Failure> {
        let Some(LaunchedStore { deployment, .. }) = order.settings.source.launched() else { return Ok(None) };
        let programs = ClusterPrograms::find()?;
        private_dir::open(&self.scratch, FolderPurpose::SCRATCH)?;
        self.room(order, deployment)?;
        Ok(Some(TestBed { home: home::home()?, scratch: self.scratch.clone(), programs }))
    }

    /// Refuses what would not fit: a full scratch folder fails late and unclearly.
    fn room(&self, order: &StoreSpec, deployment: &Deployment) -> Result<(), Failure> {
        /// Rows, what is being compacted, and the raft log beside them.
        const SPREAD: f64 = 2.0;
        let recipe = OperationRecipe::new(&order.settings.workload, order.settings.scale)?;
        let needed = recipe.loaded_bytes() * f64::from(deployment.replicas()) * SPREAD;
        let there = DiskSpace::of(&self.scratch)
            .map_err(|error| Failure::environment(format!("{}: {error}", self.scratch.display())))?;
        if needed > there.available.as_f64() {
            return Err(Failure::input(format!(
                "{} rows need some {} of room in {}, which has {}: load fewer with --records, or name another folder with \
                 --scratch",
                recipe.loaded(),
                Bytes(needed as u64),
                self.scratch.display(),
                there.available
            )));
        }
        Ok(())
    }
}

/// One number: 200k, 5M.
fn number(text: &str) -> Result<f64, String> {
    let interval: Uncertain = text.parse().map_err(|error: units::ParseError| error.to_string())?;
    if interval.low() == interval.high() && interval.low() > 0.0 {
        return Ok(interval.low());
    }
    Err("expected one number above 0, such as 200k".to_owned())
}

/// TiKV's keys as nested tables.
fn keys(set: &[String]) -> Result<toml::Table, Failure> {
    let mut all = toml::Table::new();
    for pair in set {
        let wrong =
            || Failure::input(format!("--set {pair}: expected KEY=VALUE, such as rocksdb.rate-bytes-per-sec=80MB"));
        let (key, value) = pair.split_once('=').ok_or_else(wrong)?;
        let value = value.parse::<toml::Value>().unwrap_or_else(|_| toml::Value::String(value.to_owned()));
        let mut at = &mut all;
        let mut parts = key.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                at.insert(part.to_owned(), value.clone());
                break;
            }
            let next = at.entry(part.to_owned()).or_insert_with(|| toml::Table::new().into());
            at = next.as_table_mut().ok_or_else(wrong)?;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;

    /// Options after the workload.
    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn values_that_are_given_hold_in_place_of_the_workloads_and_the_data_are_as_large_as_their_mean() {
        let example = Path::new("../../examples/ycsb-a-uniform.toml");
        let workload = inputs::workload(example).unwrap().noun;
        let loaded_bytes = |line: &[&str]| {
            let line = [&["bench", "--records", "1k"][..], line].concat();
            let order = Line::parse_from(line).options.db(workload.clone(), "tikv://127.0.0.1:1").unwrap();
            OperationRecipe::new(&order.settings.workload, order.settings.scale).unwrap().loaded_bytes()
        };
        let constant = loaded_bytes(&["--values", "4KiB"]);
        assert_eq!(loaded_bytes(&["--values", "uniform:2KiB..6KiB"]), constant);
        assert_eq!(loaded_bytes(&["--values", "8KiB"]) - constant, 1000.0 * 4096.0);
        assert!(loaded_bytes(&[]) < constant, "the workload's own are a kilobyte");
    }

    #[test]
    fn keys_of_tikv_become_tables() {
        let set = ["rocksdb.max-background-jobs=4", "rocksdb.defaultcf.block-size=4KB"].map(str::to_owned);
        let expected = "[rocksdb]\nmax-background-jobs = 4\n[rocksdb.defaultcf]\nblock-size = \"4KB\"\n";
        assert_eq!(keys(&set).unwrap(), expected.parse::<toml::Table>().unwrap());
        for wrong in [&["a"][..], &["a=1", "a.b=2"]] {
            let set: Vec<_> = wrong.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(keys(&set).unwrap_err().code, 2);
        }
    }
}
