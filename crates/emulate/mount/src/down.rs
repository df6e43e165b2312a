//! Unmounting.

use std::path::Path;
use std::time::Duration;

use crate::home::State;
use crate::plan::{Order, backing};
use crate::process::Process;
use crate::{DaemonClient, MountError, MountHome, MountedNode, clear, files, find};

/// Unmounts the disks at or in a folder and ends their daemon, or clears away what a dead one left. Their data stays
/// unless `delete`.
///
/// # Errors
/// When nothing is mounted there, or somebody uses it; nothing is unmounted then.
pub fn down(home: &MountHome, dir: &Path, delete: bool) -> Result<(), MountError> {
    let (state, order) = known(home, dir)?;
    // Others need not wait until all that was written is on the disks.
    if let Some(node) = MountedNode::read(&state).filter(MountedNode::is_alive) {
        end(&state, &node)?;
    }
    let _lock = home.lock()?;
    match MountedNode::read(&state) {
        // Mounted again meanwhile, by somebody else.
        Some(node) if node.is_alive() => return Ok(()),
        Some(_) => {}
        None => clear::abandoned(&state)?,
    }
    clear::clear(&state)?;
    if let Some(order) = order.filter(|_| delete) {
        delete_data(&order)?;
    }
    Ok(())
}

/// Tells a daemon to end and waits until it has.
fn end(state: &State, node: &MountedNode) -> Result<(), MountError> {
    /// The disks are unmounted by then; only threads have to end.
    const PATIENCE: Duration = Duration::from_secs(20);
    let told = DaemonClient::of(node).and_then(|client| client.stop());
    let process = Process { pid: node.pid, started: node.pid_started };
    match told {
        // Somebody else was quicker, or it just died: then it did not answer.
        Err(MountError::Environment(_)) if process.wait(Duration::from_secs(1)) => Ok(()),
        Err(error) => Err(error),
        Ok(()) if process.wait(PATIENCE) => Ok(()),
        Ok(()) => Err(MountError::Environment(format!(
            "the disks are unmounted, but their daemon {} does not end: see {}",
            node.pid,
            state.log().display()
        ))),
    }
}

/// The state of a folder, and what was ordered there. A mount that never came to be is known by its folder only.
fn known(home: &MountHome, dir: &Path) -> Result<(State, Option<Order>), MountError> {
    let state = match find(home, dir) {
        Ok(node) => State { folder: node.state },
        Err(error) => {
            let state = home.state(&crate::plan::absolute(dir)?);
            if !state.folder.exists() {
                return Err(error);
            }
            state
        }
    };
    let order = files::read(&state.order());
    Ok((state, order))
}

fn delete_data(order: &Order) -> Result<(), MountError> {
    let request = &order.request;
    for wanted in &request.disks {
        let path = backing(request, &wanted.name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(MountError::system(format!("{} cannot be deleted", path.display()), error));
            }
            _ => {}
        }
    }
    // The last one out; a folder that people made is theirs.
    if request.backing == Path::new(MountHome::BACKING) || order.created.contains(&request.backing) {
        let _ = std::fs::remove_dir(&request.backing);
    }
    Ok(())
}
