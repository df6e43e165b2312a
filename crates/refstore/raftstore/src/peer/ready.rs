//! Raft's outcomes, carried out: what to send, what to write, what to apply.

use std::sync::atomic::Ordering;

use raft::eraftpb::MessageType;
use raft::{Ready, StateRole};

use super::Peer;
use crate::applied::{Position, Restart};
use crate::clock;
use crate::messages::{Sending, WriteTask};
use crate::out::{Out, addressed};

impl Peer {
    /// Carries out everything that raft has to say by now.
    pub(crate) fn finish_round(&mut self, out: &mut Out) {
        self.propose(out);
        self.ask();
        self.hear_of_commit();
        self.answer_followers(out);
        while self.raft.has_ready() {
            let ready = self.raft.ready();
            self.carry_out(ready, out);
        }
    }

    fn carry_out(&mut self, mut ready: Ready, out: &mut Out) {
        self.notice_leader(out);
        for message in ready.take_messages() {
            self.post(message, out);
        }
        let number = ready.number();
        let restart = self.take_snapshot(&ready, number, out);
        let read_states = ready.take_read_states();
        let committed = ready.take_committed_entries();
        let entries = ready.take_entries();
        self.raft.mut_store().append(&entries);
        let hard = ready.hs().filter(|hard| (hard.term, hard.vote) != self.written || restart.is_some()).cloned();
        // A restarted log has nothing of what it was, term and vote neither.
        let hard = hard.or_else(|| restart.is_some().then(|| self.raft.raft.hard_state()));
        if let Some(hard) = &hard {
            self.written = (hard.term, hard.vote);
        }
        let messages = ready.take_persisted_messages();
        if entries.is_empty() && hard.is_none() && restart.is_none() && self.in_writer == 0 {
            // Nothing on the disk is waited for: no thread needs to be.
            for message in messages {
                self.post(message, out);
            }
            let mut light = self.raft.advance_append(ready);
            for message in light.take_messages() {
                self.post(message, out);
            }
            self.committed(committed, out);
            self.committed(light.take_committed_entries(), out);
        } else {
            let addressed =
                messages.iter().filter_map(|message| addressed(&out.node, &self.replica, message)).collect();
            self.raft.advance_append_async(ready);
            self.in_writer += 1;
            out.tasks.push(WriteTask {
                region_id: self.replica.region.id,
                place: self.replica.place,
                number,
                entries,
                hard,
                restart,
                messages: addressed,
                at: clock::now(),
            });
            self.committed(committed, out);
        }
        self.answered(read_states);
    }

    /// A snapshot that raft has accepted: the log begins after it.
    fn take_snapshot(&mut self, ready: &Ready, number: u64, out: &Out) -> Option<Restart> {
        let snapshot = ready.snapshot();
        if snapshot.is_empty() {
            return None;
        }
        let about = snapshot.get_metadata();
        let at = Position { index: about.index, term: about.term };
        let restart = Restart { at, file: String::from_utf8_lossy(&snapshot.data).into_owned() };
        self.commands.replaced_until(at.index);
        self.raft.mut_store().restart(at);
        // One that was to be installed before it need not be any more.
        match self.install.replace((number, restart.clone())) {
            Some((_, older)) => crate::snapshot::remove(&out.node, older.file.as_bytes()),
            None => self.installing += 1,
        }
        Some(restart)
    }

    fn post(&mut self, message: raft::eraftpb::Message, out: &mut Out) {
        if message.get_msg_type() == MessageType::MsgSnapshot {
            let _ = out.snapshots.send(Sending { replica: self.replica.clone(), message });
        } else {
            self.send(message, out);
        }
    }

    /// Lets others know who leads; a lease ends with the leadership it came from.
    fn notice_leader(&mut self, out: &mut Out) {
        let raft = &self.raft.raft;
        let (term, leader, leads) = (raft.term, raft.leader_id, raft.state == StateRole::Leader);
        let replica = &self.replica;
        let known = (
            replica.term.load(Ordering::Relaxed),
            replica.leader.load(Ordering::Relaxed),
            replica.leads.load(Ordering::Relaxed),
        );
        if known == (term, leader, leads) {
            return;
        }
        self.lease.end(replica);
        replica.term.store(term, Ordering::Relaxed);
        replica.leader.store(leader, Ordering::Relaxed);
        replica.leads.store(leads, Ordering::Relaxed);
        if !leads {
            replica.pending.lock().clear();
        }
        self.reads.begin_term();
        out.changed.push(self.replica.clone());
    }
}
