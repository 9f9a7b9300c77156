"""Random programs (run.py) and random mutations (mutations.py, modules.py), some of each, and every program that once went wrong.

FRAMEGATE_FUZZ multiplies how many; the same seeds every time, so that a failure is found again.
"""
import os
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MORE = int(os.environ.get("FRAMEGATE_FUZZ", "1"))


def test_random_programs(place):
    out = place.run(HERE / "run.py", "--statements", str(1_700 * MORE))
    # What is left as it is or fallen back from is not tested. How many entries a program has is not fixed: the fewer facts it reads, the fewer.
    assert all(f" 0 {what}" in out for what in ("programs without an entry", "frames as they are", "fallbacks")), out


def test_random_programs_with_breaks(place):
    out = place.run(HERE / "run.py", "--statements", str(1_700 * MORE), "--breaks", "0.25")
    assert all(f" 0 {what}" in out for what in ("programs without an entry", "frames as they are", "fallbacks")), out
    assert int(re.search(r"(\d+) breaks", out).group(1)) > 20, out


@pytest.mark.needs_torch
def test_random_programs_about_tensors(place):
    out = place.run(HERE / "run.py", "--statements", str(1_000 * MORE), "--breaks", "0.05", "--tensors")
    assert all(f" 0 {what}" in out for what in ("programs without an entry", "fallbacks")), out


def test_random_mutations(place):
    out = place.run(HERE / "mutations.py", "--mutations", str(2_000 * MORE), "--seed", "0", FRAMEGATE_SHADOW="1")
    made, entries = int(re.search(r"(\d+) mutations", out).group(1)), int(re.search(r"'entries': (\d+)", out).group(1))
    assert entries > made / 100 and "'fallbacks': 0" in out, out


@pytest.mark.parametrize("program", sorted(p.name for p in (HERE / "kept").glob("*.py")))
def test_kept_program(place, program):
    if program.startswith("tensors_"):
        pytest.importorskip("torch")
    out = place.run(HERE / "run.py", "--program", HERE / "kept" / program)
    assert re.search(r"no difference; [1-9]\d* entries, 0 fallbacks", out), out


@pytest.mark.parametrize("seed", ["1", "20000"])
def test_no_change_of_plain_objects_is_noticed_too_late(place, seed):
    print(place.run(HERE / "mutations.py", "--seconds", "20", "--seed", seed, FRAMEGATE_SHADOW="1"))


@pytest.mark.needs_torch
def test_no_change_of_modules_is_noticed_too_late(place):
    print(place.run(HERE / "modules.py", "--seconds", "20", "--seed", "1", FRAMEGATE_SHADOW="1"))
