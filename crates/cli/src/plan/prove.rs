//! `diskwright plan --prove N`: the best plans run on this machine, as small as it is.

use std::path::Path;

use catalog::View;
use cluster::{Lab, Programs};
use plan::Answer;
use private_dir::Purpose;
use reference_store::prove::{Machine, Proof, Raw, Staged};
use units::Bytes;
use workload::Workload;

use crate::bench::live::Live;
use crate::failure::Failure;
use crate::{home, on_signal};

/// What is needed of the machine, looked for before anything is searched.
#[derive(Debug)]
pub(crate) struct Prover {
    plans: usize,
    lab: Lab,
}

impl Prover {
    /// Refuses what could not be run.
    pub(crate) fn new(plans: u16, workload: &Workload, scratch: &Path) -> Result<Self, Failure> {
        Raw::new(workload)?;
        let programs = Programs::find()?;
        if let Err(error) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/fuse") {
            return Err(Failure::environment(format!(
                "--prove mounts disks, and /dev/fuse cannot be opened ({error}): run it as root on a machine with FUSE \
                 (`modprobe fuse`; in a container `--device /dev/fuse --cap-add SYS_ADMIN`)"
            )));
        }
        let scratch = private_dir::open(scratch, Purpose::SCRATCH)?;
        let lab = Lab { home: home::home()?, scratch, programs };
        Ok(Self { plans: plans.into(), lab })
    }

    /// Runs the best plans, one after the other.
    pub(crate) fn prove(&self, workload: &Workload, answer: &Answer, view: &View) -> Result<Vec<Proof>, Failure> {
        let stop = on_signal::catch()?;
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let machine = Machine { processors: processors as f64 };
        let stage = |plan: &plan::Plan| Staged::new(workload, &plan.deployment, view, &machine, &stop);
        let staged: Vec<Staged> = answer.plans.iter().take(self.plans).map(stage).collect::<Result<_, _>>()?;
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
    fn room(&self, staged: &Staged) -> Result<(), Failure> {
        let scratch = &self.lab.scratch;
        let there = nix::sys::statvfs::statvfs(scratch)
            .map_err(|error| Failure::environment(format!("{}: {error}", scratch.display())))?;
        let (needed, free) = (staged.room()?, there.blocks_available() as f64 * there.fragment_size() as f64);
        if needed.as_f64() > free {
            return Err(Failure::environment(format!(
                "a run takes some {needed:.1} of room in {}, which has {:.1}: name another folder with --scratch, best in \
                 memory",
                scratch.display(),
                Bytes(free as u64)
            )));
        }
        Ok(())
    }
}
