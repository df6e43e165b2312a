//! Ways in which a claim is checked.

/// How a claim is checked, from the cheapest answer to the dearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rung {
    /// The closed-form model.
    Model,
    /// The planner.
    Plan,
    /// Virtual time.
    Simulate,
    /// Real time on a mounted disk.
    Mount,
    /// A measured run of a database.
    Bench,
    /// Files written for other tools.
    Render,
    /// A verdict on a Timeline.
    Diagnose,
    /// Actions on a live cluster.
    Pilot,
}

impl Rung {
    /// All rungs, as declared.
    pub const ALL: [Self; 8] =
        [Self::Model, Self::Plan, Self::Simulate, Self::Mount, Self::Bench, Self::Render, Self::Diagnose, Self::Pilot];

    /// Whether the answer is computed at once.
    pub fn immediate(self) -> bool {
        !self.measured()
    }

    /// Whether the answer is simulated or measured, which takes minutes.
    pub fn measured(self) -> bool {
        matches!(self, Self::Mount | Self::Bench | Self::Simulate)
    }
}

impl std::fmt::Display for Rung {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Model => "model",
            Self::Plan => "plan",
            Self::Simulate => "simulate",
            Self::Mount => "mount",
            Self::Bench => "bench",
            Self::Render => "render",
            Self::Diagnose => "diagnose",
            Self::Pilot => "pilot",
        })
    }
}
