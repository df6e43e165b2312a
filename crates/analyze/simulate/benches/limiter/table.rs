//! The figures as tables, with intervals.

use std::fmt::Write as _;
use std::path::Path;

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::figures::Figures;

/// Throughput that is no loss: less than what chance makes of it.
const SLACK: f64 = 0.005;
/// The p99 that is promised, over the best of the others.
const PROMISED: f64 = 0.8;
/// Up to this line of a document stands its table.
const END: &str = "<!-- end -->";

/// What is meant by a bounded backlog.
#[derive(Debug, Clone, Copy)]
enum Bounded {
    /// It never reaches so many bytes, at which flow control begins.
    Under(f64),
    /// At the end it is on average at most [`GROWN`] times as large as half way.
    Steady,
}

/// A backlog that is so much larger at the end than half way has grown.
const GROWN: f64 = 1.25;

impl Bounded {
    fn holds(self, figures: &[Figures]) -> bool {
        match self {
            Self::Under(bytes) => most(figures, |f| f.pending) < bytes,
            Self::Steady => growth(figures) <= GROWN,
        }
    }

    /// A backlog that is bounded, in words.
    fn words(self) -> String {
        match self {
            Self::Under(bytes) => format!("a backlog under the {:.0} GiB at which flow control begins", bytes / GIB),
            Self::Steady => format!("a backlog at the end of at most {GROWN} times that half way"),
        }
    }

    /// How far the pilot's goes.
    fn told(self, pilot: &[Figures]) -> String {
        match self {
            Self::Under(_) => format!("its backlog {:.2} GiB at most", most(pilot, |f| f.pending) / GIB),
            Self::Steady => format!("its backlog at the end {:.2} times that half way", growth(pilot)),
        }
    }
}

/// The mean backlog at the end over that half way.
fn growth(figures: &[Figures]) -> f64 {
    figures.iter().map(|f| f.left).sum::<f64>() / figures.iter().map(|f| f.middle).sum::<f64>()
}

/// A mean with its interval of 95 %, by Student's t.
#[derive(Debug, Clone, Copy)]
struct Mean {
    mean: f64,
    half: f64,
}

fn mean(values: impl Iterator<Item = f64>) -> Mean {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let width = StudentsT::new(0.0, 1.0, n - 1.0).map(|student| student.inverse_cdf(0.975) * (variance / n).sqrt());
    // A single number tells nothing of its error.
    Mean { mean, half: width.unwrap_or(f64::INFINITY) }
}

/// A geometric mean of ratios, pair by pair, with its interval.
fn ratio(one: &[Figures], other: &[Figures], of: fn(&Figures) -> f64) -> (f64, f64, f64) {
    let Mean { mean, half } = mean(one.iter().zip(other).map(|(one, other)| (of(one) / of(other)).ln()));
    (mean.exp(), (mean - half).exp(), (mean + half).exp())
}

/// In parentheses, where there is one.
fn interval(from: f64, to: f64) -> String {
    if to.is_finite() { format!(" ({from:.2} to {to:.2})") } else { String::new() }
}

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

fn most(figures: &[Figures], of: fn(&Figures) -> f64) -> f64 {
    figures.iter().map(of).fold(0.0, f64::max)
}

fn geometric(figures: &[Figures], of: fn(&Figures) -> f64) -> f64 {
    mean(figures.iter().map(|f| of(f).ln())).mean.exp()
}

/// An arm in a line, for the terminal.
pub(crate) fn line(name: &str, figures: &[Figures]) -> String {
    let done = mean(figures.iter().map(|f| f.done));
    format!(
        "{:<42} {:7.2} ops/s  p50 {:6.2} ms  p99 {:7.2} ms  worst {:8.1} ms  pending {:5.1} GiB, {:5.2} then {:5.2}  L0 {:4.0}  {:4.0} changes an hour",
        name,
        done.mean,
        geometric(figures, |f| f.p50) * 1e3,
        geometric(figures, |f| f.p99) * 1e3,
        most(figures, |f| f.p99) * 1e3,
        most(figures, |f| f.pending) / GIB,
        mean(figures.iter().map(|f| f.middle)).mean / GIB,
        mean(figures.iter().map(|f| f.left)).mean / GIB,
        most(figures, |f| f.l0),
        mean(figures.iter().map(|f| f.changes)).mean,
    )
}

/// The table of the document, and whether what is promised holds with backlogs under `flow_control` bytes. The pilot comes first;
/// another may have had only the first of its sequences, and is compared on these.
pub(crate) fn document(rows: &[(&str, &[Figures])], flow_control: f64) -> (String, bool) {
    let (_, pilot) = rows[0];
    let mut text = String::from(
        "| limiter | ops/s | p50 | p99 | its p99 over the pilot's, 95 % | most pending, GiB | half way and at the end, mean | most files on L0 |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (name, figures) in rows {
        let (over, from, to) = ratio(figures, pilot, |f| f.p99);
        let _ = writeln!(
            text,
            "| {name}{} | {:.1} | {:.2} ms | {:.1} ms | {over:.2}{} | {:.2} | {:.2}, {:.2} | {:.0} |",
            if figures.len() < pilot.len() { format!(", the first {} only", figures.len()) } else { String::new() },
            mean(figures.iter().map(|f| f.done)).mean,
            geometric(figures, |f| f.p50) * 1e3,
            geometric(figures, |f| f.p99) * 1e3,
            interval(from, to),
            most(figures, |f| f.pending) / GIB,
            mean(figures.iter().map(|f| f.middle)).mean / GIB,
            mean(figures.iter().map(|f| f.left)).mean / GIB,
            most(figures, |f| f.l0),
        );
    }
    let (verdict, kept) = verdict(rows, Bounded::Under(flow_control));
    text.push_str(&verdict);
    text.push_str(&self::verdict(rows, Bounded::Steady).0);
    (text, kept)
}

/// The pilot beside the best of the others that lose no throughput and keep a bounded backlog: a limit under which the backlog grows
/// buys its p99 from a later hour.
fn verdict(rows: &[(&str, &[Figures])], bounded: Bounded) -> (String, bool) {
    let (_, pilot) = rows[0];
    let beside = |figures: &[Figures]| {
        let (its, pilots) = figures.iter().zip(pilot).fold((0.0, 0.0), |sum, (f, p)| (sum.0 + f.done, sum.1 + p.done));
        its / pilots
    };
    let fastest = rows[1..].iter().map(|(_, figures)| beside(figures)).fold(0.0, f64::max);
    let done = |figures: &[Figures]| beside(figures) / fastest;
    let sound = |figures: &[Figures]| done(figures) >= 1.0 - SLACK && bounded.holds(figures);
    let best = rows[1..]
        .iter()
        .filter(|(_, figures)| sound(figures))
        .min_by(|a, b| ratio(a.1, pilot, |f| f.p99).0.total_cmp(&ratio(b.1, pilot, |f| f.p99).0));
    let words = bounded.words();
    let Some((name, figures)) = best else {
        return (format!("\nNone of the others carries all with {words}.\n"), sound(pilot));
    };
    let (p99, from, to) = ratio(pilot, figures, |f| f.p99);
    let kept = to <= PROMISED && sound(pilot);
    let text = format!(
        "\nSequences: {}. Of the others that carry all with {words}, the best is {name}: the pilot's p99 is {p99:.2} of its{}, \
         its throughput {:.2} % of the most, {}. Promised: at most {PROMISED}, no loss, such a backlog: {}.\n",
        figures.len(),
        interval(from, to),
        done(pilot) * 100.0,
        bounded.told(pilot),
        match figures.len() {
            1 => "one sequence has no interval",
            _ if kept => "kept",
            _ => "not kept",
        },
    );
    (text, kept)
}

/// Puts the table into its document, after the line `begin`.
pub(crate) fn replace(path: &Path, begin: &str, table: &str) -> std::io::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let lost = || std::io::Error::other(format!("has no lines `{begin}` and `{END}` for the table"));
    let (before, rest) = text.split_once(begin).ok_or_else(lost)?;
    let (_, after) = rest.split_once(END).ok_or_else(lost)?;
    std::fs::write(path, format!("{before}{begin}\n{table}{END}{after}"))
}
