"""Paths, and a report of how much the rules know."""
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "support")]
SHARES: list[tuple[str, int, int]] = []


@pytest.fixture
def known_shares():
    return SHARES


def pytest_terminal_summary(terminalreporter):
    if not SHARES:
        return
    known, asked = sum(s[1] for s in SHARES), sum(s[2] for s in SHARES)
    terminalreporter.write_line(f"known: {known} of {asked} answers ({100 * known / max(asked, 1):.1f} %)")
    for name, good, total in sorted(SHARES, key=lambda s: s[1] / max(s[2], 1)):
        if good < 0.8 * total:
            terminalreporter.write_line(f"  {name}: {good} of {total}")
