//! Reads that need a word from the leader, or from a quorum, before the local state may be read.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use raft::ReadState;
use raft::eraftpb::Message;

use super::Peer;
use crate::answer::Answer;
use crate::out::{Out, addressed};
use crate::replica::Replica;
use crate::{RaftSettings, Refusal, clock, refusals};

/// A question that has no answer after so many ticks was lost: it is asked again. TiKV's
/// `raft-read-index-retry-interval-ticks`.
const RETRY_TICKS: u32 = 4;
/// Questions on their way at once; more reads wait and share the next.
const QUESTIONS: usize = 4;

struct Read {
    /// Any replica may answer, not only the leader.
    anywhere: bool,
    answer: Answer<()>,
    at: u64,
}

struct Question {
    id: [u8; 16],
    at: u64,
    reads: Vec<Read>,
}

/// A replica's reads.
#[derive(Default)]
pub(super) struct Reads {
    waiting: Vec<Read>,
    asked: VecDeque<Question>,
    /// Reads that may go on when the state has an index.
    indexed: Vec<(u64, Read)>,
    /// What the leader of this term has said to be committed, where the log does not have it yet.
    promised: Option<(u64, u64)>,
    /// A leader's answers to followers, until what they tell of is in the state.
    held: Vec<Message>,
    count: u64,
}

impl Reads {
    /// The state has this index.
    pub(super) fn applied(&mut self, applied: u64) {
        for (_, read) in self.indexed.extract_if(.., |(index, _)| *index <= applied) {
            read.answer.give(Ok(()));
        }
    }

    /// An answer to a follower waits for the entry that it names.
    pub(super) fn hold(&mut self, answer: Message) {
        self.held.push(answer);
    }

    /// The leader, or the term, is another: whatever was asked is asked anew, and followers ask whoever leads.
    pub(super) fn begin_term(&mut self) {
        self.held.clear();
        self.ask_again();
    }

    /// Whatever was asked is asked anew.
    fn ask_again(&mut self) {
        self.waiting.extend(self.asked.drain(..).flat_map(|question| question.reads));
    }

    /// Questions that were lost are asked anew; reads that wait for too long are refused.
    pub(super) fn give_up(&mut self, replica: &Replica, settings: &RaftSettings) {
        if self.waiting.is_empty() && self.asked.is_empty() && self.indexed.is_empty() {
            return;
        }
        let now = clock::now();
        let retry = clock::nanos(settings.tick.saturating_mul(RETRY_TICKS));
        if self.asked.front().is_some_and(|question| question.at + retry < now) {
            self.ask_again();
        }
        let patience = clock::nanos(settings.tick).saturating_mul(2 * settings.election_ticks as u64);
        let late = |read: &Read| read.at + patience < now;
        let waiting = self.waiting.extract_if(.., |read| late(read));
        let indexed = self.indexed.extract_if(.., |(_, read)| late(read)).map(|(_, read)| read);
        for read in waiting.chain(indexed) {
            read.answer.give(Err(refusals::read_not_ready(replica.region.id)));
        }
    }

    /// Nobody will be answered otherwise.
    pub(super) fn refuse_all(&mut self, refusal: &Refusal) {
        self.ask_again();
        for read in self.waiting.drain(..).chain(self.indexed.drain(..).map(|(_, read)| read)) {
            read.answer.give(Err(refusal.clone()));
        }
    }
}

impl Peer {
    /// A read that needs leave.
    pub(crate) fn read(&mut self, anywhere: bool, answer: Answer<()>, at: u64) {
        self.reads.waiting.push(Read { anywhere, answer, at });
    }

    /// Answers what waits, or asks for all of it at once.
    pub(crate) fn ask(&mut self) {
        if self.reads.waiting.is_empty() {
            return;
        }
        let (leads, term) = (self.leads(), self.raft.raft.term);
        if leads && self.lease.holds(&self.replica) {
            self.reads.waiting.drain(..).for_each(|read| read.answer.give(Ok(())));
            return;
        }
        if !leads {
            let refused = |read: &mut Read| !read.anywhere || self.raft.raft.leader_id == raft::INVALID_ID;
            for read in self.reads.waiting.extract_if(.., refused) {
                read.answer.give(Err(self.replica.not_leader()));
            }
        }
        // A new leader does not know yet what others have acknowledged.
        let ready = !leads || self.lease.caught_up(term);
        if !ready || self.reads.waiting.is_empty() || self.reads.asked.len() >= QUESTIONS {
            return;
        }
        let at = clock::now();
        self.reads.count += 1;
        let mut id = [0; 16];
        id[..8].copy_from_slice(&self.replica.peer.id.to_be_bytes());
        // Unique over restarts: a process cannot ask twice in a nanosecond, nor can its clock's beginning.
        id[8..].copy_from_slice(&(question_base().wrapping_add(self.reads.count)).to_be_bytes());
        self.reads.asked.push_back(Question { id, at, reads: std::mem::take(&mut self.reads.waiting) });
        self.raft.read_index(id.to_vec());
    }

    /// Sends what followers wait for, as far as it is in the state.
    pub(super) fn answer_followers(&mut self, out: &mut Out) {
        let applied = self.replica.applied.load(Ordering::Acquire);
        for answer in self.reads.held.extract_if(.., |answer| answer.index <= applied) {
            if let Some((store, message)) = addressed(&out.node, &self.replica, &answer) {
                out.mail.push(store, message);
            }
        }
    }

    /// A commit that came with an answer counts once its entry is here: the next message would bring it, but reads wait.
    pub(super) fn hear_of_commit(&mut self) {
        let Some((index, term)) = self.reads.promised else { return };
        let raft = &mut self.raft.raft;
        // What is committed was appended in the term of who said so, for a leader answers when it has applied such an entry.
        if raft.term != term || raft.raft_log.maybe_commit(index, term) || raft.raft_log.committed >= index {
            self.reads.promised = None;
        }
    }

    /// Questions that have their answer.
    pub(super) fn answered(&mut self, states: Vec<ReadState>) {
        let applied = self.progress().applied.index;
        let term = self.raft.raft.term;
        for state in states {
            let Some(place) = self.reads.asked.iter().position(|question| question.id[..] == state.request_ctx[..])
            else {
                continue;
            };
            let Some(question) = self.reads.asked.remove(place) else { continue };
            let leads = self.leads();
            if leads {
                // A quorum has answered what was sent after this moment.
                self.lease.renew(question.at, term, &self.replica);
            } else {
                self.reads.promised = Some((state.index, term));
            }
            for read in question.reads {
                // What was acknowledged, or shown by a follower, is in the state of a leader that is caught up, as one that
                // asks is. What is committed beside it may wait for room on the disk, and reads go on.
                if leads || state.index <= applied {
                    read.answer.give(Ok(()));
                } else {
                    self.reads.indexed.push((state.index, read));
                }
            }
        }
    }
}

/// Where the numbers of this process's questions begin: wall clock at its first question, for nothing else is new with
/// every start. Only a mistaken answer to a question of the former process would match.
fn question_base() -> u64 {
    use std::sync::LazyLock;
    use std::time::SystemTime;
    static BASE: LazyLock<u64> =
        LazyLock::new(|| SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, clock::nanos));
    *BASE
}
