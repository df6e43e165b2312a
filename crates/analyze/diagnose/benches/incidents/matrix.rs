//! Who was named for what, as a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use diagnose::FindingKind;
use timeline::{Series, Timeline};

/// How an incident is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// By our own disks: also for how long each limit held requests up, and the credits.
    Counted,
    /// As `iostat` and the engine's metrics tell it: requests, bytes, times, queue.
    Plain,
}

impl Telling {
    pub(crate) const ALL: [Self; 2] = [Self::Counted, Self::Plain];

    /// The Timeline with the series that are told.
    pub(crate) fn of(self, timeline: &Timeline) -> Timeline {
        const OURS: [&str; 13] = [
            "bound_time",
            "counted_ios",
            "iops_utilisation",
            "throughput_utilisation",
            "iops_limit",
            "throughput_limit",
            "io_credits",
            "byte_credits",
            "io_balance",
            "byte_balance",
            "instance_io_balance",
            "instance_byte_balance",
            "late_time",
        ];
        let mut told = timeline.clone();
        if self == Self::Plain {
            told.series.retain(|series: &Series| !OURS.contains(&series.name.as_str()));
        }
        told
    }
}

/// What was named for an incident.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) truth: FindingKind,
    pub(crate) held_out: bool,
    pub(crate) telling: Telling,
    pub(crate) first: FindingKind,
    pub(crate) among: bool,
    pub(crate) redrawn: u64,
}

/// Right cause first, and false alarms on healthy ones.
const TARGETS: (f64, f64) = (0.97, 0.02);

fn of(outcomes: &[Outcome], held_out: bool, telling: Telling) -> Vec<&Outcome> {
    outcomes.iter().filter(|one| one.held_out == held_out && one.telling == telling).collect()
}

fn share<'o>(of: impl Iterator<Item = &'o Outcome>, is: impl Fn(&Outcome) -> bool) -> (usize, usize) {
    of.fold((0, 0), |(yes, all), one| (yes + usize::from(is(one)), all + 1))
}

fn percent((yes, all): (usize, usize)) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.1} % ({yes} of {all})", 100.0 * yes as f64 / all as f64) }
}

fn first(outcomes: &[&Outcome]) -> (usize, usize) {
    share(outcomes.iter().copied(), |one| one.first == one.truth)
}

fn alarms(outcomes: &[&Outcome]) -> (usize, usize) {
    let healthy =
        outcomes.iter().copied().filter(|one| matches!(one.truth, FindingKind::Healthy | FindingKind::OverProvisioned));
    share(healthy, |one| one.first.is_wrong())
}

/// Whether the held-out half keeps both targets, as our own disks tell it.
pub(crate) fn kept(outcomes: &[Outcome]) -> bool {
    let held_out = of(outcomes, true, Telling::Counted);
    let at = |(yes, all): (usize, usize)| yes as f64 / all.max(1) as f64;
    held_out.is_empty() || at(first(&held_out)) >= TARGETS.0 && at(alarms(&held_out)) <= TARGETS.1
}

/// The section.
pub(crate) fn markdown(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "Simulated deployments drawn at random, each with one cause that the \
         simulator, and where causes look alike its remedy, confirms. Every other round of all causes is held out: no rule and \
         no threshold was chosen by it. *Counted* is told by our own disks, which count for how long each limit held requests \
         up; *plain* is what `iostat` and the engine's metrics tell. A false alarm is something wrong named first of a healthy \
         or over-provisioned deployment.\n\n\
         | half | told | right cause first | right cause among all | false alarms |\n|---|---|---|---|---|\n",
    );
    for (half, held_out) in [("looked at", false), ("held out", true)] {
        for telling in Telling::ALL {
            let some = of(outcomes, held_out, telling);
            let among = share(some.iter().copied(), |one| one.among);
            let told = if telling == Telling::Counted { "counted" } else { "plain" };
            let row = [percent(first(&some)), percent(among), percent(alarms(&some))];
            let _ = writeln!(text, "| {half} | {told} | {} |", row.join(" | "));
        }
    }
    let _ = writeln!(
        text,
        "\nAsked: {:.0} % and {:.0} % of the held-out half. {} drafts were not of their cause and were drawn anew.\n",
        TARGETS.0 * 100.0,
        TARGETS.1 * 100.0,
        outcomes.iter().filter(|one| one.telling == Telling::Counted).map(|one| one.redrawn).sum::<u64>()
    );
    for telling in Telling::ALL {
        let told = if telling == Telling::Counted { "counted" } else { "plain" };
        let _ =
            writeln!(text, "### Held out, {told}\n\n| cause | incidents | right | named instead |\n|---|---|---|---|");
        let mut by: BTreeMap<FindingKind, BTreeMap<FindingKind, usize>> = BTreeMap::new();
        for one in of(outcomes, true, telling) {
            *by.entry(one.truth).or_default().entry(one.first).or_default() += 1;
        }
        for (truth, named) in by {
            let all: usize = named.values().sum();
            let right = named.get(&truth).copied().unwrap_or(0);
            let others: Vec<String> = named
                .iter()
                .filter(|(kind, _)| **kind != truth)
                .map(|(kind, count)| format!("{} {count}", kind.name()))
                .collect();
            let _ = writeln!(text, "| {} | {all} | {right} | {} |", truth.name(), others.join(", "));
        }
        text.push('\n');
    }
    text
}
