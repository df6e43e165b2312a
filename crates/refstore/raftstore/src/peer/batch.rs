//! Raft's batches of entries, mended. raft-rs 0.7.0 adds entries to an append without any that has not left yet, wherever
//! that one begins (`try_batching`, `is_continuous_ents`); whoever takes it acknowledges what it does not have.

use raft::eraftpb::{Message, MessageType};
use raft::{RaftLog, Storage};

/// Lets an append begin where its entries do. Whether it can: what comes before them may be gone from the log, and then the
/// message is not to be sent.
pub(super) fn mend<S: Storage>(message: &mut Message, log: &RaftLog<S>) -> bool {
    let Some(first) = message.entries.first().filter(|_| message.get_msg_type() == MessageType::MsgAppend) else {
        return true;
    };
    let before = first.index - 1;
    if message.index == before {
        return true;
    }
    // Raft's log gives 0 for what it does not have; no entry here is of that term.
    let Some(term) = log.term(before).ok().filter(|term| *term > 0) else { return false };
    message.index = before;
    message.log_term = term;
    true
}

#[cfg(test)]
mod tests {
    use raft::storage::MemStorage;
    use raft::{Config, RawNode};

    use super::*;

    /// What the node sends.
    fn round(node: &mut RawNode<MemStorage>) -> Vec<Message> {
        let mut sent = Vec::new();
        while node.has_ready() {
            let mut ready = node.ready();
            sent.extend(ready.take_messages());
            sent.extend(ready.take_persisted_messages());
            let storage = node.mut_store().clone();
            storage.wl().append(ready.entries()).unwrap();
            if let Some(hard) = ready.hs() {
                storage.wl().set_hardstate(hard.clone());
            }
            sent.extend(node.advance(ready).take_messages());
            node.advance_apply();
        }
        sent
    }

    fn answer(kind: MessageType, term: u64) -> Message {
        let mut message = Message::default();
        message.set_msg_type(kind);
        (message.from, message.to, message.term) = (2, 1, term);
        message
    }

    /// A leader whose follower got none of three entries, says that it lives, and then that it lacks them, all in one round.
    #[test]
    fn a_batch_begins_where_its_entries_do() {
        let config = Config { id: 1, batch_append: true, ..Config::default() };
        let storage = MemStorage::new_with_conf_state((vec![1, 2, 3], vec![]));
        let logger = slog::Logger::root(slog::Discard, slog::o!());
        let mut leader = RawNode::new(&config, storage, &logger).unwrap();
        leader.campaign().unwrap();
        round(&mut leader);
        let term = leader.raft.term;
        leader.step(answer(MessageType::MsgRequestVoteResponse, term)).unwrap();
        round(&mut leader);
        let first = leader.raft.raft_log.last_index();
        let mut taken = answer(MessageType::MsgAppendResponse, term);
        taken.index = first;
        leader.step(taken).unwrap();
        round(&mut leader);
        for _ in 0..3 {
            leader.propose(Vec::new(), b"lost".to_vec()).unwrap();
            round(&mut leader);
        }

        leader.step(answer(MessageType::MsgHeartbeatResponse, term)).unwrap();
        let mut lacks = answer(MessageType::MsgAppendResponse, term);
        (lacks.index, lacks.reject, lacks.reject_hint, lacks.log_term) = (first + 3, true, first, term);
        leader.step(lacks).unwrap();
        let appends = round(&mut leader).into_iter().filter(|message| message.to == 2 && !message.entries.is_empty());
        let mut appends: Vec<Message> = appends.collect();
        let wrong = |message: &Message| message.entries[0].index != message.index + 1;
        assert!(appends.iter().any(wrong), "raft does it right: this module can go");
        let cut = appends[0].clone();
        for append in &mut appends {
            assert!(mend(append, &leader.raft.raft_log));
            assert!(!wrong(append), "{append:?}");
            assert_eq!(append.log_term, leader.raft.raft_log.term(append.index).unwrap());
        }

        // Once the log begins later, nobody can say what comes before these entries.
        leader.mut_store().wl().compact(first + 3).unwrap();
        assert!(!mend(&mut cut.clone(), &leader.raft.raft_log), "{cut:?}");
    }
}
