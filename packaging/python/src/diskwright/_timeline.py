"""Timelines: the series of a run or of recorded metrics, as Arrow tables and data frames."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import pyarrow

_ABOUT = b"diskwright.timeline"


@dataclass(frozen=True)
class Timeline:
    """A Timeline in a Parquet file, one row for each point.

    Columns: ``series``, ``labels`` (JSON), ``unit``, ``merge`` (how points merge), ``from_ns`` and ``until_ns`` (nanoseconds from
    the start), ``value``, and ``histogram`` (V2 of HdrHistogram) for latencies.
    """

    path: Path

    def to_arrow(self) -> "pyarrow.Table":
        """The file as an Arrow table. Raises :class:`ImportError` without pyarrow."""
        import pyarrow.parquet

        return pyarrow.parquet.read_table(self.path)

    def about(self) -> dict[str, Any]:
        """Title, start and notes of the Timeline. Raises :class:`ImportError` without pyarrow."""
        import pyarrow.parquet

        metadata = pyarrow.parquet.read_schema(self.path).metadata or {}
        return json.loads(metadata.get(_ABOUT, b"{}"))

    def to_pandas(self) -> "pandas.DataFrame":
        """The numbers as a data frame: a row for each interval, indexed by its start as ``Timedelta``, a column for each series.

        A series with labels has them in its column's name: ``used_bytes{node=n1}``. Latency histograms are left out; they are in
        :meth:`to_arrow`. Raises :class:`ImportError` without pandas and pyarrow.
        """
        import pandas

        rows = self.to_arrow().select(["series", "labels", "from_ns", "value"]).to_pandas()
        rows = rows[rows["value"].notna()]
        names = rows["series"] + rows["labels"].map(_label_suffix)
        frame = pandas.DataFrame(
            {"start": pandas.to_timedelta(rows["from_ns"], unit="ns"), "name": names, "value": rows["value"]}
        )
        table = frame.pivot_table(index="start", columns="name", values="value", aggfunc="last", sort=False)
        table.columns.name = None
        return table.sort_index()


def _label_suffix(text: str) -> str:
    labels = json.loads(text) if text else {}
    return "{" + ",".join(f"{key}={value}" for key, value in sorted(labels.items())) + "}" if labels else ""


def read_timeline(path: "str | os.PathLike[str]") -> Timeline:
    """A Timeline that ``simulate``, ``record`` or ``bench`` wrote as Parquet.

    Raises :class:`FileNotFoundError` if there is no such file.
    """
    found = Path(path)
    if not found.is_file():
        raise FileNotFoundError(f"{found}: no such Timeline")
    return Timeline(found)
