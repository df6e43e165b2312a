//! Nodes that go away and come back. A node that is away stands still: its threads, its disks' answers and its part of the
//! log. Others go on without it while a quorum is left; its clients wait for the election of new leaders, and when it is back
//! it is sent what it missed.

use rand::RngExt;
use units::Nanos;

use super::World;
use super::event::{Event, Group, Item, MOST_FOLLOWERS, NONE, Req, What};
use crate::cpu::Pool;

/// A follower was away when the entries were sent: it gets them later, with others.
pub(super) const MISSED: u8 = 4;
/// The follower's part of entries that are sent again: they are committed.
const COMMITTED: u8 = 2;
/// Bytes of the log that are sent again at once, and how many of those at a time: raft-max-size-per-msg is 1 MB.
const SENT_AGAIN: f64 = 1_048_576.0;
const AT_A_TIME: u32 = 4;

/// What a node missed while it was away, summed up.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Missed {
    records: f64,
    log: f64,
    tree: [f64; 2],
    wal: f64,
    /// Pieces on their way.
    under_way: u32,
}

/// A node's absence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outage {
    /// Whether it is away.
    pub(crate) away: bool,
    /// Reasons for which it is: it comes back when all are over.
    reasons: u32,
    /// Since when.
    since: Nanos,
    /// What would have happened to it meanwhile.
    parked: Vec<Event>,
    missed: Missed,
    /// Whether it may not lead.
    evicted: bool,
}

impl World {
    /// The leader of some range.
    pub(super) fn leader(&mut self) -> u16 {
        self.leaders[self.random.random_range(0..self.leaders.len())]
    }

    /// A node goes away, for one more reason.
    pub(super) fn go_away(&mut self, node: usize) {
        let this = &mut self.nodes[node];
        this.outage.reasons += 1;
        if this.outage.away {
            return;
        }
        (this.outage.away, this.outage.since) = (true, self.now);
        this.cpu.pause(self.now);
        self.any_away = true;
        // What clients wait for of it, they ask of its ranges' next leaders; what it still does of that, nobody waits for.
        let lost: Vec<u32> = self
            .reqs
            .iter()
            .filter(|(_, req)| req.node as usize == node && req.arrived && req.op != NONE)
            .map(|(index, _)| index as u32)
            .collect();
        for index in lost {
            let old = &mut self.reqs[index as usize];
            let again = Req { arrived: false, next: NONE, ..*old };
            old.op = NONE;
            let again = self.reqs.insert(again) as u32;
            self.ask_again(again);
        }
        self.agenda.add(self.now + self.election() + self.election(), Event::Elected(node as u16));
    }

    /// A reason is over.
    pub(super) fn come_back(&mut self, node: usize) {
        let outage = &mut self.nodes[node].outage;
        outage.reasons = outage.reasons.saturating_sub(1);
        if !outage.away || outage.reasons > 0 {
            return;
        }
        outage.away = false;
        let parked = std::mem::take(&mut outage.parked);
        self.nodes[node].cpu.resume(self.now);
        self.shares = true;
        self.any_away = self.nodes.iter().any(|node| node.outage.away);
        for event in parked {
            self.agenda.add(self.now, event);
        }
        self.send_again(node);
        self.catch_up(node);
    }

    /// A node hands its leaders over, which takes raft but a few milliseconds.
    pub(super) fn evict(&mut self, node: usize) {
        self.nodes[node].outage.evicted = true;
        self.stop_leading(node);
    }

    /// It may lead again.
    pub(super) fn may_lead(&mut self, node: usize) {
        self.nodes[node].outage.evicted = false;
        self.lead(node);
    }

    /// The ranges that a node led have leaders elsewhere.
    pub(super) fn elected(&mut self, node: usize) {
        if self.nodes[node].outage.away {
            self.stop_leading(node);
        }
    }

    fn stop_leading(&mut self, node: usize) {
        // Somebody is asked, even if nobody is there to answer.
        if self.leaders.iter().any(|leader| *leader as usize != node) {
            self.leaders.retain(|leader| *leader as usize != node);
        }
    }

    fn lead(&mut self, node: usize) {
        let outage = &self.nodes[node].outage;
        let there = self.leaders.contains(&(node as u16));
        if !there && !outage.away && !outage.evicted && outage.missed.log <= 0.0 && outage.missed.under_way == 0 {
            self.leaders.push(node as u16);
            self.leaders.sort_unstable();
        }
    }

    fn election(&self) -> Nanos {
        Nanos::from_secs_f64(self.c.election_timeout)
    }

    /// A client asks again for what a node that is away was asked for: of another leader, when there is one. Followers wait for
    /// one to two timeouts, each for its own; the first of two is as early as the lesser of two draws.
    fn ask_again(&mut self, req: u32) {
        let backoff = self.now + Nanos::from_secs_f64(self.c.busy_backoff);
        let draws: [f64; 2] = [self.random.random(), self.random.random()];
        let old = self.reqs[req as usize].node as usize;
        let any_replica = self.follower_read && matches!(self.reqs[req as usize].what, What::Read { .. });
        let led = !any_replica && self.leaders.contains(&(old as u16));
        let waits = 1.0 + draws[0].min(draws[1]);
        let waits = Nanos::from_secs_f64(self.c.election_timeout * waits);
        let elected = if led { self.nodes[old].outage.since + waits } else { self.now };
        let there: Vec<u16> =
            self.leaders.iter().copied().filter(|leader| !self.nodes[*leader as usize].outage.away).collect();
        if !there.is_empty() {
            self.reqs[req as usize].node = there[self.random.random_range(0..there.len())];
        }
        self.agenda.add(backoff.max(elected), Event::Request(req));
    }

    /// Whether an event is of a node that is away, and so does not happen now.
    pub(super) fn set_aside(&mut self, event: Event) -> bool {
        let node = match event {
            Event::Request(req) | Event::Admitted(req) | Event::Read(req) => {
                let Req { node, op, arrived, .. } = self.reqs[req as usize];
                if !self.nodes[node as usize].outage.away {
                    return false;
                }
                if arrived {
                    debug_assert_eq!(op, NONE, "asked again when the node went away");
                    self.reqs.remove(req as usize);
                    if matches!(event, Event::Read(_)) {
                        self.free(node as usize, Pool::Read);
                    }
                } else {
                    self.ask_again(req);
                }
                return true;
            }
            Event::Message(node, batch) => {
                let away = self.nodes[node as usize].outage.away;
                if away {
                    self.missed(batch);
                }
                return away;
            }
            Event::Written(node)
            | Event::Synced(node)
            | Event::Acks(node, _)
            | Event::WrittenBack(node)
            | Event::Collect(node)
            | Event::Journaled(node) => node as usize,
            Event::Applied(group, place) => self.node_of(&self.groups[group as usize], place),
            Event::Grant(part) | Event::Step(part) => self.parts[part as usize].node as usize,
            _ => return false,
        };
        let outage = &mut self.nodes[node].outage;
        if outage.away {
            outage.parked.push(event);
        }
        outage.away
    }

    /// Entries do not reach a follower that is away.
    fn missed(&mut self, batch: u32) {
        let items = self.batches.take(batch);
        for item in &items {
            self.groups[item.group as usize].known[item.place as usize - 1] |= MISSED;
        }
        self.batches.close(batch, items);
    }

    /// A follower that hears of a commit missed the entries: they are summed up, to be sent again with others.
    pub(super) fn passes_over(&mut self, item: Item) {
        let group = self.groups[item.group as usize];
        let node = self.node_of(&group, item.place);
        let missed = &mut self.nodes[node].outage.missed;
        missed.records += group.records;
        missed.log += group.log;
        missed.wal += group.wal;
        missed.tree[0] += group.tree[0];
        missed.tree[1] += group.tree[1];
        // It neither acknowledges nor applies them itself.
        self.closed(item.group);
        self.closed(item.group);
        self.catch_up(node);
    }

    /// Entries that a node missed and that wait for a quorum are sent to it again.
    fn send_again(&mut self, node: usize) {
        let waiting: Vec<Item> = self
            .groups
            .iter()
            .filter(|(_, group)| !group.committed)
            .filter_map(|(index, group)| {
                let followers = &self.followers[group.leader as usize][group.set as usize];
                let place = followers.iter().position(|follower| *follower as usize == node)?;
                (group.known[place] & MISSED > 0).then_some(Item { group: index as u32, place: place as u8 + 1 })
            })
            .collect();
        for item in waiting {
            self.groups[item.group as usize].known[item.place as usize - 1] &= !MISSED;
            self.nodes[node].inbox.push(item);
        }
        self.round(node);
    }

    /// Sends a node the next pieces of what it missed; when it has all, it may lead again.
    pub(super) fn catch_up(&mut self, node: usize) {
        let Some((leader, set, place)) = self.a_leader_of(node) else { return self.lead(node) };
        if self.nodes[node].outage.away {
            return;
        }
        let mut more = false;
        loop {
            let missed = &mut self.nodes[node].outage.missed;
            if missed.log <= 0.0 || missed.under_way >= AT_A_TIME {
                break;
            }
            let share = (SENT_AGAIN / missed.log).min(1.0);
            let mut known = [0; MOST_FOLLOWERS];
            known[place as usize - 1] = COMMITTED;
            let group = Group {
                leader,
                set,
                head: NONE,
                regions: 0,
                records: missed.records * share,
                log: missed.log * share,
                tree: missed.tree.map(|bytes| bytes * share),
                wal: missed.wal * share,
                acks: 0,
                persisted: true,
                committed: true,
                known,
                open: 2,
                again: true,
            };
            let left = if share < 1.0 { 1.0 - share } else { 0.0 };
            missed.records *= left;
            missed.log *= left;
            missed.wal *= left;
            missed.tree = missed.tree.map(|bytes| bytes * left);
            missed.under_way += 1;
            let (from, to) = (self.nodes[leader as usize].zone, self.nodes[node].zone);
            self.network.count(crate::network::Traffic::Peer, from, to, group.log * self.wire.0);
            let group = self.groups.insert(group) as u32;
            self.nodes[node].inbox.push(Item { group, place });
            more = true;
        }
        if more {
            self.round(node);
        } else {
            self.lead(node);
        }
    }

    /// A piece of what a node missed is applied.
    pub(super) fn caught_up(&mut self, node: usize) {
        self.nodes[node].outage.missed.under_way -= 1;
        self.catch_up(node);
    }

    /// A leader that has a node among its followers, with the set and the place in it; one that is there if there is one.
    fn a_leader_of(&self, node: usize) -> Option<(u16, u16, u8)> {
        let all = self.followers.iter().enumerate().flat_map(|(leader, sets)| {
            sets.iter().enumerate().filter_map(move |(set, followers)| {
                let place = followers.iter().position(|follower| *follower as usize == node)?;
                Some((leader as u16, set as u16, place as u8 + 1))
            })
        });
        all.min_by_key(|(leader, ..)| self.nodes[*leader as usize].outage.away)
    }
}
