//! The daemon: serves the disks of one node until it is told to stop.

mod attached;
mod control;
mod disks;
mod history;
mod metrics;
mod modify;
mod mounting;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::MissedTickBehavior;

use crate::home::State;
use crate::plan::Order;
use crate::process::Process;
use crate::{MountError, clear, files};
use disks::Disks;

/// Serves, attaches and mounts the disks that the order in `state_folder` names, and stays until it is told to stop. The
/// standard streams are its log. SIGTERM and SIGINT unmount the disks and end it; while somebody uses them it says who
/// and goes on, unless the signal comes again within ten seconds: then they are unmounted lazily.
///
/// In a container, bring the disks down before it ends. When all processes of a mount namespace are killed at once, the
/// dying daemon itself has to unmount the filesystems, whose last writes wait for the daemon; only
/// `/sys/fs/fuse/connections/*/abort` ends that.
///
/// # Errors
/// When the disks cannot be served or mounted; it is also left in the state folder for the program that waits for it.
pub fn run(state_folder: &Path) -> Result<(), MountError> {
    let state = State { folder: state_folder.to_owned() };
    let ended = settle().and_then(|()| serve(&state));
    if let Err(error) = &ended {
        log(error);
        if let Err(unwritten) = files::write(&state.error(), error) {
            log(unwritten);
        }
    }
    ended
}

/// A line of the log, with the time.
pub(crate) fn log(what: impl std::fmt::Display) {
    textfile::log_line(format_args!("{:.3} {what}", jiff::Timestamp::now()));
}

/// Cuts the ties to the terminal and to memory pressure. Before any thread is started.
fn settle() -> Result<(), MountError> {
    // A daemon that leads its session already is as good.
    let _ = nix::unistd::setsid();
    nix::sys::stat::umask(Mode::from_bits_truncate(0o077));
    // Filesystems hang when this process is killed: it is the last that should be.
    if let Err(error) = std::fs::write("/proc/self/oom_score_adj", "-1000") {
        log(format!("the daemon may be killed when memory runs short: /proc/self/oom_score_adj: {error}"));
    }
    if let Err(error) = fuse::guard_memory() {
        log(format!("the daemon may wait for itself when memory runs short: {error}"));
    }
    Ok(())
}

fn serve(state: &State) -> Result<(), MountError> {
    let order: Order = files::read(&state.order()).ok_or_else(|| {
        let folder = state.folder.display();
        MountError::Input(format!(
            "{folder} holds no order: the daemon is started by `diskwright disk mount` or `diskwright disk up`"
        ))
    })?;
    files::write(&state.pid(), &Process::this())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MountError::system("the daemon cannot start its event loop", error))?;
    let metrics = metrics::bind(order.request.metrics)?;
    let address = metrics.local_addr().map_err(|error| MountError::system("the metrics' address", error))?;
    let disks = Arc::new(Disks::start(state, order, address)?);
    let ended = runtime.block_on(live(&disks, state, metrics));
    // A task that reads the counters must not outlive what it reads.
    drop(runtime);
    disks.end();
    // After an error the folder stays for whoever waits for the daemon.
    ended?;
    clear::remove(state)?;
    log("ended");
    Ok(())
}

/// Answers until the disks are unmounted.
async fn live(disks: &Arc<Disks>, state: &State, metrics: std::net::TcpListener) -> Result<(), MountError> {
    /// A second signal within this time means it.
    const INSISTENCE: Duration = Duration::from_secs(10);
    let failed = |error: std::io::Error| MountError::system("the daemon cannot listen", error);
    let stopped = Arc::new(Notify::new());
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let started = metrics::start(metrics, disks).and_then(|()| control::start(state, disks, &stopped));
    if let Err(error) = started.and_then(|()| disks.record()) {
        disks.give_up();
        return Err(error);
    }
    log("ready");
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut refused: Option<Instant> = None;
    loop {
        tokio::select! {
            () = stopped.notified() => return Ok(()),
            _ = seconds.tick() => {
                let _ = aside(disks, Disks::tick).await;
                continue;
            }
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if refused.is_some_and(|at| at.elapsed() < INSISTENCE) {
            log("told twice to end: what is in use is unmounted lazily");
            aside(disks, Disks::give_up).await?;
            return Ok(());
        }
        match aside(disks, Disks::unmount).await? {
            Ok(()) => return Ok(()),
            Err(error) => {
                log(format!("told to end, but {error}. Told again within 10 s it lets go all the same"));
                refused = Some(Instant::now());
            }
        }
    }
}

/// Does something slow without keeping others waiting.
async fn aside<T: Send + 'static>(
    disks: &Arc<Disks>,
    what: impl FnOnce(&Disks) -> T + Send + 'static,
) -> Result<T, MountError> {
    let disks = Arc::clone(disks);
    let done = tokio::task::spawn_blocking(move || what(&disks)).await;
    done.map_err(|error| MountError::system("the daemon failed", error))
}
