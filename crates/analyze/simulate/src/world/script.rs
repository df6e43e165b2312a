//! What the events of a run do to the world.

use disk::{DiskFault, RequestedRate};
use units::Nanos;

use super::World;
use super::build::RAMP;
use super::event::Event;
use super::node::Slots;
use crate::cpu::Pool;
use crate::events::{Action, Knob};
use crate::sent::Sent;
use rand::RngExt;

impl World {
    /// An action of the script is due.
    pub(super) fn scripted(&mut self, number: u32) {
        let (_, action) = self.script[number as usize].clone();
        match action {
            Action::Load(factor) => self.load_becomes(factor),
            Action::Mix(factors) => self.load.mix(factors),
            Action::Fault { node, disk, wish } => match wish {
                RequestedRate::Inject(DiskFault::Detach | DiskFault::PowerCut, _) => {
                    // The store does not outlive its disk.
                    self.nodes[node].disks.lose_cache(disk, self.now, wish);
                    self.go_away(node);
                }
                RequestedRate::Attach => self.come_back(node),
                wish => self.nodes[node].disks.wish(disk, self.now, wish),
            },
            Action::Modify { node, disk, to, each, whole, rules } => {
                self.nodes[node].disks.modify(disk, self.now, (&to, &each, &whole), &rules);
            }
            Action::Set(knob) => self.set(&knob),
            Action::Down(node) => self.go_away(node),
            Action::Up(node) => self.come_back(node),
            Action::Evict(node) => self.evict(node),
            Action::Lead(node) => self.may_lead(node),
        }
    }

    /// The load becomes so many times that of the beginning.
    fn load_becomes(&mut self, factor: f64) {
        match (self.began_with, &mut self.sent) {
            (Sent::Open(rate), Sent::Open(now)) => {
                let silent = *now <= 0.0;
                *now = rate * factor;
                if silent && *now > 0.0 {
                    self.next_arrival();
                }
            }
            (Sent::Closed(clients), Sent::Closed(now)) => {
                let wanted = (f64::from(clients) * factor).round() as u32;
                let had = std::mem::replace(now, wanted);
                self.leaving += had.saturating_sub(wanted);
                // Clients that were to leave and have not yet, stay.
                let more = wanted.saturating_sub(had);
                let stay = self.leaving.min(more);
                self.leaving -= stay;
                for _ in 0..more - stay {
                    let op = self.new_op(true);
                    let at: f64 = self.random.random();
                    self.agenda.add(self.now + Nanos::from_secs_f64(at * RAMP), Event::Begin(op));
                }
            }
            _ => {}
        }
    }

    /// The pilot reads each node and sets its rate.
    pub(super) fn pilot_looks(&mut self) {
        for node in self.nodes.iter_mut().filter(|node| !node.outage.away) {
            let Some(mut pilot) = node.pilot.take() else { continue };
            if let Some(rate) = pilot.look(self.now, node) {
                node.limiter.limit(rate);
            }
            node.pilot = Some(pilot);
        }
        self.agenda.add(self.now + self.options.pilot.look(), Event::Pilot);
    }

    fn set(&mut self, knob: &Knob) {
        match knob {
            Knob::RateLimit(rate) => self.nodes.iter_mut().for_each(|node| node.limiter.limit(*rate)),
            Knob::BackgroundJobs(jobs) => {
                for node in 0..self.nodes.len() {
                    let this = &mut self.nodes[node];
                    let slots = Slots { sub: this.slots.sub, ..Slots::with(*jobs) };
                    this.slots = slots;
                    this.cpu.set_most(Pool::Flush, slots.flushes);
                    this.cpu.set_most(Pool::Compaction, slots.compaction_threads());
                    self.schedule(node);
                }
            }
            Knob::FlowControl(on) => {
                self.options.flow_control = *on;
                for node in 0..self.nodes.len() {
                    let this = &mut self.nodes[node];
                    this.flow = crate::flow::Flow::new(this.trees.len());
                    self.released(node);
                }
            }
            Knob::Caches(caches) => self.nodes.iter_mut().zip(caches).for_each(|(node, caches)| node.caches = *caches),
        }
    }
}
