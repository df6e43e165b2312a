//! The answer of `bench study` as text, JSON and a page.

use std::path::PathBuf;

use bench::compare::{DifferenceVerdict, RunDifference};
use mysql::SqlRun;
use mysql::study::{Study, StudyGain, StudyPhases, StudySlot, slots};
use serde_json::{Value, json};

use crate::text::{Table, bold, line_width, wrap};

/// The last note of every study.
pub(super) const SAID: &str = "Disks are emulated on this machine with the limits and latencies that the provider publishes; \
    server, clients and disks share its processors.";

/// The study as text; `written` are the files that hold it.
pub fn text(study: &Study, pairs: &[[SqlRun; 2]], seen: &StudyPhases, written: &[PathBuf]) -> String {
    let mut out = bold(&wrap(&format!("{}: {}", study.name, answer(study, seen)), line_width(), 0)) + "\n\n";
    for (name, value) in facts(study, pairs) {
        out += &format!("{}\n", wrap(&format!("{name}: {value}"), line_width(), 2));
    }
    if let Some(last) = pairs.last() {
        out += "\n";
        out += &rows(&slot_head(study), slots(last, study.slot).iter().map(slot_row));
    }
    out += "\n";
    out += &rows(&phase_head(study), phase_rows(seen).into_iter());
    out += &format!("\n{}\n{}\n", wrap(&study.scaled, line_width(), 0), wrap(SAID, line_width(), 0));
    for file in written {
        out += &format!("written: {}\n", file.display());
    }
    out
}

/// The study as JSON.
pub fn document(study: &Study, pairs: &[[SqlRun; 2]], seen: &StudyPhases) -> Value {
    let sides: Vec<_> = study
        .sides
        .iter()
        .map(|side| json!({ "name": side.name, "disk": side.disk, "disks_usd_a_month": side.disks_monthly.map(|price| price.0) }))
        .collect();
    let runs: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let used = pair.each_ref().map(|found| &found.used);
            let cpu = pair.each_ref().map(|found| found.report.driver_cpu.of_machine);
            json!({ "slots": slots(pair, study.slot), "used": used, "driver_of_machine": cpu })
        })
        .collect();
    json!({ "study": study.name, "scaled": study.scaled, "sides": sides, "phases": seen, "pairs": runs })
}

fn rows(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let numbers: Vec<usize> = (1..head.len()).collect();
    let mut table = Table::new(&head, &numbers);
    rows.for_each(|row| table.row(row));
    table.to_string()
}

/// The answer in a sentence.
pub(super) fn answer(study: &Study, seen: &StudyPhases) -> String {
    let [a, b] = study.sides.each_ref().map(|side| side.name.as_str());
    let before = seen.before.as_ref().map(|gain| match gain.rows_per_minute.verdict {
        DifferenceVerdict::NotSeen { .. } if gain.rows_per_minute.ratio_low.is_some() => {
            "no difference is seen while credits last".to_owned()
        }
        _ => format!("while credits last, {b} adds {} rows than {a}", more(&gain.rows_per_minute)),
    });
    let after = match &seen.after {
        Some(gain) => format!("without credits, {b} adds {} rows than {a}", more(&gain.rows_per_minute)),
        None => format!("the credits of {a} did not run out, or the runs ended there: give fewer, or measure longer"),
    };
    let mut sentence = before.into_iter().chain([after]).collect::<Vec<_>>().join("; ");
    // A sentence begins with a capital, a volume's name stays as it is.
    if !sentence.starts_with(a) {
        sentence[..1].make_ascii_uppercase();
    }
    sentence + "."
}

/// `18.4 % more (95 %: 12.0 to 25.1)`.
fn more(of: &RunDifference) -> String {
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let word = if of.ratio < 1.0 { "fewer" } else { "more" };
    let interval = match (of.ratio_low, of.ratio_high) {
        (Some(low), Some(high)) => format!(" (95 %: {:+.1} to {:+.1})", percent(low), percent(high)),
        _ => " (one pair: no interval)".to_owned(),
    };
    format!("{:.1} % {word}{interval}", percent(of.ratio).abs())
}

/// What was run, and what it came to.
pub(super) fn facts(study: &Study, pairs: &[[SqlRun; 2]]) -> Vec<(String, String)> {
    let mut facts: Vec<(String, String)> = study
        .sides
        .iter()
        .zip(short(study))
        .map(|(side, short)| {
            let price = side.disks_monthly.map_or(String::new(), |price| format!(", {price} a month"));
            let name = if short == side.name { short.to_owned() } else { format!("{short}, {}", side.name) };
            (name, format!("{}{price}", side.disk))
        })
        .collect();
    let order = pairs.len();
    facts.push(("Pairs of runs".to_owned(), format!("{order}, each measured for {}", study.measured())));
    let all = || pairs.iter().flatten();
    let cpu = all().map(|found| found.report.driver_cpu.of_machine).fold(0.0, f64::max);
    let busy = all().filter_map(|found| {
        let cpu = &found.report.driver_cpu;
        cpu.of_busy.filter(|share| *share > 0.0).map(|share| cpu.of_machine / share)
    });
    let busy = busy.fold(0.0, f64::max);
    facts.push((
        "Processors".to_owned(),
        format!("at most {:.0} % busy in a run, the driver's own part {:.0} %", 100.0 * busy, 100.0 * cpu),
    ));
    facts
}

/// What columns call the sides: their names where these are as short as a volume's type, else A and B.
fn short(study: &Study) -> [&str; 2] {
    /// With longer ones the study's table is wider than a terminal.
    const MOST: usize = 3;
    let names = study.sides.each_ref().map(|side| side.name.as_str());
    if names.iter().all(|name| name.chars().count() <= MOST) { names } else { ["A", "B"] }
}

/// The columns of the phases.
pub(super) fn phase_head(study: &Study) -> [String; 7] {
    let [a, b] = short(study);
    [
        "credits".to_owned(),
        "s".to_owned(),
        format!("{a} rows/min"),
        format!("{b} rows/min"),
        "gain (95 %)".to_owned(),
        "IOPS of both".to_owned(),
        "queue of both".to_owned(),
    ]
}

/// One row for each phase that was seen.
pub(super) fn phase_rows(seen: &StudyPhases) -> Vec<Vec<String>> {
    let row = |(name, gain): (&str, &StudyGain)| {
        let rows = &gain.rows_per_minute;
        let percent = |ratio: f64| format!("{:+.1}", 100.0 * (ratio - 1.0));
        let interval = match (rows.ratio_low, rows.ratio_high) {
            (Some(low), Some(high)) => format!(" ({} to {})", percent(low), percent(high)),
            _ => String::new(),
        };
        vec![
            name.to_owned(),
            format!("{:.0}", gain.seconds),
            format!("{:.0}", rows.a),
            format!("{:.0}", rows.b),
            format!("{} %{interval}", percent(rows.ratio)),
            format!("{:.0}, {:.0}", gain.iops[0], gain.iops[1]),
            format!("{:.1}, {:.1}", gain.queue_depth[0], gain.queue_depth[1]),
        ]
    };
    let phases = [("left", &seen.before), ("gone", &seen.after)];
    phases.into_iter().filter_map(|(name, gain)| Some(row((name, gain.as_ref()?)))).collect()
}

/// The columns of the study's table.
pub(super) fn slot_head(study: &Study) -> [String; 9] {
    let [a, b] = short(study);
    [
        "second".to_owned(),
        format!("{a} rows/min"),
        format!("{b} rows/min"),
        "difference".to_owned(),
        format!("{a} IOPS"),
        format!("{b} IOPS"),
        format!("{a} queue"),
        format!("{b} queue"),
        format!("{a} burst"),
    ]
}

/// A row of it.
pub(super) fn slot_row(slot: &StudySlot) -> Vec<String> {
    let [a, b] = slot.rows_per_minute;
    vec![
        format!("{:.0}", slot.from_s),
        format!("{a:.0}"),
        format!("{b:.0}"),
        format!("{:+.0}", b - a),
        format!("{:.0}", slot.iops[0]),
        format!("{:.0}", slot.iops[1]),
        format!("{:.1}", slot.queue_depth[0]),
        format!("{:.1}", slot.queue_depth[1]),
        slot.burst_balance[0].map_or("-".to_owned(), |balance| format!("{balance:.2} %")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_is_told_with_its_interval_and_one_pair_has_none() {
        let many = RunDifference::of_pairs(&[(100.0, 120.0), (100.0, 121.0), (100.0, 119.0)]);
        let told = more(&many);
        assert!(told.starts_with("20.0 % more (95 %: +17.") && told.ends_with(')'), "{told}");
        assert_eq!(more(&RunDifference::of_pairs(&[(100.0, 80.0)])), "20.0 % fewer (one pair: no interval)");
    }
}
