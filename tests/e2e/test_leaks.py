"""Hits, misses, entries made and dropped leave nothing behind (tests/support/leaks.py, which runs more of each by hand)."""
from conftest import ROOT


def test_nothing_is_left_behind(place):
    out = place.run(ROOT / "tests" / "support" / "leaks.py", "--hits", "40000", "--cycles", "100")
    assert "0 paths leak" in out and " 0 fallbacks" in out, out
    assert int(out.split("0 paths leak; ")[1].split()[0]) > 800, out
