//! A comparison for people.

use super::difference::WORTH_SEEING;
use super::{DifferenceVerdict, IntervalMethod, RunComparison, RunDifference};

/// Lines have at most so many columns.
const COLUMNS: usize = 100;

pub(crate) fn text(comparison: &RunComparison) -> String {
    let RunComparison { a, b, pairs, throughput, p99_ns, cautions, .. } = comparison;
    let runs = if *pairs == 1 { "1 pair of runs".to_owned() } else { format!("{pairs} pairs of runs") };
    let mut lines =
        vec![short(&format!("A: {a}")), short(&format!("B: {b}")), format!("{runs}; intervals hold 95 of 100")];
    lines.push(String::new());
    lines.push(format!("{:<24}{:>12}{:>12}{:>26}   by", "", "A", "B", "B / A"));
    let count = |number: f64| format!("{number:.0}/s");
    lines.push(row("throughput", throughput, count));
    lines.extend(p99_ns.iter().map(|(kind, of)| row(&format!("p99 of {kind}"), of, time)));
    lines.push(String::new());
    lines.push(short(&verdict("throughput", throughput, "faster", "slower")));
    for (kind, of) in p99_ns {
        lines.push(short(&verdict(&format!("p99 of {kind}"), of, "longer", "shorter")));
    }
    lines.extend(cautions.iter().map(|caution| short(&format!("Mind: {caution}."))));
    lines.push(String::new());
    lines.join("\n")
}

fn row(name: &str, of: &RunDifference, number: impl Fn(f64) -> String) -> String {
    let ratio = match (of.ratio_low, of.ratio_high) {
        (Some(low), Some(high)) => format!("{:.3} ({low:.3} to {high:.3})", of.ratio),
        _ => format!("{:.3}", of.ratio),
    };
    let method = match of.method {
        IntervalMethod::PairedT => "paired t",
        IntervalMethod::WithinRuns => "Welch's t",
        IntervalMethod::Bootstrap => "bootstrap",
        IntervalMethod::None => "-",
    };
    let name: String = name.chars().take(23).collect();
    short(&format!("{name:<24}{:>12}{:>12}{ratio:>26}   {method}", number(of.a), number(of.b)))
}

/// `B is 12.0 % ± 3.1 % faster`; the interval's wider side counts.
fn verdict(name: &str, of: &RunDifference, higher: &str, lower: &str) -> String {
    let percent = 100.0 * (of.ratio - 1.0).abs();
    let reach = [of.ratio_low, of.ratio_high].into_iter().flatten().map(|end| 100.0 * (end - of.ratio).abs());
    let reach = reach.fold(0.0, f64::max);
    let differs = |word| format!("{name}: B is {percent:.1} % ± {reach:.1} % {word}");
    let worth = WORTH_SEEING * 100.0;
    match of.verdict {
        DifferenceVerdict::Higher => differs(higher),
        DifferenceVerdict::Lower => differs(lower),
        DifferenceVerdict::NotSeen { more_pairs } => match more_pairs {
            Some(0) => format!("{name}: no difference can be seen; one of {worth} % would have been"),
            Some(1) => format!("{name}: no difference can be seen; 1 more pair would show {worth} %"),
            Some(more) => format!("{name}: no difference can be seen; {more} more pairs would show {worth} %"),
            None => format!("{name}: no difference can be seen; more runs would tell more"),
        },
    }
}

/// Milliseconds, or microseconds where these say more.
fn time(nanos: f64) -> String {
    if nanos < 1e6 { format!("{:.0} us", nanos / 1e3) } else { format!("{:.2} ms", nanos / 1e6) }
}

fn short(line: &str) -> String {
    let line = line.trim_end();
    if line.chars().count() <= COLUMNS {
        return line.to_owned();
    }
    line.chars().take(COLUMNS - 1).chain(['…']).collect()
}
