//! The `diskwright` command: arguments, progress, exit codes and printing. Answers are made in the other crates.

#![forbid(unsafe_code)]
// What goes to a terminal goes through `output`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod availability;
mod bench;
mod catalog;
mod check;
mod claims;
mod diagnose;
mod diagnostics;
mod disk;
mod failure;
mod home;
mod import;
mod inputs;
mod on_signal;
mod origin;
mod output;
mod pilot;
mod plan;
mod progress;
mod render;
mod shell;
mod simulate;
mod usage;
mod version;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use report::text as table;

use crate::disk::DiskCommand;
use crate::failure::Failure;
use crate::output::Output;

/// Run databases on public-cloud disks at higher performance and lower cost.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "\
Exit codes:
  0  fine
  1  the answer is no: targets out of reach, a limit exceeded, a claim that does not hold, a disk
     in use, a cloud that would refuse
  2  wrong usage or input
  3  the environment fails: no FUSE, no root, output cannot be written

With --json, standard output holds one JSON document, {\"error\": {\"message\": …}} after a failure.
NO_COLOR is honoured."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,

    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: clap::ColorChoice,

    /// Print JSON with stable keys
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Find the cheapest deployments that meet a workload, and why not the others
    Plan(plan::Args),
    /// Find the limits that a deployment exceeds under its load
    Check(check::Args),
    /// Run a deployment under a workload in virtual time: hours in seconds
    Simulate(simulate::Args),
    /// Name the bottleneck of a database with its evidence, and price the cheapest remedy
    Diagnose(Box<diagnose::Args>),
    /// Make a deployment of what exists: topologies, manifests, settings
    Import(import::Args),
    /// Show the facts: disks, instances, prices, traffic between zones
    Catalog(catalog::Args),
    /// Compare published results with ours
    Claims(claims::Args),
    /// Compute how likely a range loses its quorum, and how it recovers
    Availability(availability::Args),
    /// Emulate cloud disks on this machine: mount, watch, modify, break and measure them
    #[command(
        subcommand,
        after_help = "\
Examples:
  diskwright disk mount gp3:100GiB,6000iops,250MiB/s /mnt/data
  diskwright disk up examples/raft-dedicated.toml /mnt/tikv
  diskwright disk ls /mnt/tikv --watch
  diskwright disk fault /mnt/tikv/raft stall 10s
  diskwright disk down --all"
    )]
    Disk(DiskCommand),
    /// Run a workload on a real engine, on emulated or real disks, and measure it
    Bench(Box<bench::Args>),
    /// Write a deployment as files that other tools read: settings, topologies, stacks, alarms
    Render(render::Args),
    /// Change a live cluster within guardrails: settings, limits, volumes, maintenance
    Pilot(pilot::Args),
    // The disk commands under the words that they had before they were grouped.
    /// `disk mount`
    #[command(hide = true)]
    Mount(disk::mount::MountArgs),
    /// `disk up`
    #[command(hide = true)]
    Up(disk::mount::UpArgs),
    /// `disk down`
    #[command(hide = true)]
    Down(disk::down::Args),
    /// `disk ls`
    #[command(hide = true)]
    Disks(disk::ls::Args),
    /// `disk modify`
    #[command(hide = true)]
    Modify(disk::modify::Args),
    /// `disk fault`
    #[command(hide = true)]
    Fault(disk::fault::Args),
    /// `disk record`
    #[command(hide = true)]
    Record(disk::record::Args),
    /// `disk probe`
    #[command(hide = true)]
    Probe(disk::probe::Args),
    /// Serve disks; started by `disk mount` and `disk up`
    #[command(hide = true)]
    Daemon {
        /// The state folder
        folder: std::path::PathBuf,
    },
    /// Print a completion script for a shell
    Completions(shell::CompletionsArgs),
    /// Write the manual pages, one for each verb, into a folder
    Man(shell::ManArgs),
}

fn main() -> ExitCode {
    diagnostics::print();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // The flag may stand anywhere on a line that could not be parsed.
            let json = std::env::args_os().any(|arg| arg == "--json");
            if error.kind() == ErrorKind::DisplayVersion {
                let version = version::Version::now();
                let output = if json { Output::json(&version.document()) } else { Output::text(version.text()) };
                return output::finish(Ok(output), json, true);
            }
            usage::tell(&error);
            if error.use_stderr() && json {
                let message = error.kind().to_string();
                return output::finish(Err(Failure::input(message)), true, false);
            }
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    output::choose_colour(cli.color);
    output::choose_width();
    let json = cli.json;
    output::finish(run(cli), json, true)
}

fn run(cli: Cli) -> Result<Output, Failure> {
    match cli.verb {
        Verb::Plan(args) => plan::run(&args, cli.json),
        Verb::Check(args) => check::run(&args, cli.json),
        Verb::Simulate(args) => simulate::run(&args, cli.json),
        Verb::Diagnose(args) => diagnose::run(&args, cli.json).map_err(on_signal::told),
        Verb::Import(args) => import::run(&args, cli.json),
        Verb::Catalog(args) => catalog::run(&args, cli.json),
        Verb::Claims(args) => claims::run(&args, cli.json),
        Verb::Availability(args) => availability::run(&args, cli.json),
        Verb::Disk(command) => disk::run(command, cli.json),
        Verb::Mount(args) => disk::run(DiskCommand::Mount(args), cli.json),
        Verb::Up(args) => disk::run(DiskCommand::Up(args), cli.json),
        Verb::Down(args) => disk::run(DiskCommand::Down(args), cli.json),
        Verb::Disks(args) => disk::run(DiskCommand::Ls(args), cli.json),
        Verb::Modify(args) => disk::run(DiskCommand::Modify(args), cli.json),
        Verb::Fault(args) => disk::run(DiskCommand::Fault(args), cli.json),
        Verb::Record(args) => disk::run(DiskCommand::Record(args), cli.json),
        Verb::Probe(args) => disk::run(DiskCommand::Probe(args), cli.json),
        Verb::Bench(args) => bench::run(&args, cli.json).map_err(on_signal::told),
        Verb::Render(args) => render::run(&args, cli.json),
        Verb::Pilot(args) => pilot::run(&args, cli.json),
        Verb::Daemon { folder } => {
            mount::daemon::run(&folder)?;
            Ok(Output::text(""))
        }
        Verb::Completions(args) => shell::completions(&args, cli.json),
        Verb::Man(args) => shell::man(&args, cli.json),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn what_stands_below_the_options_is_not_wrapped_again_on_a_terminal_of_100_columns() {
        fn check(command: &clap::Command) {
            let below =
                [command.get_after_help(), command.get_after_long_help()].map(|text| text.map(ToString::to_string));
            for line in below.iter().flatten().flat_map(|text| text.lines()) {
                assert!(line.chars().count() <= 100, "{}: {line}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }
}
