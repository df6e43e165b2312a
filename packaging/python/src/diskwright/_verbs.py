"""The verbs as functions."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence

from ._answers import CheckAnswer, DiagnoseAnswer, PlanAnswer, SimulationAnswer
from ._program import Source, run


def plan(
    workload: Source,
    *,
    region: Optional[str] = None,
    as_of: Optional[str] = None,
    pin: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_usd: Optional[float] = None,
    top: Optional[int] = None,
    futures: Optional[int] = None,
    seed: Optional[int] = None,
    out: "Optional[str | os.PathLike[str]]" = None,
    **options: Any,
) -> PlanAnswer:
    """The cheapest deployments that meet a workload; an answer without plans is negative, no exception."""
    named = {"region": region, "as_of": as_of, "pin": list(pin), "exclude": list(exclude), "max_usd": max_usd}
    reply = run(["plan"], [workload], {**named, "top": top, "futures": futures, "seed": seed, "out": out, **options})
    return PlanAnswer._of(reply.document, reply.exit_code == 1)


def check(deployment: Source, workload: Optional[Source] = None, **options: Any) -> CheckAnswer:
    """Which limits a deployment is asked more of than they deliver; without a workload, what it says it is asked."""
    sources = [deployment] if workload is None else [deployment, workload]
    reply = run(["check"], sources, options)
    return CheckAnswer._of(reply.document, reply.exit_code == 1)


def simulate(
    deployment: Source,
    workload: Source,
    *,
    duration: Optional[str] = None,
    warm_up: Optional[str] = None,
    seed: Optional[int] = None,
    out: "Optional[str | os.PathLike[str]]" = None,
    **options: Any,
) -> SimulationAnswer:
    """Runs a deployment under a workload for ``duration`` of virtual time, such as ``10m``."""
    named = {"for": duration, "warm_up": warm_up, "seed": seed, "out": out}
    reply = run(["simulate"], [deployment, workload], {**named, **options})
    return SimulationAnswer._of(reply.document, reply.exit_code == 1)


def diagnose(source: str, *arguments: "str | os.PathLike[str]", **options: Any) -> DiagnoseAnswer:
    """Names the bottleneck. ``source`` is that of the command line: ``timeline``, ``iostat``, ``prometheus`` …

    ``diagnose("iostat", "node.txt", disk="sdb=gp3:500GiB")`` is ``diskwright diagnose iostat node.txt --disk sdb=gp3:500GiB``.
    """
    reply = run(["diagnose", source], list(arguments), options)
    return DiagnoseAnswer._of(reply.document, reply.exit_code == 1)
