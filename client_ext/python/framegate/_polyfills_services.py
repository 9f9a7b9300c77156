"""Python code that the translator interprets in place of C functions of re, json, random and warnings.

As in `_polyfills`. What the translator itself answers, names that begin with an underscore, does here what it stands for: a translation may end
inside these functions.
"""
import json.decoder
import json.scanner
import random
import re
import sys
import warnings

from framegate import _pure
from framegate._polyfills_library import _really


# --- re: a pattern is known by what it was compiled from, a match by what was asked and found


def _new_pattern(pattern, flags):
    return re.compile(pattern, flags)


def _new_match(pattern, method, string, pos, endpos, place, found):
    return _pure.make_match(pattern, method, string, pos, endpos, place)


def _found(match):
    count = match.re.groups + 1
    return ([match.span(group) for group in range(count)], [match.group(group) for group in range(count)], match.lastindex, match.lastgroup,
            match.pos, match.endpos)


def re_compile(pattern, flags):
    """re._compile."""
    if isinstance(flags, re.RegexFlag):
        flags = flags.value
    elif type(flags) is not int and isinstance(flags, int):  # 3.13's mark of a flag that was not given
        flags = int(flags)
    if isinstance(pattern, re.Pattern):
        if flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        return pattern
    return _new_pattern(pattern, flags)


def _match_by(self, method, string, pos, endpos):
    found = _pure.pattern_match(self.pattern, self.flags, method, string, pos, endpos)
    return None if found is None else _new_match(self, method, string, pos, endpos, 0, found)


def pattern_match(self, string, pos=0, endpos=sys.maxsize):
    return _match_by(self, "match", string, pos, endpos)


def pattern_search(self, string, pos=0, endpos=sys.maxsize):
    return _match_by(self, "search", string, pos, endpos)


def pattern_fullmatch(self, string, pos=0, endpos=sys.maxsize):
    return _match_by(self, "fullmatch", string, pos, endpos)


def pattern_finditer(self, string, pos=0, endpos=sys.maxsize):
    place = 0
    for found in _pure.pattern_finditer(self.pattern, self.flags, string, pos, endpos):
        yield _new_match(self, "finditer", string, pos, endpos, place, found)
        place += 1


def pattern_findall(self, string, pos=0, endpos=sys.maxsize):
    return _pure.pattern_call(self.pattern, self.flags, "findall", string, pos, endpos)


def _plain(count):
    """3.13 has a mark, an int of a class of its own, for a count that was not given."""
    return int(count) if type(count) is not int and isinstance(count, int) else count


def pattern_split(self, string, maxsplit=0):
    return _pure.pattern_call(self.pattern, self.flags, "split", string, _plain(maxsplit))


def _replaced(self, repl, string, count):
    parts, end, done = [], 0, 0
    for match in self.finditer(string):
        if count and done == count:
            break
        start, stop = match.span()
        parts.append(string[end:start])
        made = repl(match)
        if made is not None:
            parts.append(made)
        end = stop
        done += 1
    parts.append(string[end:])
    return string[:0].join(parts), done


def pattern_sub(self, repl, string, count=0):
    if callable(repl):
        return _replaced(self, repl, string, count)[0]
    return _pure.pattern_call(self.pattern, self.flags, "sub", repl, string, _plain(count))


def pattern_subn(self, repl, string, count=0):
    if callable(repl):
        return _replaced(self, repl, string, count)
    return _pure.pattern_call(self.pattern, self.flags, "subn", repl, string, _plain(count))


def _group_number(self, group):
    if isinstance(group, str):
        names = self.re.groupindex
        if group in names:
            return names[group]
    else:
        group = group.__index__()
        if 0 <= group <= self.re.groups:
            return group
    raise IndexError("no such group")


def match_group(self, *groups):
    texts = _found(self)[1]
    if not groups:
        return texts[0]
    if len(groups) == 1:
        return texts[_group_number(self, groups[0])]
    return tuple([texts[_group_number(self, group)] for group in groups])


def match_getitem(self, group):
    return _found(self)[1][_group_number(self, group)]


def match_groups(self, default=None):
    return tuple([default if text is None else text for text in _found(self)[1][1:]])


def match_groupdict(self, default=None):
    texts = _found(self)[1]
    return {name: default if texts[number] is None else texts[number] for name, number in self.re.groupindex.items()}


def match_start(self, group=0):
    return _found(self)[0][_group_number(self, group)][0]


def match_end(self, group=0):
    return _found(self)[0][_group_number(self, group)][1]


def match_span(self, group=0):
    return _found(self)[0][_group_number(self, group)]


# --- json


def json_raw_decode(self, s, idx=0):
    """json.JSONDecoder.raw_decode."""
    plain = self.object_hook is None and self.object_pairs_hook is None and self.parse_float is float and self.parse_int is int
    if plain and self.parse_constant == json.decoder._CONSTANTS.__getitem__:
        return _pure.json_scan(s, idx, self.strict)
    try:
        return json.scanner.py_make_scanner(self)(s, idx)
    except StopIteration as err:
        raise json.decoder.JSONDecodeError("Expecting value", s, err.value) from None


# --- random: what is drawn is known only at run time


def _item(sequence, index):
    return sequence[index]


def _shuffled(generator, count):
    order = list(range(count))
    random.Random.shuffle(generator, order)
    return tuple(order)


def _choices(generator, population, weights, cum_weights, k):
    return random.Random.choices(generator, population, weights, cum_weights=cum_weights, k=k)


def random_choice(self, seq):
    if not len(seq):
        raise IndexError("Cannot choose from an empty sequence")
    return _item(seq, self._randbelow(len(seq)))


def random_shuffle(self, x):
    order, old = _shuffled(self, len(x)), tuple(x)
    for place in range(len(old)):
        x[place] = _item(old, _item(order, place))


def random_sample(self, population, k, *, counts=None):
    if counts is not None or isinstance(population, (set, frozenset)):
        return _really(random.Random.sample, self, population, k, counts=counts)
    return _sampled(self, tuple(population), k)


def _sampled(generator, population, k):
    return random.Random.sample(generator, population, k)


def random_choices(self, population, weights=None, *, cum_weights=None, k=1):
    return _choices(self, tuple(population), None if weights is None else tuple(weights),
                    None if cum_weights is None else tuple(cum_weights), k)


# --- warnings


def _caller(level):
    """(globals, file name, line) of the frame that many levels above the caller of what calls this; None where nobody can say."""
    raise NotImplementedError


def file_of(function):
    return function.__code__.co_filename


def line_of(function, offset):
    """The line of an instruction, by its place in code units."""
    for start, end, line in function.__code__.co_lines():
        if start <= 2 * offset < end:
            return line
    return function.__code__.co_firstlineno


def _matches(wanted, text):
    return wanted is None or (wanted == text if isinstance(wanted, str) else wanted.match(text) is not None)


def warn(message, category=None, stacklevel=1, source=None):
    """warnings.warn."""
    if isinstance(message, Warning):
        category = message.__class__
    elif category is None:
        category = UserWarning
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{type(category).__name__}'")
    namespace, filename, lineno = _caller(stacklevel)
    module = namespace.get("__name__", "<string>")
    if isinstance(message, Warning):
        text = str(message)
    else:
        text, message = message, category(message)
    registry = namespace.get("__warningregistry__")
    action = warnings.defaultaction
    for act, wanted, kind, where, line in warnings.filters:
        if (line == 0 or line == lineno) and issubclass(category, kind) and _matches(wanted, text) and _matches(where, module):
            action = act
            break
    if action == "ignore":
        return
    if action == "error":
        raise message
    if action != "always" or (registry is not None and any([type(key) is tuple and key[0] == text for key in registry])):
        return _caller(-1)
    warnings._showwarnmsg(warnings.WarningMessage(message, category, filename, lineno, source=source))
