//! Interface of the evaluators: one recipe in, one answer out.

use catalog::{Catalog, CatalogView};
use deployment::Deployment;
use disk::{Disk, DiskLimits};
use textfile::Text;
use units::Usd;
use workload::{Task, Workload};

use crate::error::ClaimError;
use crate::files::{LedgerFiles, LedgerPath};
use crate::rows::ClaimSource;
use crate::rung::Rung;
use crate::test_bed::ClaimTestBed;
use crate::value::ClaimValue;

/// Computes, simulates or measures the answer to a claim from the arguments of its recipe.
pub(crate) trait Evaluator: std::fmt::Debug + Send + Sync {
    /// The rung on which it answers.
    fn rung(&self) -> Rung;

    /// Whether it answers on [`Rung::Pilot`] besides.
    fn answers_by_pilot(&self) -> bool {
        false
    }

    /// Whether it needs a test bed.
    fn needs_test_bed(&self) -> bool {
        matches!(self.rung(), Rung::Mount | Rung::Bench)
    }

    /// Files of the ledger that it reads, by the key that names each.
    fn files(&self) -> Vec<(String, &LedgerPath)> {
        Vec::new()
    }

    /// Refuses arguments that contradict each other.
    fn check(&self) -> Result<(), RecipeFault> {
        Ok(())
    }

    /// The answer.
    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError>;
}

/// A contradiction in a recipe's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecipeFault {
    /// The key at fault, in the evaluator's table.
    pub(crate) key: String,
    /// The fault, and what was expected.
    pub(crate) problem: String,
}

impl RecipeFault {
    pub(crate) fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { key: key.into(), problem: problem.into() }
    }
}

/// Our result, and what to know of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClaimAnswer {
    pub(crate) value: ClaimValue,
    pub(crate) remark: Option<String>,
    /// Whether chance is excluded: a 95 % interval leaves out "no difference".
    pub(crate) certain: bool,
}

impl From<ClaimValue> for ClaimAnswer {
    fn from(value: ClaimValue) -> Self {
        Self { value, remark: None, certain: true }
    }
}

impl ClaimAnswer {
    /// The answer with a remark.
    pub(crate) fn remark(self, remark: impl Into<String>) -> Self {
        Self { remark: Some(remark.into()), ..self }
    }
}

/// Facts, files and machine from which a claim is answered.
#[derive(Debug)]
pub(crate) struct EvaluationContext<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) source: &'a ClaimSource,
    /// Facts of the source's day, or the latest.
    pub(crate) view: CatalogView,
    pub(crate) files: &'a LedgerFiles,
    pub(crate) rung: Rung,
    pub(crate) test_bed: Option<&'a ClaimTestBed>,
}

impl<'a> EvaluationContext<'a> {
    /// Price of a disk a month.
    pub(crate) fn disk_monthly(&self, disk: &Disk) -> Result<Usd, ClaimError> {
        Ok(disk.monthly(&self.view, &self.source.region)?)
    }

    /// Sustained limits of a disk without an instance.
    pub(crate) fn limits(&self, disk: &Disk) -> Result<DiskLimits, ClaimError> {
        Ok(disk.limits(&self.view, None)?)
    }

    pub(crate) fn text(&self, path: &LedgerPath) -> Result<Text, ClaimError> {
        Ok(self.files.text(path)?)
    }

    pub(crate) fn deployment(&self, path: &LedgerPath) -> Result<Deployment, ClaimError> {
        Ok(Deployment::from_text(&self.text(path)?)?)
    }

    /// The task of a workload, its intervals at their middle.
    pub(crate) fn task(&self, path: &LedgerPath) -> Result<Task, ClaimError> {
        Ok(Workload::from_text(&self.text(path)?, &mut |name| self.files.named(name))?.middle()?)
    }

    pub(crate) fn test_bed(&self) -> Result<&'a ClaimTestBed, ClaimError> {
        self.test_bed.ok_or(ClaimError::NoTestBed { rung: self.rung })
    }
}
