"""Whatever a rule knows is what eager does, for every operator and every way of calling it."""
import os

import pytest

import asking
import cases  # noqa: F401  (registers)
from spec import SPECS

COUNT = int(os.environ.get("FRAMEGATE_META_CASES", "12"))
NAMES = sorted({spec.name for spec in SPECS})


@pytest.mark.parametrize("name", NAMES)
def test_known_is_exact(name, known_shares):
    observations = [seen for spec in SPECS if spec.name == name for seen in spec.observations(COUNT)]
    verdicts = asking.judge(observations)
    known_shares.append((name, sum(verdicts.known.values()), sum(verdicts.asked.values())))
    if verdicts.wrong:
        pytest.fail(f"{len(verdicts.wrong)} of {len(observations)} wrong:\n" + "\n".join(verdicts.wrong[:20]), pytrace=False)
