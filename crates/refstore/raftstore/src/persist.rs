//! Writes of the state that wait for room on its disk.

use std::time::Duration;

use crate::StateError;
use crate::node::Node;

/// A state without room is tried again after this long.
const RETRY: Duration = Duration::from_millis(100);

/// Does something to the state; while there is no room, again and again. False when the node is broken or stops.
pub(crate) fn persist(node: &Node, what: impl Fn() -> Result<(), StateError>) -> bool {
    let mut waiting = None;
    loop {
        match what() {
            Ok(()) => {
                if waiting.is_some() {
                    node.disks.accept();
                }
                return true;
            }
            Err(full @ StateError::Full(_)) => {
                waiting.get_or_insert_with(|| node.disks.wait_for_room());
                node.disks.refuse(full.to_string());
                if node.stopping() || node.broken.is() {
                    return false;
                }
                std::thread::sleep(RETRY);
            }
            Err(error) => {
                node.break_down(&error.to_string());
                return false;
            }
        }
    }
}
