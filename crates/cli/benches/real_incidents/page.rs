//! Who was named for what, as a section of a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use diagnose::{Finding, FindingKind};

use crate::kept::Telling;
use crate::row::Row;

/// Right cause first, and false alarms on healthy ones.
const TARGETS: (f64, f64) = (0.95, 0.02);

/// What was named for an incident.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    name: String,
    truth: Vec<FindingKind>,
    held_out: bool,
    telling: Telling,
    /// How often it was made.
    tries: u32,
    first: FindingKind,
    /// Whether a true cause was named first; `None` where the source cannot know of any.
    pub(crate) right: Option<bool>,
    /// Whether all were named.
    all: bool,
}

impl Outcome {
    pub(crate) fn new(row: &Row, held_out: bool, (telling, tries): (Telling, u32), verdicts: &[Finding]) -> Self {
        let visible = row.visible(telling);
        let first = verdicts[0].kind;
        Self {
            name: row.name.clone(),
            held_out,
            telling,
            tries,
            first,
            right: (!visible.is_empty()).then(|| visible.contains(&first)),
            all: visible.iter().all(|kind| verdicts.iter().any(|verdict| verdict.kind == *kind)),
            truth: row.truth.clone(),
        }
    }

    fn is_calm(&self) -> bool {
        self.truth.iter().all(|kind| !kind.is_wrong())
    }
}

fn percent((yes, all): (usize, usize)) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.1} % ({yes} of {all})", 100.0 * yes as f64 / all as f64) }
}

fn share<'o>(of: impl Iterator<Item = &'o Outcome>, is: impl Fn(&Outcome) -> bool) -> (usize, usize) {
    of.fold((0, 0), |(yes, all), one| (yes + usize::from(is(one)), all + 1))
}

fn of(outcomes: &[Outcome], held_out: Option<bool>, telling: Telling) -> impl Iterator<Item = &Outcome> + Clone {
    let is = move |one: &&Outcome| one.telling == telling && held_out.is_none_or(|held_out| one.held_out == held_out);
    outcomes.iter().filter(is).filter(|one| one.right.is_some())
}

/// Whether the held-out half keeps both targets, as our own counters tell it.
pub(crate) fn kept(outcomes: &[Outcome]) -> bool {
    let held_out = of(outcomes, Some(true), Telling::Counted);
    let at = |(yes, all): (usize, usize)| yes as f64 / all.max(1) as f64;
    let first = share(held_out.clone(), |one| one.right == Some(true));
    let alarms = share(held_out.filter(|one| one.is_calm()), |one| one.first.is_wrong());
    first.1 == 0 || at(first) >= TARGETS.0 && at(alarms) <= TARGETS.1
}

/// The section.
pub(crate) fn markdown(outcomes: &[Outcome], rows: usize) -> String {
    let made = outcomes.iter().filter(|one| one.telling == Telling::Counted);
    let mut text = format!(
        "{} of the {rows} incidents of `crates/cli/benches/real_incidents/incidents.toml` are made. Two causes at once: one of \
         them first, and *all* is both.\n\n| half | told by | right cause first | all causes | false alarms |\n|---|---|---|---|---|\n",
        made.clone().count()
    );
    for (half, held_out) in [("looked at", false), ("held out", true)] {
        for telling in Telling::ALL {
            let some = of(outcomes, Some(held_out), telling);
            let first = percent(share(some.clone(), |one| one.right == Some(true)));
            let all = percent(share(some.clone(), |one| one.all));
            let alarms = percent(share(some.filter(|one| one.is_calm()), |one| one.first.is_wrong()));
            _ = writeln!(text, "| {half} | {} | {first} | {all} | {alarms} |", telling.name());
        }
    }
    let again: Vec<String> =
        made.filter(|one| one.tries > 1).map(|one| format!("`{}` ({} times)", one.name, one.tries)).collect();
    let again = if again.is_empty() { "none".to_owned() } else { again.join(", ") };
    _ = writeln!(text, "\nMade more than once, because the machine was late or did other work: {again}.");
    _ = writeln!(
        text,
        "\nAsked: {:.0} % and {:.0} % of the held-out half, as our own counters tell it.\n\n\
         | incident | half | {} |\n|---|---|---|---|---|",
        100.0 * TARGETS.0,
        100.0 * TARGETS.1,
        Telling::ALL.map(Telling::name).join(" | ")
    );
    let mut names: Vec<&Outcome> = Vec::new();
    let mut by: BTreeMap<(&str, &str), &Outcome> = BTreeMap::new();
    for one in outcomes {
        by.insert((&one.name, one.telling.name()), one);
        if one.telling == Telling::Counted {
            names.push(one);
        }
    }
    for one in names {
        let cell = |telling: Telling| match by.get(&(one.name.as_str(), telling.name())) {
            None | Some(Outcome { right: None, .. }) => "-".to_owned(),
            Some(Outcome { right: Some(true), all: true, .. }) => "right".to_owned(),
            Some(Outcome { right: Some(true), first, .. }) => format!("only {}", first.name()),
            Some(Outcome { first, .. }) => first.name().to_owned(),
        };
        let half = if one.held_out { "held out" } else { "looked at" };
        _ = writeln!(text, "| {} | {half} | {} |", one.name, Telling::ALL.map(cell).join(" | "));
    }
    text
}
