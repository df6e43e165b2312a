//! The state of a whole range, for a replica that is behind the log.

mod format;
mod install;
mod send;
mod sink;

use std::path::PathBuf;

use crate::node::Node;

pub(crate) use install::install;
pub(crate) use send::run as run_sender;
pub use sink::SnapshotSink;

/// Where a snapshot's file is. Its name came from this node, and names no other folder.
fn path(node: &Node, file: &[u8]) -> Option<PathBuf> {
    let name = str::from_utf8(file).ok().filter(|name| !name.is_empty() && !name.contains('/'))?;
    Some(node.snapshot_dir.join(name))
}

/// Removes the file of a snapshot that nobody wants.
pub(crate) fn remove(node: &Node, file: &[u8]) {
    if let Some(path) = path(node, file) {
        // Left, it is removed at the next start.
        let _ = std::fs::remove_file(path);
    }
}
