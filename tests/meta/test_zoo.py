"""What real models ask is known, and exact. FRAMEGATE_META_ZOO=all takes every model instead of a dozen quick ones."""
import os

import pytest

import asking
import zoo_calls

zoo = pytest.importorskip("zoo.models", reason="the acceptance zoo is not here")
MODELS = [m for m in zoo.MODELS if m.available and (m.quick or os.environ.get("FRAMEGATE_META_ZOO") == "all")]
# Results that depend on data; a tuple with an argument itself in it.
NEVER_KNOWN = {"torch:where", "torch:histc", "torch:_is_all_true", "torch.functional:broadcast_tensors"}


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_calls_of_a_model_are_known(model, known_shares):
    observations = [seen for mode in model.modes for seen in zoo_calls.captured(model, mode)]
    verdicts = asking.judge(observations)
    known, asked = verdicts.known.total(), verdicts.asked.total()
    known_shares.append((model.name, known, asked))
    if verdicts.wrong:
        pytest.fail("\n".join(verdicts.wrong[:20]), pytrace=False)
    assert known >= 0.95 * asked - sum(seen.symbol in NEVER_KNOWN for seen in observations), f"{known} of {asked} known"
