//! Commands on their way: waiting to be proposed, and proposed but not yet applied.

use std::collections::VecDeque;

use raft::eraftpb::Entry;

use super::Peer;
use crate::answer::Answer;
use crate::applied::Position;
use crate::messages::{Apply, Owed};
use crate::out::Out;
use crate::{ApplyResult, Refusal, WriteCommand, clock, entry, metrics, refusals};

/// An entry takes so many bytes of commands; one that is longer goes alone.
const ENTRY_BYTES: usize = 64 << 10;
/// An entry takes so many commands.
const ENTRY_COMMANDS: usize = 256;
/// While so many of a region's writes are on their way to the disk, commands wait, and go together in the next.
const WRITES_AT_ONCE: usize = 2;

struct Waiting {
    command: WriteCommand,
    answer: Answer<ApplyResult>,
    at: u64,
}

struct Proposal {
    place: Position,
    answers: Vec<Answer<ApplyResult>>,
    at: u64,
}

/// A replica's commands.
#[derive(Default)]
pub(super) struct Commands {
    waiting: VecDeque<Waiting>,
    /// By term, then by index.
    proposed: VecDeque<Proposal>,
}

impl Commands {
    /// Nobody will be answered otherwise: what waits was not done, of what is proposed nobody knows.
    pub(super) fn refuse_all(&mut self, refusal: &Refusal) {
        for waiting in self.waiting.drain(..) {
            waiting.answer.give(Err(refusal.clone()));
        }
        for answer in self.proposed.drain(..).flat_map(|proposal| proposal.answers) {
            answer.give(Err(refusals::unknown("the node's disk failed")));
        }
    }

    /// A snapshot has what may be these proposals' changes, or others.
    pub(super) fn replaced_until(&mut self, index: u64) {
        while self.proposed.front().is_some_and(|proposal| proposal.place.index <= index) {
            for answer in self.proposed.pop_front().into_iter().flat_map(|proposal| proposal.answers) {
                answer.give(Err(refusals::unknown("a snapshot came in the place of the write's entry")));
            }
        }
    }

    /// Entries are committed: what is owed for them, and when the newest of them was proposed. Proposals in whose place
    /// others are get their answer.
    fn committed(&mut self, entries: &[Entry]) -> (Vec<Owed>, Option<u64>) {
        let mut owed = Vec::new();
        let mut newest = None;
        for entry in entries {
            while let Some(front) = self.proposed.front() {
                let Position { index, term } = front.place;
                if term > entry.term || (term == entry.term && index > entry.index) {
                    break;
                }
                let Some(proposal) = self.proposed.pop_front() else { break };
                if term == entry.term && index == entry.index {
                    newest = Some(proposal.at);
                    metrics::COMMIT_LOG.observe(clock::seconds_since(proposal.at));
                    owed.push(Owed { index, answers: proposal.answers });
                    continue;
                }
                // An entry of a later term at or before this one's place: this one cannot be committed any more.
                for answer in proposal.answers {
                    let unknown = || refusals::unknown("the write's entry was passed over");
                    answer.give(Err(if index >= entry.index { refusals::stale() } else { unknown() }));
                }
            }
        }
        (owed, newest)
    }
}

impl Peer {
    /// A command to propose.
    pub(crate) fn write(&mut self, command: WriteCommand, answer: Answer<ApplyResult>, at: u64) {
        self.commands.waiting.push_back(Waiting { command, answer, at });
    }

    /// Proposes what waits, many commands an entry.
    pub(crate) fn propose(&mut self, out: &mut Out) {
        if self.commands.waiting.is_empty() {
            return;
        }
        let refusal = if !self.leads() {
            Some(self.replica.not_leader())
        } else if self.raft.raft.lead_transferee.is_some() {
            Some(refusals::busy("the region's leadership is being handed over"))
        } else {
            out.node.full_refusal(&self.replica.region)
        };
        if let Some(refusal) = refusal {
            for waiting in self.commands.waiting.drain(..) {
                waiting.answer.give(Err(refusal.clone()));
            }
            return;
        }
        if self.in_writer >= WRITES_AT_ONCE {
            return;
        }
        if let Some(oldest) = self.commands.waiting.front() {
            metrics::REQUEST_WAIT.observe(clock::seconds_since(oldest.at));
        }
        while !self.commands.waiting.is_empty() {
            self.propose_entry();
        }
    }

    fn propose_entry(&mut self) {
        let (mut count, mut bytes) = (0, 0);
        for waiting in &self.commands.waiting {
            let size = waiting.command.size();
            if count == ENTRY_COMMANDS || (count > 0 && bytes + size > ENTRY_BYTES) {
                break;
            }
            count += 1;
            bytes += size;
        }
        let mut data = entry::Writer::with_capacity(bytes, count);
        let mut answers = Vec::with_capacity(count);
        for waiting in self.commands.waiting.drain(..count) {
            data.push(&waiting.command);
            answers.push(waiting.answer);
        }
        let at = clock::now();
        match self.raft.propose(Vec::new(), data.finish()) {
            Ok(()) => {
                let place = Position { index: self.raft.raft.raft_log.last_index(), term: self.raft.raft.term };
                self.commands.proposed.push_back(Proposal { place, answers, at });
            }
            Err(error) => {
                let refusal = refusals::busy(&format!("raft dropped the proposal: {error}"));
                answers.into_iter().for_each(|answer| answer.give(Err(refusal.clone())));
            }
        }
    }

    /// Entries are committed: they are applied next.
    pub(super) fn committed(&mut self, entries: Vec<Entry>, out: &mut Out) {
        let Some(last) = entries.last().map(|entry| entry.term) else { return };
        let (owed, newest) = self.commands.committed(&entries);
        let term = self.raft.raft.term;
        if let Some(sent) = newest
            && self.leads()
            && last == term
        {
            self.lease.renew(sent, term, &self.replica);
        }
        out.apply.push(Apply::entries(self.replica.clone(), entries, owed));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;

    type Given = Arc<Mutex<Vec<(u64, Result<ApplyResult, Refusal>)>>>;

    fn proposal(given: &Given, index: u64, term: u64) -> Proposal {
        let given = Arc::clone(given);
        let done = Box::new(move |outcome| given.lock().push((index, outcome)));
        Proposal { place: Position { index, term }, answers: vec![Answer::to_write(done)], at: 1 }
    }

    fn entry(index: u64, term: u64) -> Entry {
        Entry { index, term, ..Entry::default() }
    }

    #[test]
    fn a_proposal_is_stale_only_when_a_later_term_has_its_place() {
        let given = Given::default();
        let mut commands = Commands::default();
        commands.proposed.push_back(proposal(&given, 10, 7));
        commands.proposed.push_back(proposal(&given, 11, 7));
        // A second term of this leader, over a log that another leader had shortened.
        commands.proposed.push_back(proposal(&given, 9, 9));
        let (owed, _) = commands.committed(&[entry(8, 7)]);
        assert!(owed.is_empty() && given.lock().is_empty(), "10 and 11 may still be committed");
        let (owed, newest) = commands.committed(&[entry(9, 9)]);
        assert_eq!(owed.iter().map(|owed| owed.index).collect::<Vec<_>>(), [9]);
        assert_eq!(newest, Some(1));
        let stale = |index| (index, Err(refusals::stale()));
        assert_eq!(*given.lock(), [stale(10), stale(11)]);
    }

    #[test]
    fn a_snapshot_leaves_the_fate_of_what_it_replaces_unknown() {
        let given = Given::default();
        let mut commands = Commands::default();
        commands.proposed.push_back(proposal(&given, 10, 7));
        commands.proposed.push_back(proposal(&given, 11, 7));
        commands.replaced_until(10);
        assert_eq!(given.lock().len(), 1);
        assert!(matches!(&given.lock()[0], (10, Err(Refusal::Unknown(why))) if why.ends_with("fate unknown")));
    }
}
