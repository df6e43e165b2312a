//! How pages show the signals of a diagnosis: in words and units of operators, not under the rules' own names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use diagnose::DiagnosisSignal;
use textfile::Text;

use crate::page::{AxisScale, ChartAxis};
use crate::words;

/// Title, unit and scale of a signal.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignalDisplay {
    /// What it is, as the heading of a chart.
    pub(super) title: String,
    /// The unit of the chart's values.
    pub(super) unit: String,
    /// A value is this many times larger in that unit.
    pub(super) times: f64,
    /// Whether the axis goes by decades.
    #[serde(default)]
    log: bool,
}

static SIGNALS: LazyLock<BTreeMap<String, SignalDisplay>> = LazyLock::new(|| {
    let text = Text::new("tables/signals.toml", include_str!("../../tables/signals.toml"));
    textfile::from_toml(&text).unwrap_or_else(|error| panic!("{error}"))
});

impl SignalDisplay {
    /// The display of a signal; its own words and unit where the table has none.
    pub(super) fn of(signal: DiagnosisSignal) -> Self {
        SIGNALS.get(signal.name()).cloned().unwrap_or_else(|| Self {
            title: super::diagnose::capital(signal.meaning()),
            unit: signal.unit().to_owned(),
            times: 1.0,
            log: false,
        })
    }

    /// The axis of its chart.
    pub(super) fn axis(&self) -> ChartAxis {
        let scale = if self.log { AxisScale::Log } else { AxisScale::FromZero };
        ChartAxis::of("", &self.unit).scaled(scale)
    }

    /// A value in the signal's own unit as people read it.
    pub(super) fn text(&self, value: f64) -> String {
        let unit = if self.unit.starts_with('%') { "%" } else { &self.unit };
        format!("{} {unit}", words::count(value * self.times)).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_of_a_signal_and_none_shows_its_name() {
        for (name, display) in SIGNALS.iter() {
            assert!(DiagnosisSignal::ALL.iter().any(|signal| signal.name() == name), "`{name}` is no signal");
            assert!(!display.title.contains('-') && display.times > 0.0, "{name}");
        }
    }

    #[test]
    fn values_are_told_in_units_of_operators() {
        let told = |signal, value| SignalDisplay::of(signal).text(value);
        assert_eq!(told(DiagnosisSignal::IoLeft, 0.25), "25 %");
        assert_eq!(told(DiagnosisSignal::Latency, 0.0021), "2.1 ms");
        assert_eq!(told(DiagnosisSignal::Throughput, 131_072_000.0), "125 MiB/s");
    }
}
