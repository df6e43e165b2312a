//! The threads that send snapshots: one reads the state while the other sends.

use bytes::Bytes;
use crossbeam_channel::{Receiver, Sender, bounded};
use raft::eraftpb::Message;

use super::format::Pieces;
use crate::applied::{self, Progress};
use crate::messages::{Sending, ToShard};
use crate::node::Node;
use crate::out::addressed;
use crate::replica::Replica;
use crate::{ColumnFamily, RaftTransport, StateError, StateStore, clock, metrics};

/// Pieces that are read ahead of the network.
const AHEAD: usize = 4;

enum Read {
    /// What the snapshot contains; comes first.
    Begin(Progress),
    Piece(Bytes),
}

/// Sends until nobody can ask for more.
pub(crate) fn run(node: &Node, state: &dyn StateStore, transport: &dyn RaftTransport, work: &Receiver<Sending>) {
    for Sending { replica, message } in work {
        if node.stopping() || node.broken.is() {
            continue;
        }
        let begun = clock::now();
        let to = message.to;
        let arrived = send(node, state, transport, &replica, message);
        metrics::snapshot("send", arrived);
        metrics::SNAPSHOT_SENT.observe(clock::seconds_since(begun));
        node.shards.send(replica.place, ToShard::SnapshotSent { place: replica.place, to, arrived });
    }
}

fn send(
    node: &Node,
    state: &dyn StateStore,
    transport: &dyn RaftTransport,
    replica: &Replica,
    mut message: Message,
) -> bool {
    let (pieces, read) = bounded(AHEAD);
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().name("snap-generator".to_owned());
        let Ok(reader) = reader.spawn_scoped(scope, move || export(node, state, replica, &pieces)) else {
            return false;
        };
        let Ok(Read::Begin(progress)) = read.recv() else { return false };
        // Entries may have been applied since raft asked: the message says what is really sent.
        let about = message.mut_snapshot().mut_metadata();
        about.index = progress.applied.index;
        about.term = progress.applied.term;
        let Some((store, message)) = addressed(node, replica, &message) else { return false };
        let mut pieces = read.iter().filter_map(|read| match read {
            Read::Piece(piece) => Some(piece),
            Read::Begin(_) => None,
        });
        let arrived = transport.send_snapshot(store, message, &mut pieces);
        // A reader that still has pieces must not wait for somebody who takes them.
        drop(pieces);
        drop(read);
        // Without its last piece no receiver takes it for whole, but the sender might.
        arrived && reader.join().unwrap_or(false)
    })
}

/// Whether all was read and taken.
fn export(node: &Node, state: &dyn StateStore, replica: &Replica, to: &Sender<Read>) -> bool {
    let region_id = replica.region.id;
    let key = applied::key(region_id);
    let mut after = key.to_vec();
    after.push(0);
    let (from, until) = &replica.range;
    let data =
        [ColumnFamily::Default, ColumnFamily::Lock, ColumnFamily::Write].map(|cf| (cf, from.clone(), until.clone()));
    let mut ranges = vec![(ColumnFamily::Raft, key, Bytes::from(after))];
    ranges.extend(data);
    let gone = |_| StateError::Disk("nobody takes the snapshot".to_owned());
    let mut pieces = Pieces::new();
    let read = state.export(&ranges, &mut |cf, key, value| {
        if node.stopping() {
            return Err(StateError::Disk("the node is stopping".to_owned()));
        }
        if cf == ColumnFamily::Raft {
            return to.send(Read::Begin(Progress::decode(&value)?)).map_err(gone);
        }
        match pieces.push(cf, &key, &value) {
            Some(piece) => to.send(Read::Piece(piece)).map_err(gone),
            None => Ok(()),
        }
    });
    read.is_ok() && pieces.finish().into_iter().all(|piece| to.send(Read::Piece(piece)).is_ok())
}
