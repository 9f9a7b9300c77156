"""What a graph that raises leaves of the inputs it has written to, and modes that are open where a unit ends."""
import pytest

pytest.importorskip("torch")

PROGRAM = """
import framegate, torch

def same(fn, *calls):
    compiled = framegate.compile(fn, backend="eager")
    for make in calls:
        expected, actual = make(), make()
        assert fn(*expected) == compiled(*actual)
        assert [x.tolist() for x in expected] == [x.tolist() for x in actual]
    return framegate.stats()["graphs"], framegate.stats()["graph_breaks"]

@framegate.disable
def modes():
    return torch.is_inference_mode_enabled(), torch.is_grad_enabled()
"""

SHARED = """
def look_up(whole, part, at):
    log = []
    try:
        whole.add_(1)
        found = part[at]
        part.mul_(2)
        log.append("found")
        return (found + part[at + 1]).tolist(), log
    except IndexError:
        return (whole + 1).tolist(), log

def given(at):
    whole = torch.arange(6.0)
    return lambda: (lambda w: (w, w[2:5], torch.tensor(at)))(whole.clone())

print(same(look_up, given(0), given(1), given(2), given(3), given(-1)))
"""

REPEATED = """
def count(wide, at):
    try:
        wide[0].add_(1)
        return wide[:, at].tolist()
    except IndexError:
        return "none"

print(same(count, *[lambda at=at: (torch.zeros(3).expand(2, 3), torch.tensor(at)) for at in (0, 5, 2)]))
"""

NESTED = """
def nested(x):
    seen = []
    with torch.inference_mode(False):
        with torch.no_grad(), torch.inference_mode():
            y = x * 3
            seen.append(modes())
            z = x * 4
        seen.append(modes())
        w = x * 5
        seen.append(modes())
    return seen, modes(), [t.is_inference() for t in (y, z, w)], [t.requires_grad for t in (y, z, w)]

print(same(nested, lambda: (torch.ones(2, requires_grad=True),))[1], modes())
"""


def test_inputs_that_share_memory_are_put_back(place):
    graphs, breaks = eval(place.python(PROGRAM + SHARED).split("\n")[0])
    assert breaks <= 1, "only for tolist()"


def test_inputs_that_repeat_their_memory_are_put_back(place):
    graphs, breaks = eval(place.python(PROGRAM + REPEATED).split("\n")[0])
    assert breaks <= 1, "only for tolist()"


def test_inference_modes_are_entered_again_after_a_break(place):
    assert place.python(PROGRAM + NESTED).split("\n")[0] == "4 (False, True)"
