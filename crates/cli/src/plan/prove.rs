//! `diskwright plan --prove N`: the best plans run on this machine, as small as it is.

use std::path::Path;

use catalog::CatalogView;
use cluster::{ClusterPrograms, TestBed};
use disk_space::DiskSpace;
use plan::PlanResult;
use private_dir::FolderPurpose;
use reference_store::prove::{MachineBudget, PlanProof, RawKeyWorkload, StagedPlan};
use workload::Workload;

use crate::bench::live::Live;
use crate::failure::Failure;
use crate::{home, on_signal};

/// Requirements on the machine, checked before the search begins.
#[derive(Debug)]
pub(crate) struct Prover {
    plans: usize,
    lab: TestBed,
}

impl Prover {
    /// Refuses what could not be run.
    pub(crate) fn new(plans: u16, workload: &Workload, scratch: &Path) -> Result<Self, Failure> {
        RawKeyWorkload::new(workload)?;
        let programs = ClusterPrograms::find()?;
        if let Err(error) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/fuse") {
            return Err(Failure::environment(format!(
                "--prove mounts disks, and /dev/fuse cannot be opened ({error}): run it as root on a machine with FUSE \
                 (`modprobe fuse`; in a container `--device /dev/fuse --cap-add SYS_ADMIN`)"
            )));
        }
        let scratch = private_dir::open(scratch, FolderPurpose::SCRATCH)?;
        let lab = TestBed { home: home::home()?, scratch, programs };
        Ok(Self { plans: plans.into(), lab })
    }

    /// Runs the best plans, one after the other.
    pub(crate) fn prove(
        &self,
        workload: &Workload,
        answer: &PlanResult,
        view: &CatalogView,
    ) -> Result<Vec<PlanProof>, Failure> {
        let stop = on_signal::catch()?;
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let machine = MachineBudget { processors: processors as f64 };
        let stage = |plan: &plan::Plan| StagedPlan::new(workload, &plan.deployment, view, &machine, &stop);
        let staged: Vec<StagedPlan> = answer.plans.iter().take(self.plans).map(stage).collect::<Result<_, _>>()?;
        for staged in &staged {
            self.room(staged)?;
        }
        let mut live = Live::new();
        let of = staged.len();
        let mut proofs = Vec::new();
        for (i, staged) in staged.into_iter().enumerate() {
            live.side(format!("plan {} of {of}: ", i + 1));
            proofs.push(staged.prove(&self.lab, &mut |stage| live.show(&stage))?);
        }
        live.end();
        Ok(proofs)
    }

    /// Refuses what would not fit: a full scratch folder fails late and unclearly.
    fn room(&self, staged: &StagedPlan) -> Result<(), Failure> {
        let scratch = &self.lab.scratch;
        let there =
            DiskSpace::of(scratch).map_err(|error| Failure::environment(format!("{}: {error}", scratch.display())))?;
        let needed = staged.room()?;
        if needed > there.available {
            return Err(Failure::environment(format!(
                "a run takes some {needed:.1} of room in {}, which has {:.1}: name another folder with --scratch, best in \
                 memory",
                scratch.display(),
                there.available
            )));
        }
        Ok(())
    }
}
