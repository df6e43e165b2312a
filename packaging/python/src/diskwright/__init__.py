"""Choose cloud disks for databases, check, simulate and diagnose them: the diskwright program as typed functions."""

from ._answers import (
    Answer,
    CheckAnswer,
    DiagnoseAnswer,
    Latency,
    LimitUse,
    MonthlyCosts,
    Plan,
    PlanAnswer,
    PlanUncertainty,
    PredictedRun,
    Rejection,
    SimulationAnswer,
    Verdict,
)
from ._program import (
    DiskwrightError,
    EnvironmentFailure,
    InputError,
    RefusedError,
    Source,
    Toml,
    program,
    version,
)
from ._timeline import Timeline, read_timeline
from ._verbs import check, diagnose, plan, simulate

__all__ = [
    "Answer",
    "CheckAnswer",
    "DiagnoseAnswer",
    "DiskwrightError",
    "EnvironmentFailure",
    "InputError",
    "Latency",
    "LimitUse",
    "MonthlyCosts",
    "Plan",
    "PlanAnswer",
    "PlanUncertainty",
    "PredictedRun",
    "RefusedError",
    "Rejection",
    "SimulationAnswer",
    "Source",
    "Timeline",
    "Toml",
    "Verdict",
    "check",
    "diagnose",
    "plan",
    "program",
    "read_timeline",
    "simulate",
    "version",
]
