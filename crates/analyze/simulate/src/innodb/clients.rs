//! Clients: who sends a statement when, and what they see of it.

use rand::RngExt;
use rand_distr::Exp1;
use units::Nanos;

use super::pool::KINDS;
use super::world::{Event, Op, World};
use crate::sent::Sent;

impl World {
    /// Clients begin, spread over a second so that they do not march in step.
    pub(super) fn first_events(&mut self) {
        self.agenda.add(super::clean::ROUND, Event::Clean);
        match self.sent {
            Sent::Open(_) => self.next_arrival(),
            Sent::Closed(clients) => {
                for _ in 0..clients {
                    let at: f64 = self.random.random();
                    self.send(Nanos::from_secs_f64(at), true);
                }
            }
        }
    }

    fn next_arrival(&mut self) {
        if let Sent::Open(rate) = self.sent
            && rate > 0.0
        {
            let gap: f64 = self.random.sample(Exp1);
            self.agenda.add(self.now + Nanos::from_secs_f64(gap / rate), Event::Arrive);
        }
    }

    pub(super) fn arrive(&mut self) {
        self.next_arrival();
        if self.ops.len() >= self.most_in_flight {
            self.seen.arrived += 1;
            self.seen.dropped += 1;
            return;
        }
        self.send(self.now, false);
    }

    /// A client sends a statement, if there are rows to add.
    fn send(&mut self, at: Nanos, client: bool) {
        if self.rows_left <= 0.0 {
            return;
        }
        self.rows_left -= self.each.rows;
        self.seen.arrived += 1;
        let op = self.ops.insert(Op { start: at, missing: [0; KINDS], client }) as u32;
        // The clients' program does one thing at a time.
        let sent = if self.driver > Nanos(0) {
            self.driven_until = self.driven_until.max(at) + self.driver;
            self.driven_until
        } else {
            at
        };
        self.agenda.add(sent + self.each.delay, Event::Begin(op));
    }

    /// A transaction is durable.
    pub(super) fn answered(&mut self, op: u32) {
        let Op { start, client, .. } = self.ops.remove(op as usize);
        self.seen.done += 1;
        self.seen.user_bytes += self.each.rows * self.each.user;
        self.seen.latencies.record((self.now - start).0.max(1)).expect("the histogram grows");
        if self.rows_left <= 0.0 && self.ops.is_empty() {
            self.finished = Some(self.now);
        }
        if client {
            let pause = if self.each.think > Nanos(0) {
                let think: f64 = self.random.sample(Exp1);
                Nanos::from_secs_f64(self.each.think.as_secs_f64() * think)
            } else {
                Nanos(0)
            };
            self.send(self.now + pause, true);
        }
    }
}
