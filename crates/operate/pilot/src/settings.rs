//! Settings that change online, when a verdict has held for a while: one key at a time, a step at a time, within a table's bounds.

mod table;

use std::collections::{BTreeMap, BTreeSet};

use diagnose::{Finding, FindingScope};
use serde_json::{Value, json};
use units::Nanos;

use self::table::{On, Rule, Table};
use crate::step::Shown;
use crate::{
    ActionProposal, ClockReading, ClusterHealth, ClusterSnapshot, Controller, PilotStep, Procedure, ProcedureEnding,
    StandingChange, StepSubject, at,
};

/// Changes settings that diagnose calls for.
#[derive(Debug, Default)]
pub struct SettingsController {
    /// Since when each verdict holds, on the clock that never jumps.
    since: BTreeMap<String, Nanos>,
    /// When each subject was last proposed to be changed.
    rested: BTreeMap<StepSubject, Nanos>,
    /// How long the verdict of each run that stays has been seen to be gone, by the run's number.
    gone: BTreeMap<u64, Nanos>,
    /// When it was last known what holds.
    looked: Option<Nanos>,
}

impl Controller for SettingsController {
    fn name(&self) -> &'static str {
        "settings"
    }

    fn decide(&mut self, now: ClockReading, seen: &ClusterSnapshot) -> Vec<ActionProposal> {
        let table = Table::embedded();
        let name = |verdict: &Finding| named(verdict.kind.name(), &verdict.subject);
        let held: Vec<String> = seen.verdicts.iter().map(name).collect();
        self.since.retain(|name, _| held.contains(name));
        let mut proposals = Vec::new();
        for verdict in &seen.verdicts {
            let since = *self.since.entry(name(verdict)).or_insert(now.mono);
            if now.since(since) < table.holds_for {
                continue;
            }
            let rules = table.rule.iter().filter(|rule| rule.fits(verdict));
            let wanted: Vec<(StepSubject, ActionProposal)> =
                rules.flat_map(|rule| proposed(rule, verdict, seen)).collect();
            for (subject, proposal) in wanted {
                let rested = self.rested.get(&subject).is_none_or(|at| now.since(*at) >= table.rests_for);
                // What the guard holds back rests too: people have been told.
                if rested {
                    if proposal.procedure.is_some() {
                        self.rested.insert(subject, now.mono);
                    }
                    proposals.push(proposal);
                }
            }
        }
        proposals.extend(self.without_reason(now, seen, &held));
        proposals
    }
}

impl SettingsController {
    /// Takes back what was changed for verdicts that have been gone for long. Of several changes of one setting the last goes first.
    fn without_reason(&mut self, now: ClockReading, seen: &ClusterSnapshot, held: &[String]) -> Vec<ActionProposal> {
        // Time in which nobody told what holds does not count.
        let passed = self.looked.map_or(Nanos(0), |looked| now.since(looked));
        self.looked = seen.timeline.is_some().then_some(now.mono);
        if self.looked.is_none() {
            return Vec::new();
        }
        self.gone.retain(|run, _| seen.kept.iter().any(|kept| kept.run == *run));
        let (table, mut covered, mut proposals) = (Table::embedded(), BTreeSet::new(), Vec::new());
        for kept in &seen.kept {
            let [subject] = kept.subjects.as_slice() else { continue };
            let last = covered.insert(subject);
            let Some((verdict, of)) = reason(kept).filter(|_| kept.controller == self.name()) else { continue };
            let called = named(verdict, of);
            if held.contains(&called) {
                self.gone.remove(&kept.run);
                continue;
            }
            let gone = self.gone.entry(kept.run).or_default();
            *gone += passed;
            let rested = self.rested.get(subject).is_none_or(|at| now.since(*at) >= table.rests_for);
            if let Some(after) = table.undone_after(verdict, key(subject), kept.before)
                && last
                && rested
                && *gone >= after
            {
                self.rested.insert(subject.clone(), now.mono);
                proposals.push(ActionProposal::undo(kept.run, format!("{called} has been gone for {after}")));
            }
        }
        proposals
    }
}

/// A verdict and what it is of, as one name.
fn named(verdict: &str, of: impl std::fmt::Display) -> String {
    format!("{verdict} of {of}")
}

/// The verdict that a run was made for, and its subject.
fn reason(kept: &StandingChange) -> Option<(&str, &str)> {
    kept.expects["verdict"].as_str().zip(kept.expects["subject"].as_str())
}

fn key(subject: &StepSubject) -> &str {
    match subject {
        StepSubject::TikvConfig { key, .. } => key,
        StepSubject::TidbVariable { name } => name,
        _ => "",
    }
}

/// TiDB's variables that these verdicts may call to change.
pub(crate) fn variables(verdicts: &[Finding]) -> BTreeSet<&'static str> {
    let rules = Table::embedded().rule.iter().filter(|rule| rule.on == On::Tidb);
    rules.filter(|rule| verdicts.iter().any(|verdict| rule.fits(verdict))).map(|rule| rule.key.as_str()).collect()
}

/// What a rule comes to for a verdict, on each store that it is about.
fn proposed(rule: &Rule, verdict: &Finding, seen: &ClusterSnapshot) -> Vec<(StepSubject, ActionProposal)> {
    let tell =
        |subject: StepSubject, why: String| vec![(subject, ActionProposal::tell(format!("{}: {why}", verdict.kind)))];
    match rule.on {
        On::Tidb => {
            let subject = StepSubject::TidbVariable { name: rule.key.clone() };
            match seen.variables.get(&rule.key) {
                Some(is) => one(rule, verdict, subject, is, &Value::Null).into_iter().collect(),
                None => tell(subject, format!("set TiDB's {} by hand, for no TiDB is named: {}", rule.key, rule.why)),
            }
        }
        On::Tikv => {
            let Some(health) = &seen.health else { return Vec::new() };
            match stores(verdict, health) {
                Err(why) => tell(StepSubject::TikvConfig { store: 0, key: rule.key.clone() }, why),
                Ok(stores) => stores
                    .into_iter()
                    .filter_map(|store| {
                        let config = seen.configs.get(&store)?;
                        let subject = StepSubject::TikvConfig { store, key: rule.key.clone() };
                        one(rule, verdict, subject, at(config, &rule.key)?, config)
                    })
                    .collect(),
            }
        }
    }
}

fn one(
    rule: &Rule,
    verdict: &Finding,
    subject: StepSubject,
    is: &Value,
    config: &Value,
) -> Option<(StepSubject, ActionProposal)> {
    let to = rule.next(is, config)?;
    let reason = format!("{} since {}: {}; it is {}", verdict.kind, verdict.subject, rule.why, Shown(is));
    let step = match &subject {
        StepSubject::TikvConfig { store, key } => {
            PilotStep::SetTikvConfig { store: *store, key: key.clone(), value: to }
        }
        _ => PilotStep::SetTidbVariable { name: rule.key.clone(), value: to },
    };
    let expects = json!({ "verdict": verdict.kind.name(), "subject": verdict.subject.to_string() });
    Some((
        subject,
        ActionProposal { expects, ..ActionProposal::act(reason, Procedure::of_one(step, ProcedureEnding::Keep)) },
    ))
}

/// The stores that a verdict is about. Metrics name nodes by their scrape address or by a name of their own.
fn stores(verdict: &Finding, health: &ClusterHealth) -> Result<Vec<u64>, String> {
    let node = verdict.subject.node.as_str();
    if verdict.subject.scope == FindingScope::Cluster || node.is_empty() {
        return Ok(health.stores.keys().copied().collect());
    }
    let host = |place: &str| place.rsplit_once(':').map_or(place, |(host, _)| host).to_owned();
    let exact = |fits: &dyn Fn(&str, &str) -> bool| -> Vec<u64> {
        let fitting = health.stores.iter().filter(|(_, s)| fits(&s.status_address, node) || fits(&s.address, node));
        fitting.map(|(id, _)| *id).collect()
    };
    let whole = exact(&|place, node| place == node);
    let found = if whole.is_empty() { exact(&|place, node| host(place) == host(node)) } else { whole };
    match found.as_slice() {
        [_] => Ok(found),
        [] => Err(format!("no store is at `{node}`, as the metrics call it: change it by hand")),
        several => Err(format!("stores {several:?} are all at `{node}`: change the right one by hand")),
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
