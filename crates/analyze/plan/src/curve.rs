//! The cost curve: the best price over throughput, for each kind of disk.

use rayon::prelude::*;
use workload::Task;

use crate::answer::{Plan, RejectedCandidate};
use crate::options::{Allowed, PlanError, PlanOptions};
use crate::planner::{Goal, Planner};
use crate::problem::Problem;
use crate::rows::Rows;

/// Throughputs of the curve, as multiples of the target: halves and doubles with steps between them, the target among them.
const MULTIPLES: [f64; 11] = [0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 2.8, 4.0];

/// The best price of every kind of disk over throughput.
#[derive(Debug, Clone, PartialEq)]
pub struct CostCurve {
    /// The throughputs, ascending, in the unit of the plans.
    pub throughputs: Vec<f64>,
    /// One for each kind of disk that reaches any of them.
    pub lines: Vec<CostLine>,
}

/// The cheapest deployments with one kind of data disk.
#[derive(Debug, Clone, PartialEq)]
pub struct CostLine {
    /// The kind: `gp3`, or the instances' own flash.
    pub disk: String,
    /// The cheapest plan at each throughput of the curve; `None` where no deployment with this disk meets the targets.
    pub best: Vec<Option<Plan>>,
}

/// The cheapest plan of each kind of disk at one throughput.
type BestOfEach = Vec<(String, Option<Plan>)>;

impl Planner<'_> {
    /// The cheapest deployment of every kind of disk at a quarter to four times the target throughput; all other targets, and the
    /// data, stay as they are.
    ///
    /// # Errors
    /// As [`Planner::plan`].
    pub fn cost_curve(&self, task: &Task, options: &PlanOptions) -> Result<CostCurve, PlanError> {
        let targets: Vec<f64> = MULTIPLES.iter().map(|multiple| task.targets.throughput * multiple).collect();
        let columns: Result<Vec<BestOfEach>, PlanError> =
            targets.par_iter().map(|target| self.best_of_each_disk(task, *target, options)).collect();
        let columns = columns?;
        let names = columns.first().into_iter().flatten().map(|(disk, _)| disk.clone());
        let line = |(i, disk): (usize, String)| CostLine {
            disk,
            best: columns.iter().map(|column| column[i].1.clone()).collect(),
        };
        let lines: Vec<CostLine> = names.enumerate().map(line).collect();
        Ok(CostCurve {
            throughputs: targets,
            lines: lines.into_iter().filter(|line| line.best.iter().any(Option::is_some)).collect(),
        })
    }

    fn best_of_each_disk(&self, task: &Task, throughput: f64, options: &PlanOptions) -> Result<BestOfEach, PlanError> {
        let mut task = task.clone();
        task.targets.throughput = throughput;
        let problem = Problem::new(self.model, self.market, self.space, self.ceilings, &task);
        let allowed = Allowed::new(options, self.market, self.space, problem.rule)?;
        let rows = Rows::new(&problem, &allowed.instances, &allowed.nodes);
        let all: Vec<usize> = (0..rows.bodies.len()).collect();
        let of_disk = |goal: Goal| match &goal {
            Goal::Subject(RejectedCandidate::Disk(name)) => {
                let found = self.pursue(&goal, &rows, &all, &allowed, options);
                Some((name.clone(), found.top.first().map(|candidate| problem.plan(candidate))))
            }
            Goal::Subject(RejectedCandidate::Family(_)) | Goal::Top => None,
        };
        Ok(self.goals(&allowed, problem.rule).into_iter().filter_map(of_disk).collect())
    }
}
