"""Worlds and modules that are changed at random, with memos and check programs compared on every call. More of it by hand: tests/fuzz."""
import pytest
from place import ROOT

FUZZ = ROOT / "tests" / "fuzz"


@pytest.mark.parametrize("seed", ["1", "20000"])
def test_no_change_of_plain_objects_is_noticed_too_late(place, seed):
    print(place.run(FUZZ / "mutations.py", "--seconds", "20", "--seed", seed, FRAMEGATE_SHADOW="1"))


@pytest.mark.needs_torch
def test_no_change_of_modules_is_noticed_too_late(place):
    print(place.run(FUZZ / "modules.py", "--seconds", "20", "--seed", "1", FRAMEGATE_SHADOW="1"))
