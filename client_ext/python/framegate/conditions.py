"""Guards that a backend's shape environment gathered, as words that the extension checks on each call. Needs sympy."""
from __future__ import annotations

import typing
from collections.abc import Callable, Mapping

Word = tuple[str, int, int]         # ("word", number, 0) | ("input", place, 0) | (operation of guards/program/check_ops.def, word, word)
Condition = list[Word]              # the last word holds; each refers to words before it


class CannotLower(ValueError):
    """The guard has no form over integers."""


_OPERATORS = {"Add": "add", "Mul": "mul", "FloorDiv": "floordiv", "CleanDiv": "floordiv", "Mod": "mod", "PythonMod": "mod",
              "Max": "max", "Min": "min", "And": "and", "Or": "or",
              "Equality": "eq", "Unequality": "ne", "StrictLessThan": "lt", "LessThan": "le"}
_MIRRORED = {"StrictGreaterThan": "lt", "GreaterThan": "le"}
_FAR = 1 << 62


class _Lowering:
    def __init__(self, places: Mapping[typing.Any, int]) -> None:
        self._places, self.words = places, Condition()

    def add(self, operation: str, left: int, right: int = 0) -> int:
        self.words.append((operation, left, right))
        return len(self.words) - 1

    def number(self, value: int) -> int:
        if not -_FAR < value < _FAR:
            raise CannotLower(f"{value} does not fit a word")
        return self.add("word", value)

    def fold(self, operation: str, places: list[int]) -> int:
        first, *rest = places
        for place in rest:
            first = self.add(operation, first, place)
        return first

    def visit(self, expression: typing.Any) -> int:
        if expression in self._places:
            return self.add("input", self._places[expression])
        if expression.is_Integer or expression in (True, False):
            return self.number(int(bool(expression)) if expression in (True, False) and not expression.is_Integer else int(expression))
        name = type(expression).__name__
        special: Callable[[typing.Any], int] | None = getattr(self, f"_{name}", None)
        if special is not None:
            return special(expression)
        operation = _OPERATORS.get(name) or _MIRRORED.get(name)
        if operation is None or not expression.args:
            raise CannotLower(f"{expression}")
        places = [self.visit(argument) for argument in expression.args]
        return self.fold(operation, places[::-1] if name in _MIRRORED else places)

    def _Not(self, expression: typing.Any) -> int:
        return self.add("eq", self.visit(expression.args[0]), self.number(0))

    def _Pow(self, expression: typing.Any) -> int:
        base, exponent = expression.args
        if not exponent.is_Integer or not 0 < exponent <= 8:
            raise CannotLower(f"{expression}")
        return self.fold("mul", [self.visit(base)] * int(exponent))

    _PowByNatural = _Pow

    def _ModularIndexing(self, expression: typing.Any) -> int:
        base, divisor, modulus = (self.visit(argument) for argument in expression.args)
        return self.add("mod", self.add("floordiv", base, divisor), modulus)


def lower(expression: typing.Any, places: Mapping[typing.Any, int]) -> Condition:
    """Words for a guard over the symbols in `places`; none where it always holds."""
    if expression in (True,):
        return []
    lowering = _Lowering(places)
    lowering.visit(expression)
    return lowering.words
