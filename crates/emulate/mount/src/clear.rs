//! Clearing away what a daemon left that is not there any more. It goes by what the kernel shows, not by what the daemon
//! wrote down, for it may have died between the two.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::home::State;
use crate::plan::Order;
use crate::process::Process;
use crate::{MountError, abort, files, loops, mounts, plan, system, unmount, unrecorded};

/// Sees to it that nobody is about to mount the disks of a state folder without record: a daemon whose starter did not
/// live to see it ready is ended.
///
/// # Errors
/// When its starter still waits for it, or it serves mounted disks: somebody removed its files.
pub(crate) fn abandoned(state: &State) -> Result<(), MountError> {
    if let Some(order) = files::read::<Order>(&state.order())
        && order.starter.is_alive()
    {
        let (dir, pid) = (order.request.dir.display(), order.starter.pid);
        return Err(MountError::Refused(format!("{dir} is being mounted by process {pid}: wait for it, or end it")));
    }
    // One whose disks are mounted was ready: its record was there.
    if let Some(daemon) = unrecorded::of(state) {
        return Err(daemon.refusal());
    }
    end(state);
    Ok(())
}

/// Ends a daemon that is not ready yet.
pub(crate) fn end(state: &State) {
    const PATIENCE: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_millis(5);
    let Some(process) = files::read::<Process>(&state.pid()) else { return };
    if process.is_alive() {
        let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
        let begun = Instant::now();
        while !system::process_is_gone(process.pid) && begun.elapsed() < PATIENCE {
            // A thread of it may wait for its own disk.
            abort::connection(state);
            std::thread::sleep(PAUSE);
        }
    }
}

/// Unmounts, detaches and removes all that belongs to a state folder whose daemon is gone, and the folder itself. Data
/// stays.
///
/// # Errors
/// When somebody uses a disk; the rest stays then too.
pub(crate) fn clear(state: &State) -> Result<(), MountError> {
    // First of all: what follows would wait for it.
    abort::connection(state);
    let disks = state.disks();
    // Disks that the kernel serves itself stand on their backing files.
    let order = files::read::<Order>(&state.order()).filter(|order| order.request.passthrough);
    let backing: Vec<PathBuf> = order.iter().flat_map(|order| plan::backings(&order.request)).collect();
    let ours = |left: &loops::Loop| left.file.starts_with(&disks) || backing.contains(&left.file);
    let left: Vec<loops::Loop> = loops::all().into_iter().filter(ours).collect();
    let devices: Vec<(u32, u32)> = left.iter().filter_map(loops::Loop::numbers).collect();
    let on_them: Vec<_> = mounts::all().into_iter().filter(|mount| devices.contains(&mount.device)).collect();
    for mount in on_them.iter().rev() {
        unmount::now(&mount.at)?;
    }
    for device in &left {
        device.detach()?;
    }
    if mounts::is_mounted(&disks) {
        unmount::lazily(&disks);
    }
    remove(state)
}

/// Removes the folders that were made for a mount, and its state folder. Nothing may be mounted in it any more.
pub(crate) fn remove(state: &State) -> Result<(), MountError> {
    if mounts::is_mounted(&state.disks()) {
        let place = state.disks();
        return Err(MountError::Busy { holders: crate::holders::of(&place), place });
    }
    if let Some(order) = files::read::<Order>(&state.order()) {
        // What people put there meanwhile stays, for only empty folders can be removed so.
        for folder in order.created.iter().rev() {
            let _ = std::fs::remove_dir(folder);
        }
    }
    match std::fs::remove_dir_all(&state.folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(MountError::system(format!("{} cannot be removed", state.folder.display()), error))
        }
        _ => Ok(()),
    }
}
