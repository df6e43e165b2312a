//! Clients: when operations begin, what they send next, and when they are done.

use rand::RngExt;
use rand_distr::Exp1;
use units::Nanos;

use super::World;
use super::event::{Event, NONE, Op, Req, What};
use crate::load::{Drawn, Phase};
use crate::sent::Sent;

impl World {
    /// The next operation of an open loop, and when the one after it comes.
    pub(super) fn arrive(&mut self) {
        if self.draining {
            return;
        }
        // The load ended since this one was drawn.
        if !self.next_arrival() {
            return;
        }
        self.seen.arrived += 1;
        if self.ops.len() >= self.options.most_in_flight as usize {
            self.seen.dropped += 1;
            return;
        }
        let op = self.new_op(false);
        self.begin(op, self.now);
    }

    /// Draws when the next operation of an open loop comes; whether there will be one.
    pub(super) fn next_arrival(&mut self) -> bool {
        let Sent::Open(rate) = self.sent else { return true };
        if rate > 0.0 {
            let gap: f64 = self.random.sample(Exp1);
            self.agenda.add(self.now + Nanos((gap / rate * 1e9) as u64), Event::Arrive);
        }
        rate > 0.0
    }

    /// A place for an operation, of a client that keeps it or of an open loop.
    pub(super) fn new_op(&mut self, client: bool) -> u32 {
        let (sql, zone) = self.connected().unwrap_or_else(|| (0, self.random.random_range(0..self.zones.len()) as u16));
        let drawn = Drawn::default();
        let (start, back) = (Nanos(0), Nanos(0));
        let op = Op {
            start,
            drawn,
            requests: 0,
            reads: 0,
            scans: 0,
            locking: 0,
            phases: 0,
            waiting: 0,
            back,
            zone,
            sql,
            client,
        };
        self.ops.insert(op) as u32
    }

    /// An operation begins, now or in a moment.
    pub(super) fn begin(&mut self, op: u32, at: Nanos) {
        let drawn = self.load.draw(&mut self.random);
        let this = &mut self.ops[op as usize];
        let (requests, reads, scans) = (drawn.requests, drawn.reads, drawn.scans);
        let locking = drawn.locking;
        *this = Op { start: at, drawn, requests, reads, scans, locking, phases: 0, waiting: 0, back: at, ..*this };
        if this.client {
            self.seen.arrived += 1;
        }
        self.proceed(op, at);
    }

    /// Sends what an operation does next, at an instant not before now.
    pub(super) fn go_on(&mut self, op: u32, at: Nanos) {
        let this = self.ops[op as usize];
        if this.requests > 0 {
            let (reads, scans) = (this.reads.div_ceil(this.requests), this.scans.div_ceil(this.requests));
            let next = &mut self.ops[op as usize];
            (next.requests, next.reads, next.scans) = (this.requests - 1, this.reads - reads, this.scans - scans);
            next.waiting = 1;
            let node = self.reader(this.zone);
            self.send(op, this.zone, node, at + this.drawn.pause, What::Read { reads, scans, blocks: 0 });
            return;
        }
        if this.locking > 0 && self.load.locks_waited_for {
            self.ops[op as usize].locking -= 1;
            return self.lock(op, at, op);
        }
        if this.locking > 0 {
            self.ops[op as usize].locking = 0;
            (0..this.locking).for_each(|_| self.lock(op, at, NONE));
            return self.proceed(op, at);
        }
        let phases = if this.drawn.records == 0 { 0 } else { 1 + u8::from(self.load.transactional) };
        if this.phases >= phases {
            return self.finish(op, at);
        }
        self.ops[op as usize].phases += 1;
        match this.phases {
            0 => self.write(op, at + this.drawn.pause),
            _ => self.commit(op, at),
        }
    }

    /// The node that answers a read: a leader anywhere, or a replica in the client's zone.
    fn reader(&mut self, zone: u16) -> u16 {
        let near = &self.zones[zone as usize];
        if self.follower_read && !near.is_empty() {
            return near[self.random.random_range(0..near.len())];
        }
        self.leader()
    }

    /// How many proposals so many records of an operation make: the mean, rounded by chance.
    fn proposals(&mut self, records: f64) -> u32 {
        let mean = records * self.load.proposals;
        let chance: f64 = self.random.random();
        ((mean + chance) as u32).max(1)
    }

    /// A statement's share of the rows is locked, and `waits` for it or not.
    fn lock(&mut self, op: u32, at: Nanos, waits: u32) {
        let drawn = self.ops[op as usize].drawn;
        let records = f64::from(drawn.records) / f64::from(drawn.locking);
        let proposals = self.proposals(records);
        self.spread_out(waits, at, proposals, records / f64::from(proposals), Phase::Locks);
    }

    /// A raw write, or the first phase of a commit: all rows at once, to the leaders of their ranges.
    fn write(&mut self, op: u32, at: Nanos) {
        let records = self.ops[op as usize].drawn.records;
        let proposals = self.proposals(f64::from(records));
        self.seen.user_bytes += f64::from(records) * self.load.user;
        self.spread_out(op, at, proposals, f64::from(records) / f64::from(proposals), Phase::Rows);
    }

    /// The second phase: the primary key's is waited for, the others follow in the background.
    fn commit(&mut self, op: u32, at: Nanos) {
        let this = self.ops[op as usize];
        let proposals = self.proposals(f64::from(this.drawn.records));
        let each = f64::from(this.drawn.records) / f64::from(proposals);
        self.ops[op as usize].waiting = 1;
        let node = self.leader();
        self.send(op, this.zone, node, at, What::Write { proposals: 1, records: each, phase: Phase::Commit });
        if proposals > 1 {
            self.spread_out(NONE, at, proposals - 1, each, Phase::Commit);
        }
    }

    /// Sends proposals to random leaders, one request to each node.
    fn spread_out(&mut self, op: u32, at: Nanos, proposals: u32, each: f64, phase: Phase) {
        let zone = self.ops.get(op as usize).map_or(0, |op| op.zone);
        self.spread.fill(0);
        for _ in 0..proposals {
            let node = self.leader();
            self.spread[node as usize] += 1;
        }
        let mut sent = 0;
        for node in 0..self.spread.len() {
            let proposals = self.spread[node];
            if proposals > 0 {
                sent += 1;
                let records = each * f64::from(proposals);
                self.send(op, zone, node as u16, at, What::Write { proposals, records, phase });
            }
        }
        if op != NONE {
            self.ops[op as usize].waiting = sent;
        }
    }

    fn send(&mut self, op: u32, zone: u16, node: u16, at: Nanos, what: What) {
        let arrives = at + self.network.hop(zone as usize, self.nodes[node as usize].zone);
        let req = self.reqs.insert(Req { op, node, zone, what, next: NONE, arrived: false }) as u32;
        self.agenda.add(arrives, Event::Request(req));
    }

    /// A request is answered at an instant not before now.
    pub(super) fn answered(&mut self, req: u32, at: Nanos) {
        let Req { op, node, zone, .. } = self.reqs.remove(req as usize);
        if op == NONE {
            return;
        }
        let back = at + self.network.hop(zone as usize, self.nodes[node as usize].zone);
        let this = &mut self.ops[op as usize];
        this.back = this.back.max(back);
        this.waiting -= 1;
        if this.waiting == 0 {
            let back = this.back;
            self.proceed(op, back);
        }
    }

    fn finish(&mut self, op: u32, at: Nanos) {
        let Op { start, client, .. } = self.ops[op as usize];
        self.seen.done += 1;
        self.seen.latencies.record((at - start).0.max(1)).expect("the histogram grows");
        if !client || self.draining {
            self.ops.remove(op as usize);
        } else if self.leaving > 0 {
            self.leaving -= 1;
            self.ops.remove(op as usize);
        } else if self.load.think > Nanos(0) {
            let think: f64 = self.random.sample(Exp1);
            let pause = Nanos::from_secs_f64(self.load.think.as_secs_f64() * think);
            self.agenda.add(at + pause, Event::Begin(op));
        } else {
            self.begin(op, at);
        }
    }
}
