"""Functions of constants alone: the client calls them once, when the translator asks, and the translator builds on the value they give.

Their names are rows of model/pure_calls.def. They take and give nothing but constants and lists, tuples and dicts of these, and their value is
the same in every process.
"""
import _abc
import collections
import json
import re
import sys
from itertools import islice


def pattern_info(pattern, flags):
    """(flags, number of groups, names of groups) of a regular expression."""
    if flags & re.DEBUG:
        raise ValueError("a pattern that is printed")
    made = re.compile(pattern, flags)
    return made.flags, made.groups, dict(made.groupindex)


def _described(match):
    count = match.re.groups + 1
    return ([match.span(group) for group in range(count)], [match.group(group) for group in range(count)], match.lastindex, match.lastgroup,
            match.pos, match.endpos)


def pattern_match(pattern, flags, method, *args):
    """What match, search or fullmatch finds: None, or all that can be asked of the match."""
    found = getattr(re.compile(pattern, flags), method)(*args)
    return None if found is None else _described(found)


def pattern_finditer(pattern, flags, *args):
    return [_described(match) for match in re.compile(pattern, flags).finditer(*args)]


def pattern_call(pattern, flags, method, *args):
    """findall, split, sub or subn."""
    return getattr(re.compile(pattern, flags), method)(*args)


def match_expand(pattern, flags, method, string, pos, endpos, place, template):
    return make_match(re.compile(pattern, flags), method, string, pos, endpos, place).expand(template)


def make_match(pattern, method, string, pos, endpos, place):
    """A match made again: the one that `method` finds, or, for finditer, that at `place`."""
    if method == "finditer":
        return next(islice(pattern.finditer(string, pos, endpos), place, None))
    return getattr(pattern, method)(string, pos, endpos)


def evaluated(value, module):
    """What gives the value of a type variable's bound, or of a type alias, once it is known."""
    def compute():
        return value

    compute.__module__ = module
    return compute


def bytearray_assign(target, content):
    """A bytearray made to hold what it holds after a change that was replayed."""
    target[:] = content


def is_registered(cls, base):
    """Whether an abstract class knows a class by what is registered with it, or by what is derived from it; only where there is neither."""
    if type(base).__subclasses__(base) or _abc._get_dump(base)[0]:
        return None
    return False


def json_scan(text, place, strict):
    """json.JSONDecoder(strict=strict).raw_decode(text, place)."""
    return json.JSONDecoder(strict=strict).raw_decode(text, place)


_EMPTY = {"list": list, "dict": dict, "set": set, "tuple": tuple, "frozenset": frozenset, "deque": collections.deque,
          "OrderedDict": collections.OrderedDict, "defaultdict": collections.defaultdict}
_ASKED = {"builtins": ("list", "dict", "set", "frozenset", "tuple", "str", "slice", "range", "sorted", "map", "zip", "enumerate", "reversed", "iter",
                       "next", "isinstance", "issubclass", "getattr", "hasattr", "setattr", "callable", "len", "sum", "min", "max", "any", "all",
                       "abs", "id", "hash", "repr", "format", "ascii", "filter"),
          "collections": ("deque", "OrderedDict", "defaultdict")}


class _Unknown:
    pass


def refusal(symbol, args, kwargs):
    """What a builtin says of arguments of these kinds, where it is a TypeError whatever they hold; else None."""
    module, _, path = symbol.partition(":")
    names = path.split(".")
    if names[0] not in _ASKED.get(module, ()):
        return None

    def made(kind, value=None):
        return value if kind == "value" else _EMPTY.get(kind, _Unknown)()

    function = getattr(sys.modules[module], names[0])
    for name in names[1:]:
        function = getattr(function, name)
    try:
        function(*[made(*part) for part in args], **{name: made(*part) for name, part in kwargs.items()})
    except TypeError as error:
        text = str(error)
        return None if "_Unknown" in text else text
    except Exception:
        pass
    return None
