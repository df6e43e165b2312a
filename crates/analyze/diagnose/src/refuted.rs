//! Limits that what was measured refutes: so much more passes than they let through that they are not those of what was measured.
//! A device does not tell which disk it is; that was said (`--disk`), or found in a deployment or an account.

use crate::Evidence;
use crate::causes::{Cause, cause};
use crate::facts::{FindingScope, SubjectFacts};
use crate::rules::{DiagnosisRule, rules};

/// Whose limits are refuted, each by the first rule of the table that says so.
pub(crate) fn causes(all: &[SubjectFacts]) -> Vec<Cause<'_>> {
    let first = |facts| rules().iter().filter(|rule| rule.refutes).find_map(|rule| of(rule, facts));
    all.iter().filter(|facts| !is_behind_cache(facts, all)).filter_map(first).collect()
}

fn of<'f>(rule: &'static DiagnosisRule, facts: &'f SubjectFacts) -> Option<Cause<'f>> {
    let mut cause = cause(rule, facts)?;
    // The use of the limit says it all; that credits are left only says which limit it is.
    cause.evidence = Evidence { says_so: cause.evidence.says_so.into_iter().take(1).collect(), ..Evidence::default() };
    Some(cause)
}

/// Whether a read cache answers for a disk, or for one of a node: what it answers is counted, and reaches no limit.
fn is_behind_cache(facts: &SubjectFacts, all: &[SubjectFacts]) -> bool {
    let mut cached = all.iter().filter(|one| one.disk.as_ref().is_some_and(|disk| disk.cache.is_some()));
    let is_node = facts.subject.scope == FindingScope::Node;
    cached.any(|one| one.subject == facts.subject || is_node && one.subject.node == facts.subject.node)
}

/// Which use of what was how large and for how long, and what would tell.
pub(crate) fn more(cause: &Cause<'_>) -> String {
    let (subject, facts) = (cause.subject(), cause.facts);
    let used = cause.evidence.says_so.first().map_or_else(String::new, |fact| {
        format!("{} of {subject} is at {:.0} %", fact.signal.name(), fact.value * 100.0)
    });
    let seconds = facts.grid.step.as_secs_f64() * cause.within.len() as f64;
    let (against, what_tells) = if subject.scope == FindingScope::Instance {
        let instance = facts.instance.as_ref().map_or("an instance", |instance| &instance.name);
        let what_tells = "It is another type, or disks are counted that do not hang on its link (local ones), or twice (LVM \
                          and md over others): say its real type with --instance and what the disks are with --disk, and \
                          give only the volumes";
        (instance.to_owned(), what_tells.to_owned())
    } else {
        let disk =
            facts.disk.as_ref().map_or_else(|| "the limits that its series tell".to_owned(), ToString::to_string);
        let what_tells = format!(
            "It is another disk, or had other limits: say its real type, size, IOPS and throughput, as --disk \
             {subject}=gp3:500GiB,6000iops,500MiB/s does"
        );
        (disk, what_tells)
    };
    format!(": {used} for {seconds:.0} s, held against {against}. {what_tells}")
}

#[cfg(test)]
#[path = "refuted_tests.rs"]
mod tests;
