"""`framegate why`: what entries wanted and did not find, from this process and from others."""
import subprocess
from pathlib import Path

from conftest import SCRIPTS

PROGRAM = """
import sys
import framegate

framegate.config.graphless = "always"

def scale(values, n, table):
    return [v * n + table["k"] for v in values]

compiled = framegate.compile(scale, backend="eager")
for arguments in ARGUMENTS:
    compiled(*arguments)
print(framegate.misses()[-1] if framegate.misses() else None)
"""


def run(place, *arguments: str) -> str:
    return place.python(PROGRAM.replace("ARGUMENTS", f"[{', '.join(arguments)}]"))


def command(place, *arguments: str) -> list[str]:
    """Lines that the command line of the build under test prints."""
    beside = Path(place.environment.get("FRAMEGATE_DAEMON", "framegated")).parent / "framegate"
    binary = beside if beside.exists() and beside.is_absolute() else SCRIPTS / "framegate"
    return subprocess.run([binary, *arguments], env=place.environment, text=True, check=True, capture_output=True).stdout.splitlines()


def why(place, *arguments: str) -> list[str]:
    return command(place, "why", *arguments)


def test_a_first_translation_needs_no_reason(place):
    run(place, "([1, 2], 3, {'k': 1})")
    assert "translated nothing called scale" in why(place, "scale")[0]


def test_what_an_installed_entry_missed(place):
    out = run(place, "([1, 2], 3, {'k': 1})", "([1, 2], 3, {'k': 2})")
    assert "'subject': \"table['k']\"" in out
    lines = why(place, "scale")
    assert lines[0].startswith("scale (") and "/script.py:7)" in lines[0]
    assert lines[1:] == ["    0/0 wants table['k'] to be 1 (line 8);", "        it is 2"]
    assert why(place) == lines and "translated nothing" in why(place, "cale")[0]


def test_what_stored_entries_missed_in_a_second_process(place):
    run(place, "([1, 2], 3, {'k': 1})", "([1, 2, 3], 3, {'k': 1})")
    run(place, "([1, 2], 'x', {'k': 't'})")
    lines = why(place, "--limit", "1", "scale")
    assert len(lines) == 5 and all("a stored entry" in line for line in lines[1::2])
    assert "    a stored entry, no graph wants n to be 3 (line 8);" in lines and "        it is 'x'" in lines
