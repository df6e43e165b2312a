"""Runs the diskwright program and turns its exit codes into exceptions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence, Union


class Toml(str):
    """The text of a workload or deployment, in place of a path."""


Source = Union[str, "os.PathLike[str]", Toml]
"""A workload or deployment: the path of a TOML file, or its text as :class:`Toml`."""


class DiskwrightError(Exception):
    """Why there is no answer."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code


class RefusedError(DiskwrightError):
    """The program refuses: exit code 1 without an answer."""


class InputError(DiskwrightError):
    """Wrong usage or input: exit code 2. The message names file, line and key."""


class EnvironmentFailure(DiskwrightError):
    """The environment fails, such as a folder that cannot be written: exit code 3."""


_ERRORS = {1: RefusedError, 2: InputError, 3: EnvironmentFailure}


@dataclass(frozen=True)
class Reply:
    """The document of one run, and whether its answer is no."""

    document: dict[str, Any]
    exit_code: int


def program() -> Path:
    """The path of the program: that of ``DISKWRIGHT``, else the wheel's own, else the one on ``PATH``.

    Raises :class:`EnvironmentFailure` if there is none.
    """
    named = os.environ.get("DISKWRIGHT")
    if named:
        return Path(named)
    schemes = [None, "posix_user"]
    for scheme in schemes:
        scripts = sysconfig.get_path("scripts") if scheme is None else sysconfig.get_path("scripts", scheme)
        own = Path(scripts) / "diskwright"
        if own.is_file():
            return own
    found = shutil.which("diskwright")
    if found is None:
        raise EnvironmentFailure(
            "the diskwright program is not installed: install the wheel, or name the program in DISKWRIGHT", 3
        )
    return Path(found)


def option_arguments(options: dict[str, Any]) -> list[str]:
    """Keyword arguments as options of the command line; ``None`` and ``False`` leave an option out."""
    arguments: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(flag)
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        # Joined, so that a value that begins with a dash is no option.
        arguments += [f"{flag}={os.fspath(v) if isinstance(v, os.PathLike) else v}" for v in values]
    return arguments


def run(verb: Sequence[str], sources: Sequence[Source], options: dict[str, Any]) -> Reply:
    """Runs a verb with ``--json``.

    Raises a :class:`DiskwrightError` where the program gives no answer.
    """
    texts = [source for source in sources if isinstance(source, Toml)]
    if len(texts) > 1:
        raise InputError("only one of workload and deployment can be a text: write the other to a file", 2)
    named = ["-" if isinstance(source, Toml) else os.fspath(source) for source in sources]
    command = [str(program()), *verb, "--json", *option_arguments(options), "--", *named]
    try:
        done = subprocess.run(
            command, input=texts[0] if texts else "", capture_output=True, text=True, encoding="utf-8", check=False
        )
    except OSError as error:
        raise EnvironmentFailure(f"{command[0]} cannot be run: {error}", 3) from error
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError:
        message = done.stderr.strip() or f"{command[0]} ended with {done.returncode} and without an answer"
        raise _ERRORS.get(done.returncode, DiskwrightError)(message, done.returncode) from None
    failure = document.get("error")
    if failure is not None:
        # The terminal's text names every wrong argument; the document's message is short for those of the parser.
        message = done.stderr.strip().removeprefix("error: ") or failure["message"]
        raise _ERRORS.get(done.returncode, DiskwrightError)(message, done.returncode)
    return Reply(document, done.returncode)


def version() -> dict[str, Any]:
    """The program's version, commit and date, and the age of its catalogue in days."""
    return run(["--version"], [], {}).document
