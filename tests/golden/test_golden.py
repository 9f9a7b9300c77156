"""What the functions of cases/*.py are translated to: check program, links, graph, break plans and new code.

    pytest tests/golden                    compares with cases/NAME.PYTHON.txt
    FRAMEGATE_GOLDEN=write pytest ...      writes those files; read the difference before you commit it

A case is a module with CALLS, a list of (function, arguments); one that imports torch is skipped where there is none.
"""
import os
import re
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
PYTHON = sys.implementation.cache_tag
PRINTER = Path(__file__).parent / "printer.py"


def normal(text: str) -> str:
    """The same on every machine: code ids in the order of their appearance, no folders, no number of processors."""
    seen: dict[str, str] = {}
    text = re.sub(r"(?<=num_threads )\d+", "N", text)
    text = re.sub(r"\b[0-9a-f]{32}\b", lambda m: seen.setdefault(m.group(), f"code{len(seen)}"), text)
    return text.replace(str(CASES) + os.sep, "")


@pytest.mark.parametrize("name", sorted(p.stem for p in CASES.glob("*.py")))
def test_golden(place, name):
    source, golden = CASES / f"{name}.py", CASES / f"{name}.{PYTHON}.txt"
    if "import torch" in source.read_text():
        pytest.importorskip("torch")
    printed = normal(place.run(PRINTER, source))
    if os.environ.get("FRAMEGATE_GOLDEN") == "write":
        golden.write_text(printed)
    assert printed == golden.read_text()
