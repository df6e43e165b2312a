//! Whether the machine was an incident's own: one that is late, or does other work, makes another incident of it.

use units::Nanos;
use validation::MachineLoad;

/// When a second is not the incident's own, and how many of them it may have.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// So late may a wake-up be.
    late: Nanos,
    /// Such shares of the processors may be lent to other machines and taken by other programs.
    lent: f64,
    others: f64,
    /// Such a share of the seconds may be disturbed.
    seconds: f64,
    /// So often it is made, at most.
    pub(crate) tries: u32,
}

/// What the machine did besides while an incident was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    /// Of the seconds, those disturbed.
    disturbed: f64,
    /// In the mean.
    late: Nanos,
    others: f64,
    lent: f64,
}

impl Rule {
    /// The one at the head of `incidents.toml`.
    pub(crate) fn embedded() -> Self {
        #[derive(serde::Deserialize)]
        struct Table {
            machine: Rule,
        }
        let table: Table = toml::from_str(include_str!("incidents.toml")).expect("the table beside this file is right");
        table.machine
    }

    /// What the machine did in stretches of so many seconds, a second each but for the first and the last, by this rule.
    pub(crate) fn judge(&self, stretches: &[(f64, MachineLoad)]) -> Machine {
        let whole = stretches.iter().map(|(seconds, _)| seconds).sum::<f64>().max(f64::MIN_POSITIVE);
        let mean = |of: &dyn Fn(&MachineLoad) -> f64| {
            stretches.iter().map(|(seconds, busy)| seconds * of(busy)).sum::<f64>() / whole
        };
        Machine {
            disturbed: mean(&|busy| f64::from(u8::from(self.disturbs(busy)))),
            late: Nanos::from_secs_f64(mean(&|busy| busy.late.as_secs_f64())),
            others: mean(&|busy| busy.others),
            lent: mean(&|busy| busy.stolen),
        }
    }

    fn disturbs(&self, busy: &MachineLoad) -> bool {
        busy.late > self.late || busy.stolen > self.lent || busy.others > self.others
    }

    /// Whether an incident counts as made.
    pub(crate) fn allows(&self, machine: &Machine) -> bool {
        machine.disturbed <= self.seconds
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |share: f64| 100.0 * share;
        write!(
            f,
            "{:.0} % of its seconds disturbed: wake-ups {:.0} µs late, others {:.1} %, lent {:.1} %",
            percent(self.disturbed),
            self.late.as_secs_f64() * 1e6,
            percent(self.others),
            percent(self.lent)
        )
    }
}
