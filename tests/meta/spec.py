"""A family of cases: which spellings of which operators, and how arguments are drawn."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

import asking
import describe
from draw import AMBIENTS, Draw

SPECS: list["Spec"] = []


@dataclass
class Spec:
    name: str
    symbols: list[str]
    draw: Callable[[Draw], tuple]   # args, or (args, kwargs) with kwargs a dict

    def observations(self, count: int) -> Iterator[asking.Observation]:
        for symbol in self.symbols:
            function = describe.resolve(symbol)
            for i in range(count):
                if (seen := self.observe(symbol, function, f"{self.name} {symbol} {i}")) is not None:
                    yield seen

    def observe(self, symbol: str, function, seed: str) -> asking.Observation | None:
        torch.manual_seed(0)
        d = Draw(seed)
        drawn = self.draw(d)
        args, kwargs = drawn if len(drawn) == 2 and isinstance(drawn[1], dict) else (drawn, {})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with AMBIENTS[d.ambient()]():
                try:
                    return asking.observe(self.name, symbol, function, tuple(args), kwargs)
                except describe.Indescribable:
                    return None


def exists(symbol: str) -> bool:
    try:
        describe.resolve(symbol)
    except (AttributeError, ImportError):
        return False
    return True


def spec(names: str, patterns: str):
    """Registers one spec per name: patterns are symbols with the name for `*`; those this torch lacks are left out."""
    def register(draw):
        for name in names.split():
            symbols = [pattern.replace("*", name) for pattern in patterns.split()]
            SPECS.append(Spec(name, [s for s in symbols if exists(s)], draw))
        return draw
    return register


TORCH = "torch:* *"
IN_PLACE = TORCH + " torch:*_ *_"
FUNCTIONAL = "torch.nn.functional:*"
