"""The gap list and its runner, on a small suite that passes, fails, crashes and hangs."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import acceptance  # noqa: E402
import gaps  # noqa: E402

SUITE = {
    "good/test_good.py": "def test_passes(): pass\ndef test_also_passes(): pass\n",
    "bad/test_bad.py": "def test_fails(): assert 1 == 2\ndef test_passes(): pass\n",
    "bad/test_crash.py": "import os\ndef test_before(): pass\ndef test_dies(): os.abort()\ndef test_after(): pass\n",
    "new/test_new.py": "def test_not_begun(): assert False\n",
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    for name, text in SUITE.items():
        path = tmp_path / "suite" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "suite" / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    listed = tmp_path / "gaps.txt"
    monkeypatch.setenv("FRAMEGATE_GAPS", str(listed))
    monkeypatch.setattr(gaps, "LIST", listed)
    monkeypatch.setattr(acceptance, "SUITE", tmp_path / "suite")
    version = "%d.%d" % sys.version_info[:2]

    def run(text, **modes):
        listed.write_text(text)
        return acceptance.run(version, Path(sys.executable), [], jobs=2, **modes), listed
    return run


def test_a_line_without_a_reason_is_refused():
    with pytest.raises(ValueError, match="needs a reason"):
        gaps.parse("a.py::test_x\n")


def test_a_case_listed_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        gaps.parse("a.py::test_x -- one\na.py::test_x -- two\n")


def test_lines_print_as_they_parse():
    for line in ("a.py::test_x[1 -2] -- reason", "zoo/ -- not begun", "a.py::t -- 3.12 3.13: late"):
        assert [g.line() for g in gaps.parse(line)] == [line]


def test_failures_and_crashes_without_a_gap_fail_the_run(run):
    result, _ = run("new/ -- not begun\n")
    assert result.passed == 5
    assert [f.partition(":")[0] for f in result.failures] == ["bad/test_bad.py", "bad/test_crash.py"]
    assert "SIGABRT" in result.failures[1]


def test_listed_failures_and_crashes_are_gaps(run):
    result, _ = run("new/ -- not begun\nbad/test_bad.py::test_fails -- known\nbad/test_crash.py::test_dies -- known\n")
    assert not result.failures and result.passed == 5 and result.skipped == 2


def test_a_listed_case_that_passes_fails_the_run(run):
    result, _ = run("new/ -- not begun\nbad/ -- not begun\ngood/test_good.py::test_passes -- thought to fail\n")
    assert len(result.failures) == 1 and "XPASS" in result.failures[0]


def test_a_listed_case_that_does_not_exist_fails_the_run(run):
    result, _ = run("new/ -- not begun\nbad/ -- not begun\ngood/test_good.py::test_gone -- known\n")
    assert len(result.failures) == 1 and "no such case" in result.failures[0]


def test_record_and_shrink_bring_the_list_up_to_date(run):
    result, listed = run("# note\nnew/ -- not begun\ngood/test_good.py::test_passes -- thought to fail\n", record=True, shrink=True)
    lines = listed.read_text().splitlines()
    assert lines[:2] == ["# note", "new/ -- not begun"]
    assert [line.partition(" -- ")[0] for line in lines[2:]] == ["bad/test_bad.py::test_fails", "bad/test_crash.py::test_dies"]


def test_a_hanging_case_costs_only_itself(run, monkeypatch, tmp_path):
    monkeypatch.setattr(acceptance, "SILENT_SECONDS", 2)
    (tmp_path / "suite/good/test_hang.py").write_text("import time\ndef test_hangs(): time.sleep(60)\ndef test_next(): pass\n")
    result, _ = run("new/ -- not begun\nbad/ -- not begun\n")
    assert result.passed == 3 and len(result.failures) == 1 and "hung" in result.failures[0]


def test_what_goes_wrong_once_is_looked_at_again_and_an_unsteady_case_may_do_both(run, tmp_path):
    once = "import pathlib\ndef test_once():\n    seen = pathlib.Path(__file__).with_name('seen')\n    assert seen.exists() or seen.touch()\n"
    (tmp_path / "suite/good/test_once.py").write_text(once)
    areas = "new/ -- not begun\nbad/ -- not begun\n"
    result, _ = run(areas)
    assert not result.failures and result.passed == 3 and any("test_once went wrong once" in line for line in result.table)
    (tmp_path / "suite/good/seen").unlink()
    for passed in (2, 3):
        result, _ = run(areas + "good/test_once.py::test_once -- unsteady: it depends\n")
        assert not result.failures and result.passed == passed
