//! The workload as people write it, and the tasks it stands for.

use std::path::Path;

use catalog::Date;
use textfile::{InputError, Text, from_toml, read_text};
use units::Interval;

use crate::pick::Pick;
use crate::{
    Engine, InsertWorkload, MeasuredLoad, MixWorkload, SysbenchWorkload, TargetIntervals, Task, TpccWorkload,
    WorkloadError, YcsbWorkload,
};

/// Load on a database, with its targets. Every number may be an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Name in tables and reports.
    pub name: String,
    /// The database.
    pub engine: Engine,
    /// The cloud region.
    pub region: String,
    /// The day whose limits and prices hold; today's if not given. A month, `2020-11`, is its last day.
    pub as_of: Option<Date>,
    /// The operations and the data.
    pub kind: WorkloadKind,
    /// Targets.
    pub targets: TargetIntervals,
}

/// The kinds of workload, each a table of the TOML.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkloadKind {
    /// `[tpcc]`.
    Tpcc(TpccWorkload),
    /// `[ycsb]`.
    Ycsb(YcsbWorkload),
    /// `[sysbench]`.
    Sysbench(SysbenchWorkload),
    /// `[inserts]`.
    Inserts(InsertWorkload),
    /// `[mix]`.
    Mix(Box<MixWorkload>),
    /// `[measured]`.
    Measured(Box<MeasuredLoad>),
}

/// The TOML, key for key: plain options keep the line of every fault, which a tagged enum would lose.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Document {
    /// Name of the workload in tables and reports.
    name: Option<String>,
    /// Database engine.
    engine: Engine,
    /// Cloud region whose instances, disks and prices apply.
    region: String,
    /// Day whose limits and prices apply. A month, `2020-11`, is its last day.
    #[serde(default, deserialize_with = "catalog::deserialize_day")]
    as_of: Option<Date>,
    /// TPC-C: one of the six kinds of workload, of which a file has exactly one.
    tpcc: Option<TpccWorkload>,
    /// A YCSB core workload.
    ycsb: Option<YcsbWorkload>,
    /// A sysbench OLTP test.
    sysbench: Option<SysbenchWorkload>,
    /// Inserts into one table.
    inserts: Option<InsertWorkload>,
    /// Operations of your own, by weight.
    mix: Option<MixWorkload>,
    /// A load measured on existing nodes, by iostat or by counters.
    measured: Option<MeasuredLoad>,
    /// Targets that a plan must meet.
    targets: Option<TargetIntervals>,
}

impl WorkloadKind {
    /// The table's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tpcc(_) => "tpcc",
            Self::Ycsb(_) => "ycsb",
            Self::Sysbench(_) => "sysbench",
            Self::Inserts(_) => "inserts",
            Self::Mix(_) => "mix",
            Self::Measured(_) => "measured",
        }
    }
}

impl Workload {
    /// Reads a workload from a file, `-` being the standard input.
    ///
    /// # Errors
    /// When the file cannot be read, is not a workload, or has a number that cannot be.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, InputError> {
        Self::from_text(&read_text(path, textfile::LIMIT)?, &mut |path| read_text(path, textfile::LIMIT))
    }

    /// Reads a workload from its text; `open` reads the iostat report that it may name.
    ///
    /// # Errors
    /// When it is not a workload or has a number that cannot be at either end of its interval.
    pub fn from_text(text: &Text, open: &mut dyn FnMut(&Path) -> Result<Text, InputError>) -> Result<Self, InputError> {
        let mut document: Document = from_toml(text)?;
        if let Some(measured) = &mut document.measured {
            measured.resolve(text, open)?;
        }
        let workload = Self {
            name: document.name.take().unwrap_or_else(|| text.path().display().to_string()),
            engine: document.engine,
            region: std::mem::take(&mut document.region),
            as_of: document.as_of,
            targets: document.targets.unwrap_or_default(),
            kind: document.kind(text)?,
        };
        let ends: [fn(&str, Interval<f64>) -> f64; 2] = [|_, i| i.low(), |_, i| i.high()];
        for mut end in ends {
            workload.task(&mut end).map_err(|error| text.error_at_key(&error.key, error.to_string()))?;
        }
        Ok(workload)
    }

    /// The numbers that are intervals, by their keys in the TOML, in base units: bytes, seconds, shares of one.
    pub fn inputs(&self) -> Vec<(String, Interval<f64>)> {
        let mut inputs = Vec::new();
        let found = self.task(&mut |key, interval| {
            inputs.push((key.to_owned(), interval));
            interval.middle()
        });
        debug_assert!(found.is_ok(), "what was read is sound: {found:?}");
        inputs
    }

    /// The workload with every number fixed; `pick` is asked for each that is an interval, by its key.
    ///
    /// # Errors
    /// When a number cannot be. What [`Workload::read`] returned has none inside its intervals.
    pub fn task(&self, pick: &mut dyn FnMut(&str, Interval<f64>) -> f64) -> Result<Task, WorkloadError> {
        let mut numbers = Pick::new(self.kind.name(), pick);
        let (mut measured, mut growth) = (None, None);
        let (profile, clients) = match &self.kind {
            WorkloadKind::Tpcc(tpcc) => tpcc.fix(&mut numbers)?,
            WorkloadKind::Ycsb(ycsb) => ycsb.fix(&mut numbers)?,
            WorkloadKind::Sysbench(sysbench) => sysbench.fix(&mut numbers)?,
            WorkloadKind::Inserts(inserts) => {
                let (profile, clients, grows) = inserts.fix(&mut numbers)?;
                growth = Some(grows);
                (profile, clients)
            }
            WorkloadKind::Mix(mix) => mix.fix(&mut numbers)?,
            WorkloadKind::Measured(load) => {
                let (profile, seen, clients) = load.fix(&mut numbers)?;
                measured = Some(seen);
                (profile, clients)
            }
        };
        let targets = self.targets.fix(measured.map(|_| 1.0), pick)?;
        Ok(Task { engine: self.engine, profile, clients, targets, measured, growth })
    }

    /// The workload at the middle of every interval.
    ///
    /// # Errors
    /// The errors of [`Workload::task`].
    pub fn middle(&self) -> Result<Task, WorkloadError> {
        self.task(&mut |_, interval| interval.middle())
    }

    /// Up to how many times what was measured was asked for, where it was measured at a disk that was full; `None` elsewhere.
    pub fn beyond_measured(&self) -> Option<f64> {
        match &self.kind {
            WorkloadKind::Measured(measured) => measured.at_least,
            _ => None,
        }
    }
}

impl Document {
    /// The one kind that is there.
    fn kind(self, text: &Text) -> Result<WorkloadKind, InputError> {
        let kinds = [
            self.tpcc.map(WorkloadKind::Tpcc),
            self.ycsb.map(WorkloadKind::Ycsb),
            self.sysbench.map(WorkloadKind::Sysbench),
            self.inserts.map(WorkloadKind::Inserts),
            self.mix.map(|mix| WorkloadKind::Mix(Box::new(mix))),
            self.measured.map(|measured| WorkloadKind::Measured(Box::new(measured))),
        ];
        let mut kinds = kinds.into_iter().flatten();
        let Some(kind) = kinds.next() else {
            return Err(InputError::new(text.path(), "says nothing about the operations")
                .help("add one of [tpcc], [ycsb], [sysbench], [inserts], [mix], [measured]"));
        };
        match kinds.next() {
            Some(other) => {
                let message = format!("both [{}] and [{}] are given; expected one kind", kind.name(), other.name());
                Err(text.error_at_key(other.name(), message).help("remove one of them"))
            }
            None => Ok(kind),
        }
    }
}
