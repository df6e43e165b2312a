//! `diskwright disk`: cloud disks on this machine.

mod against;
pub(crate) mod down;
pub(crate) mod fault;
pub(crate) mod ls;
pub(crate) mod modify;
pub(crate) mod mount;
pub(crate) mod probe;
pub(crate) mod record;

use crate::failure::Failure;
use crate::output::Output;

/// Verbs of `disk`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum DiskCommand {
    /// Mount a cloud disk on this machine
    Mount(mount::MountArgs),
    /// Mount the disks of a deployment's node
    Up(mount::UpArgs),
    /// Unmount
    Down(down::Args),
    /// Show the mounted disks: rates, latency, the limit that holds them up, credits
    Ls(ls::Args),
    /// Change size, type or rates of a mounted disk
    Modify(modify::Args),
    /// Inject a fault into a mounted disk
    Fault(fault::Args),
    /// Run a command and record its disks
    Record(record::Args),
    /// Measure a disk and name the one that behaves like it
    Probe(probe::Args),
}

pub(crate) fn run(command: DiskCommand, json: bool) -> Result<Output, Failure> {
    match command {
        DiskCommand::Mount(args) => mount::mount(args, json),
        DiskCommand::Up(args) => mount::up(args, json),
        DiskCommand::Down(args) => down::run(&args, json),
        DiskCommand::Ls(args) => ls::run(&args, json),
        DiskCommand::Modify(args) => modify::run(&args, json),
        DiskCommand::Fault(args) => fault::run(&args, json),
        DiskCommand::Record(args) => record::run(&args, json),
        DiskCommand::Probe(args) => probe::run(&args, json),
    }
}
