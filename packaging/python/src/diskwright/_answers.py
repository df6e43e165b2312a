"""Answers of the verbs, typed. Each keeps the program's document in full."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ._timeline import Timeline, read_timeline


@dataclass(frozen=True)
class Answer:
    """What every answer has."""

    document: dict[str, Any]
    """The program's JSON in full."""
    is_negative: bool
    """Whether the answer is no: targets out of reach, a limit exceeded, something wrong."""


@dataclass(frozen=True)
class MonthlyCosts:
    """Dollars a month."""

    compute: float
    disks: float
    transfer: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.compute + self.disks + self.transfer


@dataclass(frozen=True)
class PredictedRun:
    """What the model predicts at the target."""

    throughput: float
    """The most that it sustains, in ``unit``."""
    unit: str
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True)
class Plan:
    """A deployment that meets the workload."""

    monthly_usd: float
    usd: MonthlyCosts
    predicted: PredictedRun
    bottleneck: str
    """The resource that saturates first."""
    headroom: float
    """The share of it that is free at the target."""
    utilisation: dict[str, float]
    """The share in use of each resource."""
    deployment: dict[str, Any]

    @classmethod
    def _of(cls, document: dict[str, Any]) -> "Plan":
        usd, predicted = document["usd"], document["predicted"]
        return cls(
            monthly_usd=document["monthly_usd"],
            usd=MonthlyCosts(usd["compute"], usd["disks"], usd["transfer"]),
            predicted=PredictedRun(
                predicted["throughput"], predicted["unit"], predicted["p50_ms"], predicted["p99_ms"]
            ),
            bottleneck=document["bottleneck"],
            headroom=document["headroom"],
            utilisation={use["resource"]: use["share"] for use in document["utilisation"]},
            deployment=document["deployment"],
        )


@dataclass(frozen=True)
class Rejection:
    """Why a disk type or an instance family is not the cheapest."""

    kind: str
    """``disk`` or ``family``."""
    name: str
    more_usd: Optional[float]
    """What its best plan costs more a month; ``None`` if it has none."""
    best: Optional[Plan]
    ruled_out_by: Any

    @classmethod
    def _of(cls, document: dict[str, Any]) -> "Rejection":
        best = document.get("best")
        return cls(
            kind=document["kind"],
            name=document["name"],
            more_usd=document.get("more_usd"),
            best=None if best is None else Plan._of(best),
            ruled_out_by=document.get("ruled_out_by"),
        )


@dataclass(frozen=True)
class PlanUncertainty:
    """How the plans fare over sampled futures."""

    futures: int
    cheapest: int
    """The index in ``plans`` of the cheapest."""
    least_regret: int
    """The index in ``plans`` of the one that is regretted least."""
    odds_of_missing: list[float]
    regret_usd: list[float]
    inputs: dict[str, str]


@dataclass(frozen=True)
class PlanAnswer(Answer):
    """The cheapest deployments for a workload."""

    plans: list[Plan]
    """The cheapest first; empty if none meets the targets."""
    why_not: list[Rejection]
    closest: Optional[Plan]
    """The plan that misses the targets least, where none meets them."""
    shortfalls: list[str]
    uncertainty: Optional[PlanUncertainty]
    not_covered: list[str]

    @classmethod
    def _of(cls, document: dict[str, Any], is_negative: bool) -> "PlanAnswer":
        uncertainty, closest = document["uncertainty"], document["closest"]
        names = PlanUncertainty.__dataclass_fields__
        return cls(
            document=document,
            is_negative=is_negative,
            plans=[Plan._of(plan) for plan in document["plans"]],
            why_not=[Rejection._of(why) for why in document["why_not"]],
            closest=None if closest is None else Plan._of(closest),
            shortfalls=document["shortfalls"],
            uncertainty=None if uncertainty is None else PlanUncertainty(**{n: uncertainty[n] for n in names}),
            not_covered=document["not_covered"],
        )


@dataclass(frozen=True)
class LimitUse:
    """A limit, what is asked of it and what it delivers, both in ``unit``."""

    limit: str
    instance: str
    asked: float
    delivered: float
    unit: str
    utilisation: float
    burst_seconds: Optional[float]
    """How long a burst carries what exceeds it."""

    @classmethod
    def _of(cls, document: dict[str, Any]) -> "LimitUse":
        return cls(**{name: document[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class CheckAnswer(Answer):
    """Which limits a deployment is asked more of than they deliver."""

    deliverable: bool
    monthly_usd: Optional[float]
    limits: list[LimitUse]
    violations: list[LimitUse]
    warnings: list[LimitUse]

    @classmethod
    def _of(cls, document: dict[str, Any], is_negative: bool) -> "CheckAnswer":
        uses = {key: [LimitUse._of(use) for use in document[key]] for key in ("limits", "violations", "warnings")}
        return cls(
            document=document,
            is_negative=is_negative,
            deliverable=document["deliverable"],
            monthly_usd=document["monthly_usd"],
            **uses,
        )


@dataclass(frozen=True)
class Latency:
    """Latency in milliseconds."""

    mean: float
    p50: float
    p99: float
    p999: float
    max: float

    @classmethod
    def _of(cls, document: dict[str, Any]) -> "Latency":
        return cls(**{name: document[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class SimulationAnswer(Answer):
    """A run in virtual time."""

    throughput: float
    """In ``unit``."""
    unit: str
    operations_per_second: float
    latency_ms: Latency
    saturated: Any
    """The limit that was saturated; ``None`` if the load was carried."""
    write_amplification: Optional[float]
    out: Optional[Path]
    """The file or folder that was written."""

    @classmethod
    def _of(cls, document: dict[str, Any], is_negative: bool) -> "SimulationAnswer":
        out = document["out"]
        return cls(
            document=document,
            is_negative=is_negative,
            throughput=document["throughput"],
            unit=document["unit"],
            operations_per_second=document["operations_per_second"],
            latency_ms=Latency._of(document["latency_ms"]),
            saturated=document["saturated"],
            write_amplification=document["write_amplification"],
            out=None if out is None else Path(out),
        )

    def timeline(self) -> Timeline:
        """The series of the run, where it was written with ``out``.

        Raises :class:`ValueError` without ``out``.
        """
        if self.out is None:
            raise ValueError("the run was not written: call simulate with out=, a .parquet file or a folder")
        return read_timeline(self.out / "timeline.parquet" if self.out.is_dir() else self.out)


@dataclass(frozen=True)
class Verdict:
    """A named bottleneck, with its evidence and remedy."""

    kind: str
    says: str
    confidence: float
    start: float
    """Seconds from the Timeline's start."""
    end: float
    subject: dict[str, Any]
    evidence: dict[str, Any]
    remedy: Optional[dict[str, Any]]
    monthly_usd_delta: Optional[float]
    """What the remedy costs a month more."""

    @classmethod
    def _of(cls, document: dict[str, Any]) -> "Verdict":
        return cls(
            kind=document["kind"],
            says=document["says"],
            confidence=document["confidence"],
            start=document["from"],
            end=document["to"],
            subject=document["subject"],
            evidence=document["evidence"],
            remedy=document["remedy"],
            monthly_usd_delta=document["monthly_usd_delta"],
        )


@dataclass(frozen=True)
class DiagnoseAnswer(Answer):
    """The bottlenecks that metrics show."""

    title: str
    verdicts: list[Verdict]
    left_out: list[str]

    @classmethod
    def _of(cls, document: dict[str, Any], is_negative: bool) -> "DiagnoseAnswer":
        return cls(
            document=document,
            is_negative=is_negative,
            title=document["title"],
            verdicts=[Verdict._of(verdict) for verdict in document["verdicts"]],
            left_out=document["left_out"],
        )
