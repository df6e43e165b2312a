//! The `diskwright` command: arguments, progress and printing; what it says comes from the other crates.

#![forbid(unsafe_code)]
// What goes to a terminal goes through `output`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod availability;
mod bench;
mod catalog;
mod check;
mod claims;
mod diagnose;
mod disks;
mod down;
mod failure;
mod fault;
mod home;
mod inputs;
mod modify;
mod mount;
mod on_signal;
mod output;
mod pilot;
mod plan;
mod plan_json;
mod plan_text;
mod probe;
mod progress;
mod record;
mod render;
mod simulate;
mod table;
mod usage;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

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
    /// Find which limits a deployment is asked more of than they deliver
    Check(check::Args),
    /// Run a deployment under a workload in virtual time: hours in seconds
    Simulate(simulate::Args),
    /// Name what a database runs into, show what says so, and price the cheapest change
    Diagnose(diagnose::Args),
    /// Show the facts: disks, instances, prices, transfer
    Catalog(catalog::Args),
    /// Compare published results with ours
    Claims(claims::Args),
    /// Tell how likely a range loses its quorum, and what brings it back
    Availability(availability::Args),
    /// Mount a cloud disk on this machine
    Mount(mount::MountArgs),
    /// Mount the disks of a deployment's node
    Up(mount::UpArgs),
    /// Unmount
    Down(down::Args),
    /// Show what the mounted disks do: rates, latency, what holds them up, credits
    Disks(disks::Args),
    /// Change size, type or rates of a mounted disk
    Modify(modify::Args),
    /// Let something go wrong with a mounted disk
    Fault(fault::Args),
    /// Run a command and keep what its disks did
    Record(record::Args),
    /// Measure a disk and name the one that behaves like it
    Probe(probe::Args),
    /// Run a workload on a real engine, on emulated or real disks, and measure it
    Bench(Box<bench::Args>),
    /// Write a deployment as files that other tools read: settings, topologies, stacks, alarms
    Render(render::Args),
    /// Act on a live cluster, inside guardrails: settings, limits, maintenance, and their undoing
    Pilot(pilot::Args),
    /// Serve disks; started by `mount` and `up`
    #[command(hide = true)]
    Daemon {
        /// The state folder
        folder: std::path::PathBuf,
    },
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  diskwright completions bash > ~/.local/share/bash-completion/completions/diskwright
  diskwright completions zsh > ~/.zfunc/_diskwright
  diskwright completions fish > ~/.config/fish/completions/diskwright.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            usage::tell(&error);
            // The flag may stand anywhere on a line that could not be parsed.
            if error.use_stderr() && std::env::args_os().any(|arg| arg == "--json") {
                let message = error.kind().to_string();
                return output::finish(Err(Failure::input(message)), true, false);
            }
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    output::choose_colour(cli.color);
    let json = cli.json;
    output::finish(run(cli), json, true)
}

fn run(cli: Cli) -> Result<Output, Failure> {
    match cli.verb {
        Verb::Plan(args) => plan::run(&args, cli.json),
        Verb::Check(args) => check::run(&args, cli.json),
        Verb::Simulate(args) => simulate::run(&args, cli.json),
        Verb::Diagnose(args) => diagnose::run(&args, cli.json).map_err(on_signal::told),
        Verb::Catalog(args) => catalog::run(&args, cli.json),
        Verb::Claims(args) => claims::run(&args, cli.json),
        Verb::Availability(args) => availability::run(&args, cli.json),
        Verb::Mount(args) => mount::mount(args, cli.json),
        Verb::Up(args) => mount::up(args, cli.json),
        Verb::Down(args) => down::run(&args, cli.json),
        Verb::Disks(args) => disks::run(&args, cli.json),
        Verb::Modify(args) => modify::run(&args, cli.json),
        Verb::Fault(args) => fault::run(&args, cli.json),
        Verb::Record(args) => record::run(&args, cli.json),
        Verb::Probe(args) => probe::run(&args, cli.json),
        Verb::Bench(args) => bench::run(&args, cli.json).map_err(on_signal::told),
        Verb::Render(args) => render::run(&args, cli.json),
        Verb::Pilot(args) => pilot::run(&args, cli.json),
        Verb::Daemon { folder } => {
            ::mount::daemon::run(&folder)?;
            Ok(Output::text(""))
        }
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "diskwright", &mut script);
            Ok(Output::text(String::from_utf8_lossy(&script)))
        }
    }
}

#[cfg(test)]
mod tests {
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
