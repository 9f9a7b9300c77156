"""What graphs call that has no name in torch."""
from __future__ import annotations

import typing


def apply_function(function: typing.Any, *args: typing.Any) -> typing.Any:
    """An autograd.Function on its arguments."""
    return function.apply(*args)
