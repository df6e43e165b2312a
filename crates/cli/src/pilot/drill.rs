//! `diskwright pilot drill`: a metadata server that announces something, so that its handling can be rehearsed.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::ValueEnum;
use jiff::Timestamp;
use maintenance::MachineCloud;
use maintenance::emulator::{AnnouncedEvent, MetadataEmulator, MetadataServer, PlannedEvent};
use report::verbs::pilot::{drill_document, drill_text, in_time};
use units::Nanos;

use crate::failure::Failure;
use crate::on_signal;
use crate::output::Output;
use crate::progress::Steps;

/// Notice of events that the cloud announces days before, shortened for a rehearsal.
const SHORTENED: Duration = Duration::from_secs(600);
/// The first answer of Azure, which takes two minutes there.
const FIRST: Duration = Duration::from_secs(2);
/// Time that it serves on after the event: a listener looks every five seconds at most (AWS), and has to see the end.
const AFTERWARDS: Duration = Duration::from_secs(10);
/// How often the bar moves.
const LOOK: Duration = Duration::from_millis(100);

/// Arguments of `pilot drill`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Serves the metadata server of a machine of that cloud, announces one event, and prints when it was
read. Let a pilot listen to it: diskwright pilot run --metadata http://127.0.0.1:8775 …

Examples:
  diskwright pilot drill
  diskwright pilot drill --cloud aws --event terminate --after 30s
  diskwright pilot drill --cloud azure --event Freeze --notice 2m --machine tikv-0 --json

Exits with 1 if no listener read it before it began.")]
pub(crate) struct Args {
    /// Cloud whose metadata server is served
    #[arg(long, value_enum, default_value = "gcp")]
    cloud: Whose,
    /// Event, in the cloud's words: MIGRATE_ON_HOST_MAINTENANCE, system-reboot, terminate, Freeze
    #[arg(long, value_name = "WORD")]
    event: Option<String>,
    /// Machine of the event
    #[arg(long, value_name = "NAME", default_value = "vm-1")]
    machine: String,
    /// Time until the notice
    #[arg(long, value_name = "TIME", default_value = "10s")]
    after: Nanos,
    /// Time from the notice to the event [default: the cloud's, at most ten minutes]
    #[arg(long, value_name = "TIME")]
    notice: Option<Nanos>,
    /// Length of the event
    #[arg(long, value_name = "TIME", default_value = "20s")]
    takes: Nanos,
    /// Loopback address of the server; port 0 is a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8775")]
    listen: SocketAddr,
}

/// A cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Whose {
    /// Google Compute Engine
    Gcp,
    /// EC2
    Aws,
    /// Azure
    Azure,
}

impl Whose {
    /// Which.
    pub(crate) fn cloud(self) -> MachineCloud {
        match self {
            Self::Gcp => MachineCloud::Gcp,
            Self::Aws => MachineCloud::Aws,
            Self::Azure => MachineCloud::Azure,
        }
    }

    /// The event that is rehearsed by default.
    fn usual(self) -> &'static str {
        match self {
            Self::Gcp => "MIGRATE_ON_HOST_MAINTENANCE",
            Self::Aws => "system-reboot",
            Self::Azure => "Freeze",
        }
    }
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    if !args.listen.ip().is_loopback() {
        let message = format!("--listen {}: expected an address of this machine such as 127.0.0.1:8775", args.listen);
        return Err(Failure::input(message));
    }
    let span = |nanos: Nanos| Duration::from_nanos(nanos.0);
    let word = args.event.as_deref().unwrap_or(args.cloud.usual());
    let announced = Timestamp::now()
        .checked_add(span(args.after))
        .map_err(|_| Failure::input(format!("--after {}: expected hours at most", args.after)))?;
    let plan = |lead| AnnouncedEvent::usual(args.cloud.cloud(), word, announced, lead, span(args.takes));
    let mut planned = plan(args.notice.map(span))?;
    if args.notice.is_none() && planned.starts == planned.announced {
        planned = plan(Some(SHORTENED))?;
    }
    let mut emulator = MetadataEmulator::new(&args.machine);
    emulator.azure_takes(FIRST);
    emulator.plan(planned);
    let server = MetadataServer::start(emulator, args.listen)
        .map_err(|error| Failure::environment(format!("--listen {}: {error}; name another port", args.listen)))?;
    tracing::info!("serving {} of {} at {}", args.cloud.cloud(), args.machine, server.base());
    let interrupted = on_signal::catch()?;
    let happening = watch(&server, &interrupted);
    let in_time = in_time(&happening);
    Ok(if json {
        Output::json(&drill_document(&happening, &args.machine, interrupted.load(Ordering::Relaxed)))
    } else {
        Output::text(drill_text(&happening, &args.machine))
    }
    .negative(!in_time))
}

/// Waits until the event's end can have been seen, or for Ctrl-C.
fn watch(server: &MetadataServer, interrupted: &AtomicBool) -> PlannedEvent {
    const OF: u64 = 5;
    let mut bar = Steps::new(OF);
    bar.begin("announced soon");
    loop {
        let happening = server.with(|emulator| emulator.happenings().first().cloned());
        let Some(happening) = happening else { continue };
        let now = Timestamp::now();
        let planned = &happening.planned;
        let step = match () {
            () if now < planned.announced => 1,
            () if now < planned.starts && happening.read.is_none() => 2,
            () if now < planned.starts => 3,
            () if now < planned.ends => 4,
            () => 5,
        };
        let what = ["it is announced", "somebody reads it", "it was read, and begins", "it goes on", "it is over"];
        let what = what[step as usize - 1];
        let until = planned.ends.as_nanosecond() + AFTERWARDS.as_nanos() as i128;
        let left = u64::try_from(until - now.as_nanosecond()).unwrap_or(0);
        bar.at(step, OF, what, Nanos(left));
        if left == 0 || interrupted.load(Ordering::Relaxed) {
            bar.end();
            return happening;
        }
        std::thread::sleep(LOOK);
    }
}
