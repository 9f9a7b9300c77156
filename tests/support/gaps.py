"""The list of acceptance cases that do not pass yet, and the pytest plugin that applies it (`-p gaps`).

tests/acceptance_gaps.txt has one gap a line, `WHAT -- REASON`:

    breaks/test_limits.py::test_depth[3] -- the reason              one case: it must fail. Passing fails the run
    zoo/ -- not begun                                               an area (folder or file): not run at all
    objects/test_x.py::test_y -- 3.12 3.13: the reason              only on these Pythons
    objects/test_x.py::test_z -- unsteady: the reason               passes at times: may pass, may fail

The plugin changes no adopted file. It also writes what happens, line by line as JSON, to the file that
FRAMEGATE_PROGRESS names, so that a run that crashed or hung tells in which case (see acceptance.py).
"""
from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

LIST = Path(os.environ.get("FRAMEGATE_GAPS") or Path(__file__).resolve().parent.parent / "acceptance_gaps.txt")
SEPARATOR = " -- "
VERSIONS = re.compile(r"((?:3\.\d+ ?)+): ")


@dataclass(frozen=True)
class Gap:
    what: str
    reason: str
    pythons: tuple[str, ...] = ()   # empty: all

    @property
    def is_unsteady(self) -> bool:
        return self.reason.startswith("unsteady: ")

    @property
    def is_area(self) -> bool:
        return "::" not in self.what

    def holds_on(self, python: str) -> bool:
        return not self.pythons or python in self.pythons

    def line(self) -> str:
        versions = " ".join(self.pythons) + ": " if self.pythons else ""
        return f"{self.what}{SEPARATOR}{versions}{self.reason}"


def parse(text: str) -> list[Gap]:
    """REQUIRES: each line is a comment, empty, or `WHAT -- REASON`; raises ValueError otherwise."""
    gaps, seen = [], set()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        what, found, reason = line.strip().partition(SEPARATOR)
        if not found or not reason.strip():
            raise ValueError(f"acceptance_gaps.txt:{number}: a gap needs a reason: WHAT{SEPARATOR}REASON")
        versions = VERSIONS.match(reason)
        pythons = tuple(versions.group(1).split()) if versions else ()
        if (what, pythons) in seen:
            raise ValueError(f"acceptance_gaps.txt:{number}: {what} is listed twice")
        seen.add((what, pythons))
        gaps.append(Gap(what, reason[versions.end():] if versions else reason, pythons))
    return gaps


def read() -> list[Gap]:
    return parse(LIST.read_text()) if LIST.exists() else []


class Applied:
    """The gaps that hold on one Python, ready to be asked."""

    def __init__(self, gaps: list[Gap], python: str):
        here = [gap for gap in gaps if gap.holds_on(python)]
        self.cases = {gap.what: gap for gap in here if not gap.is_area}
        self.areas = [gap for gap in here if gap.is_area]

    def area_of(self, path: str) -> Gap | None:
        """The area gap that covers a node id or a file."""
        return next((gap for gap in self.areas if path.startswith(gap.what)), None)


# --- plugin -----------------------------------------------------------------------------------------

def _note(**what):
    if path := os.environ.get("FRAMEGATE_PROGRESS"):
        with open(path, "a") as file:
            file.write(json.dumps(what) + "\n")


def pytest_collection_modifyitems(config, items):
    import pytest
    done = set(json.loads(os.environ.get("FRAMEGATE_DONE", "[]")))   # by an earlier process of the same batch
    applied = Applied(read(), "%d.%d" % sys.version_info[:2])
    kept, left_out = [], []
    for item in items:
        if item.nodeid in done:
            left_out.append(item)
        elif applied.area_of(item.nodeid):
            left_out.append(item)
            _note(case=item.nodeid, outcome="area")
        else:
            kept.append(item)
            if gap := applied.cases.get(item.nodeid):
                item.add_marker(pytest.mark.xfail(reason=gap.reason, strict=not gap.is_unsteady))
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    items[:] = kept
    _note(collected=[item.nodeid for item in items])


def pytest_runtest_logstart(nodeid, location):
    _note(started=nodeid)


def pytest_runtest_logreport(report):
    """One line a case: the outcome of its call, or of whatever phase ended it otherwise."""
    if report.when != "call" and report.outcome == "passed":
        return
    outcome = "gap" if hasattr(report, "wasxfail") and report.outcome == "skipped" else report.outcome
    _note(case=report.nodeid, outcome=outcome, text=_first_line(report))


def pytest_collectreport(report):
    if report.failed:
        _note(case=report.nodeid, outcome="failed", text=f"cannot be collected: {_first_line(report)}")


def _first_line(report) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr or "")
    return " ".join(text.split())[:160]
