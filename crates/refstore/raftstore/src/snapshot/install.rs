//! A range is replaced by a snapshot that came in. A crash on the way repeats it: the log says that it begins after the
//! snapshot, and the state says so only at the end.

use std::fs::{self, File};
use std::io::BufReader;

use super::format::{self, Piece};
use crate::applied::{self, Progress, Restart};
use crate::error::{SnapshotError, SnapshotFault};
use crate::node::Node;
use crate::persist::persist;
use crate::replica::Replica;
use crate::{ColumnFamily, StateChange, StateStore};

/// A write of the state has so many bytes of pairs.
const WRITE: usize = 1 << 20;

/// Replaces a range.
pub(crate) fn install(
    node: &Node,
    state: &dyn StateStore,
    replica: &Replica,
    restart: &Restart,
) -> Result<Progress, SnapshotError> {
    let region_id = replica.region.id;
    let path = super::path(node, restart.file.as_bytes()).ok_or(SnapshotError::NoName)?;
    let failed =
        |fault: SnapshotFault| SnapshotError::File { region: region_id, path: path.display().to_string(), fault };
    let file = File::open(&path).map_err(|error| failed(error.into()))?;
    let mut file = BufReader::new(file);
    let write = |changes: &[StateChange]| match persist(node, || state.write(changes)) {
        true => Ok(()),
        false => Err(failed(SnapshotFault::Unwritten)),
    };

    let (from, until) = &replica.range;
    let mut changes = vec![StateChange::Delete(ColumnFamily::Raft, applied::key(region_id))];
    for cf in [ColumnFamily::Default, ColumnFamily::Lock, ColumnFamily::Write] {
        changes.push(StateChange::DeleteRange(cf, from.clone(), until.clone()));
    }
    let mut bytes = 0;
    let mut count = 0;
    loop {
        let piece = format::next(&mut file).map_err(|error| failed(error.into()))?;
        match format::read(&piece).ok_or_else(|| failed(SnapshotFault::Damaged))? {
            Piece::End(wanted) if wanted == count => break,
            Piece::End(_) => return Err(failed(SnapshotFault::PairsMissing)),
            Piece::Pairs(pairs) => {
                count += pairs.len() as u64;
                bytes += piece.len();
                changes.extend(pairs.into_iter().map(|(cf, key, value)| StateChange::Put(cf, key, value)));
            }
        }
        if bytes >= WRITE {
            write(&changes)?;
            changes.clear();
            bytes = 0;
        }
    }
    let progress = Progress { applied: restart.at, truncated: restart.at };
    changes.push(progress.change(region_id));
    write(&changes)?;
    if !persist(node, || state.sync()) {
        return Err(failed(SnapshotFault::Unsynced));
    }
    // Left, it is removed at the next start.
    let _ = fs::remove_file(&path);
    Ok(progress)
}
