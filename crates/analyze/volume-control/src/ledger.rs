//! What was predicted of changes, and what came of them.

use diagnose::{HeadroomMargins, KnownFacts, facts};
use disk::{Disk, DiskLimits};
use finding::FindingScope;
use timeline::Timeline;
use units::{Nanos, Usd};

use crate::{
    ChangeDirection, ChangeProposal, ManagedVolume, ModificationProgress, RequestMix, VolumeChange, VolumeDemand,
    VolumePolicy, VolumePrediction, predict,
};

/// Clouds tell instants in whole seconds.
const SECOND: Nanos = Nanos::secs(1);

/// A change that was made.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LedgerEntry {
    /// Which volume.
    pub volume: String,
    /// When it was proposed.
    pub at: Nanos,
    /// When its cloud took it; `None` while it is only proposed.
    pub taken: Option<Nanos>,
    /// Which way it went.
    pub direction: ChangeDirection,
    /// What the volume was.
    pub from: Disk,
    /// What it became.
    pub to: Disk,
    /// What it adds to a month's price.
    pub monthly: Usd,
    /// What the model said before.
    pub predicted: Option<VolumePrediction>,
    /// When its new performance was there; `None` until then.
    pub done: Option<Nanos>,
    /// What was seen after that; `None` until it was.
    pub seen: Option<VolumeObservation>,
}

/// What was seen of a changed volume, in its busiest interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VolumeObservation {
    /// From when.
    pub from: Nanos,
    /// Until when.
    pub until: Nanos,
    /// What it did.
    pub load: RequestMix,
    /// What the model says of that very load: what was predicted holds only for the load that there was before.
    pub model: VolumePrediction,
}

impl VolumeObservation {
    /// Latency seen over the model's for the same load, less one; `None` where latency is not known.
    pub fn latency_error(&self) -> Option<f64> {
        let seen = self.load.latency?.as_secs_f64();
        (self.model.latency.0 > 0).then(|| seen / self.model.latency.as_secs_f64() - 1.0)
    }

    /// I/Os a second seen over the model's for the same load, less one.
    pub fn iops_error(&self) -> f64 {
        if self.model.iops.0 > 0.0 { self.load.iops.0 / self.model.iops.0 - 1.0 } else { 0.0 }
    }
}

impl LedgerEntry {
    /// I/Os a second seen over those predicted before the change, less one: the model's error and the load's change together.
    pub fn iops_against_prediction(&self) -> Option<f64> {
        let predicted = self.predicted?.iops.0;
        Some(self.seen?.load.iops.0 / predicted - 1.0).filter(|error| error.is_finite())
    }

    /// Latency seen over that predicted before the change, less one.
    pub fn latency_against_prediction(&self) -> Option<f64> {
        let (seen, predicted) = (self.seen?.load.latency?.as_secs_f64(), self.predicted?.latency.as_secs_f64());
        Some(seen / predicted - 1.0).filter(|error| error.is_finite())
    }
}

/// All changes, the oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeLedger {
    /// Them.
    pub entries: Vec<LedgerEntry>,
}

/// A ledger that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the ledger is no entry ({why}): move the file away to begin anew")]
pub struct LedgerError {
    line: usize,
    why: String,
}

impl ChangeLedger {
    /// Notes a proposal. One of the same volume that no cloud took is forgotten.
    pub fn propose(&mut self, proposal: &ChangeProposal, at: Nanos) {
        let same = |entry: &LedgerEntry| entry.volume == proposal.volume && entry.taken.is_none();
        // What is proposed again and again is as old as the first time.
        if self.entries.iter().any(|entry| same(entry) && entry.to == proposal.to) {
            return;
        }
        self.entries.retain(|entry| !same(entry));
        self.entries.push(LedgerEntry {
            volume: proposal.volume.clone(),
            at,
            taken: None,
            direction: proposal.direction,
            from: proposal.from.clone(),
            to: proposal.to.clone(),
            monthly: proposal.monthly,
            predicted: proposal.predicted,
            done: None,
            seen: None,
        });
    }

    /// Notes which proposals the clouds took, which are done, and forgets those that failed.
    pub fn follow(&mut self, now: Nanos, volumes: &[ManagedVolume]) {
        let mut failed = Vec::new();
        for (i, entry) in self.entries.iter_mut().enumerate().filter(|(_, entry)| entry.done.is_none()) {
            let Some(volume) = volumes.iter().find(|volume| volume.id == entry.volume) else { continue };
            let is_it = |change: &&VolumeChange| change.to == entry.to && change.started + SECOND >= entry.at;
            let Some(change) = volume.changes.iter().rev().find(is_it) else { continue };
            entry.taken = Some(change.started);
            match change.progress {
                ModificationProgress::Completed => entry.done = Some(change.ends.unwrap_or(now)),
                ModificationProgress::Failed => failed.push(i),
                ModificationProgress::Modifying | ModificationProgress::Optimizing => {}
            }
        }
        failed.into_iter().rev().for_each(|i| drop(self.entries.remove(i)));
    }

    /// Looks what came of the changes that have been there for as long as growth is judged by. Answers how many were seen.
    pub fn look(
        &mut self,
        now: Nanos,
        timeline: &Timeline,
        known: &KnownFacts,
        policy: &VolumePolicy,
        seed: u64,
    ) -> usize {
        let margins = policy.margins();
        let mut found = 0;
        for at in 0..self.entries.len() {
            let entry = &self.entries[at];
            let Some(from) = entry.done.filter(|_| entry.seen.is_none()) else { continue };
            let until = from + policy.recent;
            let later = self.entries[at + 1..].iter().any(|other| other.volume == entry.volume && other.at < until);
            if now < until || later {
                continue;
            }
            self.entries[at].seen = entry.see(from, until, timeline, known, &margins, seed);
            found += usize::from(self.entries[at].seen.is_some());
        }
        found
    }

    /// As lines of JSON.
    pub fn to_lines(&self) -> String {
        self.entries.iter().map(|entry| serde_json::to_string(entry).unwrap_or_default() + "\n").collect()
    }

    /// From lines of JSON; a last line without its end was being written when its program was killed, and is left out.
    ///
    /// # Errors
    /// When another line is no entry.
    pub fn from_lines(text: &str) -> Result<Self, LedgerError> {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let entry = |(i, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|why| LedgerError { line: i + 1, why: why.to_string() })
        };
        let entries = whole.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(entry);
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    /// The mean size of the model's errors in latency, and of how many changes; `None` where nothing was seen.
    pub fn mean_latency_error(&self) -> Option<(f64, usize)> {
        let errors: Vec<f64> =
            self.entries.iter().filter_map(|entry| entry.seen?.latency_error()).map(f64::abs).collect();
        (!errors.is_empty()).then(|| (errors.iter().sum::<f64>() / errors.len() as f64, errors.len()))
    }
}

impl LedgerEntry {
    fn see(
        &self,
        from: Nanos,
        until: Nanos,
        timeline: &Timeline,
        known: &KnownFacts,
        margins: &HeadroomMargins,
        seed: u64,
    ) -> Option<VolumeObservation> {
        let mut known = known.clone();
        known.disks.insert(self.volume.clone(), self.to.clone());
        let all = facts(&timeline.window(from, until), &known);
        let of = all
            .iter()
            .find(|facts| facts.subject.scope == FindingScope::Volume && facts.subject.disk == self.volume)?;
        let limits: &DiskLimits = of.limits.as_ref()?;
        let load = VolumeDemand::of(of, margins).mix?;
        let caps = of.instance.as_ref().and_then(|instance| instance.caps);
        Some(VolumeObservation { from, until, load, model: predict(&load, limits, caps.as_ref(), seed) })
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
