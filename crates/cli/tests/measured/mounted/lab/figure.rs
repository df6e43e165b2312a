//! A published figure beside what was measured.

use std::fmt;

use super::Length;
use super::machine::{LATE, Lateness};

/// What a measurement is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    /// A value, and how far off it may be as a share of it.
    Near(f64, f64),
    /// The most it may be.
    AtMost(f64),
    /// The least it may be.
    AtLeast(f64),
    /// Nothing: it is told for comparison.
    Nothing,
}

/// One line of the published table.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// Of which disk, under which load.
    pub(crate) of: String,
    /// What was measured.
    pub(crate) what: &'static str,
    /// Its unit.
    pub(crate) unit: &'static str,
    pub(crate) target: Target,
    pub(crate) measured: f64,
    /// How much lower and how much higher neighbours on the machine may put it.
    slack: (f64, f64),
    /// A latency's share of requests: the machine's own lateness is allowed on top.
    late_at: Option<f64>,
    /// How often it was measured: more than once when the tolerance was missed before.
    pub(crate) tries: u32,
}

impl Figure {
    pub(crate) fn new(of: &str, what: &'static str, unit: &'static str, target: Target, measured: f64) -> Self {
        Self { of: of.to_owned(), what, unit, target, measured, slack: (0.0, 0.0), late_at: None, tries: 1 }
    }

    /// A figure of the clock: programs that share the processors may put it so much lower or higher. The tests run wherever
    /// they are asked to and allow it; the benchmark, whose table is published, wants the machine for itself and does not.
    pub(crate) fn with_neighbours(self, length: Length, (lower, higher): (f64, f64)) -> Self {
        Self { slack: length.pick((lower, higher), (0.0, 0.0)), ..self }
    }

    /// A latency of this share of requests, likewise: neighbours may put it as late as they put everything else meanwhile.
    pub(crate) fn of_the_clock(self, length: Length, share: f64) -> Self {
        Self { late_at: length.pick(Some(share), None), ..self.with_neighbours(length, LATE) }
    }

    /// What the machine did to everybody while this was measured.
    pub(crate) fn allow(&mut self, late: &Lateness) {
        if let Some(share) = self.late_at {
            self.slack.1 += late.of_a_request(share);
        }
    }

    /// Whether the tolerance is kept. What is not a number never is.
    pub(crate) fn holds(&self) -> bool {
        let (lower, higher) = self.slack;
        match self.target {
            Target::Near(value, share) => {
                (value * (1.0 - share) - lower..=value * (1.0 + share) + higher).contains(&self.measured)
            }
            Target::AtMost(most) => self.measured <= most + higher,
            Target::AtLeast(least) => self.measured >= least - lower,
            Target::Nothing => true,
        }
    }

    /// Whether there is a tolerance to keep.
    pub(crate) fn is_promised(&self) -> bool {
        self.target != Target::Nothing
    }

    /// The target for people.
    pub(crate) fn expected(&self) -> String {
        let target = match self.target {
            Target::Near(value, share) => format!("{} ± {} %", number(value), number(share * 100.0)),
            Target::AtMost(most) => format!("at most {}", number(most)),
            Target::AtLeast(least) => format!("at least {}", number(least)),
            Target::Nothing => return "nothing: told for comparison".to_owned(),
        };
        match self.slack {
            (0.0, 0.0) => target,
            (lower, higher) => format!("{target}, with neighbours -{} +{}", number(lower), number(higher)),
        }
    }

    /// What was measured, and how far off it is where there is a value to be off.
    pub(crate) fn found(&self) -> String {
        match self.target {
            Target::Near(value, _) => {
                format!("{} ({:+.1} %)", number(self.measured), (self.measured / value - 1.0) * 100.0)
            }
            _ => number(self.measured),
        }
    }

    /// Whether it holds, and after how many tries.
    pub(crate) fn verdict(&self) -> String {
        let verdict = match self.target {
            Target::Nothing => "told",
            _ if self.holds() => "holds",
            _ => "does NOT hold",
        };
        match self.tries {
            1 => verdict.to_owned(),
            n => format!("{verdict} (try {n})"),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, what, unit, .. } = self;
        write!(f, "{}: {of}: {what}: {} {unit}, expected {}", self.verdict(), self.found(), self.expected())
    }
}

/// Some four significant digits, thousands set apart.
fn number(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        s if s >= 1000.0 || s.fract() == 0.0 => 0,
        s if s >= 100.0 => 1,
        s if s >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{size:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = if value < 0.0 { "-".to_owned() } else { String::new() };
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}
