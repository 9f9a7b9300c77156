"""What C callables say when they are given too few or too many arguments, or keywords: each row of arities.def against the interpreter."""
import importlib
import pathlib
import re
import types
from collections import OrderedDict, defaultdict, deque

import pytest

import framegate

TABLE = pathlib.Path(__file__).parents[2] / "translator" / "builtins" / "arities.def"
ROWS = re.findall(r'^FRAMEGATE_ARITY\("([^"]+)", \w+, \d, (-?\d+), (-?\d+), "[^"]*"\)', TABLE.read_text(), re.M)

SELVES = {
    list: lambda: [1], dict: lambda: {"a": 1}, set: lambda: {1}, frozenset: lambda: frozenset([1]), str: lambda: "a", bytearray: lambda: bytearray(b"a"),
    bytes: lambda: b"a", tuple: lambda: (1,), deque: lambda: deque([1]), OrderedDict: lambda: OrderedDict(a=1), int: lambda: 1, float: lambda: 1.0,
    defaultdict: lambda: defaultdict(list), types.GeneratorType: lambda: (i for i in ()), property: lambda: property(),
    types.MappingProxyType: lambda: types.MappingProxyType({}),
}


def resolved(symbol):
    module, _, path = symbol.partition(":")
    try:
        found = owner = importlib.import_module(module)
    except ImportError:
        return None, None
    for name in path.split("."):
        owner = found
        found = vars(found).get(name, getattr(found, name, None))
    return found, owner


def said(call, *args, **kwargs):
    try:
        return call(*args, **kwargs) and None
    except Exception as error:
        return type(error), error.args


@pytest.fixture(autouse=True)
def always():
    with framegate.config.patch(graphless="always"):
        yield


@pytest.mark.parametrize("symbol, least, most", ROWS)
def test_messages(symbol, least, most):
    found, owner = resolved(symbol)
    if found is None:
        pytest.skip("not in this Python")
    wrong = [n for n in (int(least) - 1, int(most) + 1, int(most) + 3) if n >= 0 and not int(least) <= n <= int(most) and int(most) >= 0]
    is_method = type(found).__name__ in ("method_descriptor", "wrapper_descriptor")
    if is_method and owner not in SELVES:
        pytest.skip("no object of the class")

    def f(n):
        call = found.__get__(SELVES[owner]()) if is_method else getattr(owner, found.__name__) if isinstance(owner, type) else found
        return [said(call, *([None] * n)) for n in wrong], said(call, *([None] * n), no_such_keyword=1)

    assert framegate.compile(f, backend="eager")(max(0, int(least))) == f(max(0, int(least)))
