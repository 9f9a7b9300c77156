"""`framegate guards`: what stored entries check, line by line, and about how long that takes."""
import re

from test_why import command

PROGRAM = """
import framegate

framegate.config.graphless = "always"

def scale(values, n, table):
    total = values[0]
    return total * table["k"]

framegate.compile(scale, backend="eager")([1, 2], 3, {"k": 1})
"""


def test_guards_are_under_the_lines_that_made_them(place):
    place.python(PROGRAM)
    lines = command(place, "guards", "scale")
    head = re.fullmatch(r"scale \(.*/script.py:6\), no graph: (\d+) guards, about (\d+) ns where nothing is remembered of earlier calls", lines[0])
    assert head and int(head[2]) > 0
    guards = [line for line in lines[1:] if re.match(r" +\d+ ns  \w+ ", line)]
    assert len(guards) == int(head[1])
    by_line = "\n".join(lines).split("\n  line ")
    assert any(part.startswith("7, ") and " len " in part and "values: 2" in part for part in by_line), lines
    assert any(part.startswith("8, ") and "table['k']: 1" in part and "values[0]: 1" in part for part in by_line), lines
    assert not any(re.search(r"\bn: ", line) for line in guards), "what is not read is not checked"


def test_a_function_without_entries_is_said(place):
    place.python(PROGRAM)
    assert command(place, "guards", "cale") == ["This daemon has no stored entry of a function called cale."]
