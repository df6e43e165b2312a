//! Flow control of RocksDB: samples of how far it is behind become the events that [`FlowLaw`] decides by.

use std::time::Duration;

use flow_control::{FamilyRecords, FlowLaw, InitialBacklog, ThrottleAction};
use raftstore::ColumnFamily;

use super::family::{Event, Family};
use super::{CfPressure, FlowSettings, nanos};

/// The law, and what was last heard of each column family; both number them alike.
#[derive(Debug)]
pub(crate) struct Checker {
    law: FlowLaw,
    families: Vec<Family>,
    ticked: Duration,
    /// What the law did since the last call of [`Checker::take_actions`].
    actions: Vec<(ColumnFamily, ThrottleAction)>,
}

impl Checker {
    /// At rest.
    pub(crate) fn new(now: Duration) -> Self {
        Self { law: FlowLaw::new(), families: Vec::new(), ticked: now, actions: Vec::new() }
    }

    /// Bytes per second that writes may have; infinite is no limit.
    pub(crate) fn speed(&self) -> f64 {
        self.law.speed()
    }

    /// The share of writes to refuse, 0 to 1.
    pub(crate) fn refused(&self) -> f64 {
        self.law.refused()
    }

    /// The column family whose state sets the speed.
    pub(crate) fn slowed_by(&self) -> Option<ColumnFamily> {
        self.law.slowed_by().and_then(|at| self.families.get(at)).map(Family::cf)
    }

    /// What is known of each column family.
    pub(crate) fn families(&self) -> impl Iterator<Item = (&Family, &FamilyRecords)> {
        self.families.iter().zip(self.law.families())
    }

    /// What was done since the last call.
    pub(crate) fn take_actions(&mut self) -> Vec<(ColumnFamily, ThrottleAction)> {
        std::mem::take(&mut self.actions)
    }

    /// At rest again, as when it is switched off. Unlike TiKV's, it forgets what it has seen, too: else the memtables of a load would
    /// slow down the first writes of a run.
    pub(crate) fn reset(&mut self, now: Duration) {
        let actions = self.take_actions();
        *self = Self { actions, ..Self::new(now) };
    }

    /// Records what was written in the foreground since the last tick. Returns bytes per second. Nothing is not recorded: when
    /// every client waits for its delay, a second without writes says nothing of what they want.
    pub(crate) fn tick(&mut self, now: Duration, written: u64) -> f64 {
        let span = now.saturating_sub(self.ticked).as_secs_f64();
        if span < f64::EPSILON {
            return 0.0;
        }
        let rate = written as f64 / span;
        if written != 0 {
            // TiKV begins with a whole number of bytes.
            self.law.record_writes(rate.floor(), nanos(now));
        }
        self.ticked = now;
        rate
    }

    /// Takes how far the engine is behind.
    pub(crate) fn sample(&mut self, now: Duration, settings: &FlowSettings, samples: &[CfPressure]) {
        for sample in samples {
            let Some(at) = self.families.iter().position(|family| family.cf() == sample.cf) else {
                self.families.push(Family::new(*sample, now));
                self.law.add_family(InitialBacklog::LetBe);
                continue;
            };
            let events = self.families[at].events(sample);
            self.families[at].last = *sample;
            events.for_each(|event| self.on(event, at, now, settings));
        }
    }

    fn on(&mut self, event: Event, at: usize, now: Duration, settings: &FlowSettings) {
        let family = &mut self.families[at];
        match event {
            Event::Flush(bytes) => family.flushed(bytes, now),
            Event::L0Compaction(bytes) => family.l0_compacted(bytes),
            Event::Compaction => {}
        }
        // Switched off, it forgets all records after this sample.
        if !settings.enable {
            return;
        }
        let (cf, last) = (family.cf(), family.last);
        let (now, thresholds, l0_files) = (nanos(now), settings.thresholds(), last.l0_files as f64);
        let actions = match event {
            Event::Flush(_) => self.law.flushed(now, at, (l0_files, last.immutable_memtables as f64), &thresholds),
            Event::L0Compaction(_) => self.law.l0_compacted(now, at, l0_files, &thresholds),
            Event::Compaction => {
                self.law.compacted(now, at, last.pending_compaction_bytes as f64, &thresholds);
                Vec::new()
            }
        };
        self.actions.extend(actions.into_iter().map(|action| (cf, action)));
    }
}

#[cfg(test)]
#[path = "checker_tests.rs"]
mod tests;
