"""Runs the acceptance suite in batches, each in a process of its own, and holds the result against the gap list.

A case that crashes or hangs its process costs that case: the batch goes on behind it in a new process.
"""
from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import gaps
from report import Result, ROOT

SUITE = ROOT / "tests" / "acceptance"
FILES_PER_BATCH = 8
SILENT_SECONDS = 180   # a case that takes longer hangs
CRASHES_PER_BATCH = 40
MOST_SECOND_LOOKS = 60  # where more went wrong, something is wrong


@dataclass
class Outcomes:
    """What happened to each case: node id -> (outcome, first line of what went wrong)."""
    cases: dict[str, tuple[str, str]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)


def batches(prefixes: list[str], applied: gaps.Applied) -> list[list[str]]:
    """Test files in groups of one area, the slow area first."""
    areas: dict[str, list[str]] = {}
    for path in sorted(SUITE.rglob("test_*.py")):
        name = path.relative_to(SUITE).as_posix()
        wanted = not prefixes or any(name.startswith(p.split("::")[0]) for p in prefixes)
        if wanted and not applied.area_of(name):
            areas.setdefault(name.rpartition("/")[0], []).append(name)
    groups = []
    for area in sorted(areas, key=lambda a: (a != "zoo", a)):
        files = areas[area]
        groups += [files[i:i + FILES_PER_BATCH] for i in range(0, len(files), FILES_PER_BATCH)]
    return groups


def run_batch(python: Path, arguments: list[str], extra: list[str]) -> Outcomes:
    outcomes = Outcomes()
    with tempfile.TemporaryDirectory(prefix="fg-batch-") as folder:
        for attempt in range(CRASHES_PER_BATCH):
            progress = Path(folder) / f"progress-{attempt}"
            ended = _one_process(python, arguments, extra, progress, done=list(outcomes.cases))
            started = _take(progress, outcomes)
            if ended is None:   # it came to its end
                return outcomes
            if started is None:
                outcomes.cases[arguments[0]] = ("failed", f"{ended} outside any case")
                return outcomes
            outcomes.cases[started] = ("failed", ended)
    for case in outcomes.seen - set(outcomes.cases):
        outcomes.cases[case] = ("failed", f"not run: {CRASHES_PER_BATCH} crashes before it in this batch")
    return outcomes


def _one_process(python: Path, arguments: list[str], extra: list[str], progress: Path, done: list[str]) -> str | None:
    """Runs pytest; says how it ended, None if it ran to the end."""
    environment = os.environ | {"FRAMEGATE_PROGRESS": str(progress), "FRAMEGATE_DONE": json.dumps(done),
                                "PYTHONPATH": str(Path(__file__).parent)}
    # The daemon that the client starts is looked for on PATH: the environment's own.
    environment["PATH"] = f"{python.parent}:{environment['PATH']}"
    progress.touch()
    with open(f"{progress}.log", "w") as log:
        process = subprocess.Popen([python, "-P", "-m", "pytest", "-q", "--tb=no", "-p", "gaps", *extra, *arguments], cwd=SUITE,
                                   env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        while process.poll() is None:
            time.sleep(0.1)
            if time.time() - progress.stat().st_mtime > SILENT_SECONDS:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return f"hung for {SILENT_SECONDS} s"
    if process.returncode < 0:
        return f"crashed with {signal.Signals(-process.returncode).name}"
    if process.returncode in (0, 1, 5):   # all passed, some failed, nothing to run
        return None
    return f"pytest ended with {process.returncode}: {Path(f'{progress}.log').read_text()[-300:]}"


def _take(progress: Path, outcomes: Outcomes) -> str | None:
    """Adds what one process wrote; returns the case it was in when it ended."""
    started = None
    for line in progress.read_text().splitlines():
        note = json.loads(line)
        if "collected" in note:
            outcomes.seen.update(note["collected"])
        elif "started" in note:
            started = note["started"]
        else:
            # A later phase may only make it worse: a teardown that fails turns a pass into a failure.
            if note["outcome"] == "failed" or note["case"] not in outcomes.cases:
                outcomes.cases[note["case"]] = (note["outcome"], note.get("text", ""))
            if note["case"] == started:
                started = None
    return started


def run(version: str, python: Path, prefixes: list[str], *, jobs: int, record: bool = False, shrink: bool = False,
        extra: tuple[str, ...] = ()) -> Result:
    listed = gaps.read()
    applied = gaps.Applied(listed, version)
    groups = [[p for p in prefixes if "::" in p]] if any("::" in p for p in prefixes) else batches(prefixes, applied)
    outcomes = Outcomes()
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        for one in pool.map(lambda group: run_batch(python, group, list(extra)), groups):
            outcomes.cases |= one.cases
            outcomes.seen |= one.seen

    looked_again = [] if record else _look_again(python, outcomes, applied, list(extra))
    result = Result(f"acceptance {version}")
    per_area: dict[str, Counter] = {}
    for case, (outcome, text) in sorted(outcomes.cases.items()):
        if outcome == "failed" and case in applied.cases and "XPASS" not in text:
            outcome = "gap"   # a crash or a failing setup of a case that is listed
        elif outcome == "failed":
            result.failures.append(f"{case}: {text}")
        per_area.setdefault(case.partition("/")[0] if "/" in case else "-", Counter())[outcome] += 1
    for counter in per_area.values():
        result.passed += counter["passed"]
        result.skipped += counter["gap"] + counter["skipped"] + counter["area"]
    whole_run = not prefixes
    if whole_run:
        gone = [c for c in applied.cases if c not in outcomes.seen and not applied.area_of(c)]
        result.failures += [f"{c}: is in the gap list, but there is no such case" for c in gone]
    result.table = [f"  {area:10} {c['passed']:5} passed {c['failed']:5} failed {c['gap']:5} gaps {c['skipped']:5} skipped"
                    for area, c in sorted(per_area.items())] + [f"  {g.what} left out: {g.reason}" for g in applied.areas]
    result.table += [f"  {case} went wrong once and was right the second time" for case in looked_again]
    if record or shrink:
        _rewrite(listed, applied, outcomes, version, record=record, shrink=shrink)
    return result


def _look_again(python: Path, outcomes: Outcomes, applied: gaps.Applied, extra: list[str]) -> list[str]:
    """Runs what went wrong once more, with a daemon of its own: a machine under load makes calls time out, and then the original runs.

    What counts is the second outcome; gives the cases in which it was another one.
    """
    wrong = [case for case, (outcome, _) in outcomes.cases.items() if outcome == "failed" and "::" in case and case in outcomes.seen]
    if not wrong or len(wrong) > MOST_SECOND_LOOKS:
        return []
    second = run_batch(python, wrong, extra)
    changed = [case for case in wrong if second.cases.get(case, ("failed", ""))[0] != "failed"]
    outcomes.cases |= {case: second.cases[case] for case in changed}
    return changed


def _rewrite(listed: list[gaps.Gap], applied: gaps.Applied, outcomes: Outcomes, version: str, *, record: bool, shrink: bool):
    """Brings the gap list up to date with a run: `shrink` drops what passes, `record` adds what fails."""
    keep = [g for g in listed if not (shrink and g.what in applied.cases and g.holds_on(version)
                                      and "XPASS" in outcomes.cases.get(g.what, ("", ""))[1])]
    names = {g.what for g in keep if g.holds_on(version)}
    if record:
        pythons = () if version == "3.11" else (version,)
        keep += [gaps.Gap(case, text or "fails", pythons) for case, (outcome, text) in sorted(outcomes.cases.items())
                 if outcome == "failed" and case not in names and "XPASS" not in text and "::" in case]
    comments = [line for line in gaps.LIST.read_text().splitlines() if line.startswith("#")] if gaps.LIST.exists() else []
    gaps.LIST.write_text("\n".join(comments + [g.line() for g in sorted(keep, key=lambda g: (not g.is_area, g.what, g.pythons))]) + "\n")
