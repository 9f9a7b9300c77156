"""Exceptions of the operating system, patterns that do not fit their class, attributes of C types that are not modelled."""
import errno
import os
import sys
import types

import pytest

import framegate


lazy = types.ModuleType("lazy")
lazy.__getattr__ = lambda name: f"lazy {name}"


class NoPatterns:
    pass


class WrongPatterns:
    __match_args__ = 5


def said(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__, error.args


def classes_of_error_numbers():
    made = [OSError(errno.ENOENT, "x", "f"), OSError(errno.EPERM, "y"), OSError(99999, "z"), OSError("one"), OSError(2, "x", "f", None, "g")]
    return [(type(e).__name__, e.args, str(e), repr(e), e.errno, e.strerror, e.filename, e.filename2) for e in made]


def caught_by_its_number():
    try:
        raise OSError(errno.ENOENT, "no such thing", "name")
    except FileNotFoundError as error:
        return error.filename, str(error)


def text_of_a_real_one():
    try:
        os.stat("/no/such/file")
    except OSError as error:
        return str(error), error.args, error.filename


def patterns():
    def one(value):
        match value:
            case NoPatterns(x):
                return x

    def other(value):
        match value:
            case WrongPatterns(x):
                return x

    def number(value):
        match value:
            case int(x):
                return x

    return said(lambda: one(NoPatterns())), said(lambda: other(WrongPatterns())), number(3), one(3)


def keys_of_a_mapping():
    class Upper(dict):
        def get(self, key, default=None):
            return super().get(key.upper(), default)

    match Upper(A=1):
        case {"a": x}:
            return x


def attributes_of_c_types():
    def numbers():
        yield 1

    try:
        raise ValueError("x")
    except ValueError as error:
        return error.__traceback__.tb_frame.f_code.co_name, numbers().gi_code.co_name


def an_instance_dict():
    class Plain:
        def __init__(self):
            self.a, self.b = 1, 2

    p = Plain()
    p.__dict__.__setitem__("c", 3)
    joined = vars(p) | {"d": 4}
    p.__dict__.__delitem__("a")
    return joined, vars(p), p.c, hasattr(p, "a")


class Slotted:
    __slots__ = ("a", "__dict__")


def a_dict_beside_slots():
    s = Slotted()
    s.a = 1
    vars(s).update(a=7, z=2)
    return s.a, s.__dict__["a"], vars(s).pop("a"), s.a, s.z


def a_module_with_getattr():
    module = sys.modules["types"] if sys.version_info >= (3, 13) else lazy
    return module.__dict__["__name__"], module.__class__.__name__, lazy.anything


CASES = [a_module_with_getattr, classes_of_error_numbers, caught_by_its_number, text_of_a_real_one, patterns, keys_of_a_mapping, attributes_of_c_types, an_instance_dict,
         a_dict_beside_slots]


@pytest.mark.parametrize("fn", CASES, ids=lambda fn: fn.__name__)
def test_as_in_eager(fn):
    with framegate.config.patch(graphless="always"):
        compiled = framegate.compile(fn, backend="eager")
        assert compiled() == fn()
        assert compiled() == fn()
