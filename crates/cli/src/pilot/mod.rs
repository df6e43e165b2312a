//! `diskwright pilot`: acts on a live cluster inside guardrails.

mod act;
mod drill;
mod folder;
mod iam;
mod limits;
mod maintenance;
mod reach;
mod run;
mod volumes;

use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `pilot`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright pilot run --pd http://127.0.0.1:2379 --prometheus http://127.0.0.1:9090
  diskwright pilot run --pd https://10.0.0.5:2379 --ca ca.pem --cert pilot.pem --key pilot.key --act
  diskwright pilot do tikv/1/rocksdb.rate-bytes-per-sec=100MB --pd http://127.0.0.1:2379 --act
  diskwright pilot undo --all --pd http://127.0.0.1:2379
  diskwright pilot stop

Without --act it only prints what it would do. Every change is journalled before, read back after,
and can be undone, also after the pilot was killed.")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Watch a cluster, and keep it right
    Run(Box<run::Args>),
    /// Change something by hand, within the same guardrails
    Do(act::Args),
    /// Show what was done, what is under way, and what could be undone
    Status(folder::StatusArgs),
    /// Undo what was done
    Undo(Box<folder::UndoArgs>),
    /// Stop the pilot, and keep it from beginning again: the kill switch
    Stop(folder::StopArgs),
    /// Show the log, a sentence for each step
    Log(folder::LogArgs),
    /// Serve a metadata server that announces an event, to rehearse maintenance
    Drill(drill::Args),
    /// Print the AWS policy that a pilot of volumes and instances needs
    Iam(iam::Args),
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    match &args.what {
        What::Run(args) => run::run(args, json),
        What::Do(args) => act::run(args, json),
        What::Status(args) => folder::status(args, json),
        What::Undo(args) => folder::undo(args, json),
        What::Stop(args) => folder::stop(args, json),
        What::Log(args) => folder::log(args, json),
        What::Drill(args) => drill::run(args, json),
        What::Iam(args) => iam::run(args),
    }
}
