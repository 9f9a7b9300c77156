"""The stages of tests/run but for the acceptance suite: static checks, C++ unit tests, pytest folders."""
from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree
from pathlib import Path

from report import Result, ROOT

BUILD = Path(os.environ.get("BUILD", "build"))
BUILD = BUILD if BUILD.is_absolute() else ROOT / BUILD
# Adopted files are not ours to format; a path of one machine in ours is a mistake.
ADOPTED = ("tests/acceptance/", "tests/bench/")
MACHINE_PATH = re.compile(r"(?<![\w.])/(root|work|home)/\w")


def command(*arguments, **options) -> tuple[bool, str]:
    done = subprocess.run([str(a) for a in arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    return done.returncode == 0, done.stdout


def tracked(*patterns: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [path for path in listed if path and (ROOT / path).exists() and not path.startswith(ADOPTED)]


def static(pythons: dict[str, Path]) -> Result:
    result = Result("static")
    result.check("check_judges", *command("tools/check_judges"))
    result.check("check_layers", *command("tools/check_layers.py"))
    for version, python in pythons.items():
        result.check(f"opcode table of {version}", *command(python, "tools/gen_opcodes.py", "--check"))
    cpp = tracked("*.cc", "*.h")
    if cpp:
        fine, text = command("clang-format-14", "--dry-run", "-Werror", *cpp)
        files = sorted({line.split(":")[0] for line in text.splitlines() if "clang-format-violations" in line})
        result.check("clang-format", fine, f"run `make format`: {' '.join(files)}")
    named = [f"{path}:{number}" for path in tracked() for number, line in enumerate(_lines(path), 1) if MACHINE_PATH.search(line)]
    result.check("no path of one machine", not named, " ".join(named))
    return result


def _lines(path: str) -> list[str]:
    try:
        return (ROOT / path).read_text().splitlines()
    except UnicodeDecodeError:
        return []


def unit(preset: str | None, jobs: int) -> Result:
    """Every GoogleTest binary of the installed trees, or of a preset's own."""
    result = Result(f"unit {preset or ''}".strip())
    if preset:
        trees = [BUILD / preset]
        if not (trees[0] / "build.ninja").exists():
            fine, text = command("cmake", "--preset", preset, "-B", trees[0])
            if not fine:
                result.check(f"configure {preset}", False, text[-2000:])
    else:
        trees = [BUILD / "core", *sorted((BUILD / "wheel").glob("*"))]
    for tree in trees:
        fine, text = command("cmake", "--build", tree, "-j", jobs)
        if not fine:
            result.check(f"build {tree.name}", False, text[-4000:])
            continue
        _ctest(tree, result, jobs)
    return result


def _ctest(tree: Path, result: Result, jobs: int):
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"GTEST_OUTPUT": f"json:{folder}/"}
        _, text = command("ctest", "--test-dir", tree, "-j", jobs, "--output-junit", f"{folder}/ctest.xml", "--output-on-failure", env=environment)
        reported = {p.stem: json.loads(p.read_text()) for p in Path(folder).glob("*.json") if p.stat().st_size}
        for report in reported.values():
            for suite in report["testsuites"]:
                for case in suite["testsuite"]:
                    what = f"{suite['name']}.{case['name']}"
                    failed = " ".join(f["failure"] for f in case.get("failures", []))
                    if case.get("result") == "SKIPPED":
                        result.skipped += 1
                    else:
                        result.check(f"{tree.name}: {what}", not failed, failed)
        # A binary that died wrote no report.
        path = Path(folder) / "ctest.xml"
        if not path.exists():
            return
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            binary = case.get("name")
            if case.get("status") == "fail" and not any(r["failures"] for n, r in reported.items() if n in (f"framegate_{binary}_test", f"{binary}_test")):
                result.check(f"{tree.name}: {binary}", False, (case.findtext("system-out") or text)[-3000:])


def pytest_folder(folder: str, version: str, python: Path, arguments: list[str]) -> Result:
    """One of our own pytest folders on one Python; cases that need torch skip themselves where it is missing."""
    result = Result(f"{folder} {version}")
    with tempfile.TemporaryDirectory() as scratch:
        environment = os.environ | {"PATH": f"{python.parent}:{os.environ['PATH']}"}
        environment.pop("PYTHONPATH", None)
        # -P: the source folder framegate/ must not hide the installed package.
        fine, text = command(python, "-P", "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", f"--junitxml={scratch}/report.xml",
                             ROOT / "tests" / folder, *arguments, env=environment)
        path = Path(scratch) / "report.xml"
        if not path.exists():
            result.check(f"{folder} {version}", False, text[-3000:])
            return result
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            name = f"{case.get('classname')}::{case.get('name')}"
            problem = case.find("failure") if case.find("failure") is not None else case.find("error")
            if case.find("skipped") is not None:
                result.skipped += 1
            else:
                result.check(name, problem is None, "" if problem is None else (problem.text or problem.get("message"))[-1200:])
        if not fine and not result.failures:
            result.check(f"{folder} {version}", False, text[-3000:])
    return result
