"""Drawing arguments: tensors of all ranks, types, memory formats and autograd states, from one seed."""
from __future__ import annotations

import contextlib
import random

import torch

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.uint8, torch.int8, torch.int16)
COMPLEX = (torch.complex64, torch.complex128)
EVERY = FLOATS + INTEGERS + COMPLEX + (torch.bool,)

@contextlib.contextmanager
def default_double():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


AMBIENTS = {
    "plain": contextlib.nullcontext,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "autocast_half": lambda: torch.autocast("cpu", torch.float16),
    "double": default_double,
}


class Draw:
    """One case's source of choices. `usual` of the drawn floating tensors are float32."""

    def __init__(self, seed: str):
        self.random = random.Random(seed)
        self.mixed = self.random.random() < 0.35   # tensors of one case are of one type otherwise
        self.dtype = self.random.choice(FLOATS) if self.random.random() < 0.25 else torch.float32
        self.grads = self.random.random() < 0.5

    def maybe(self, share: float = 0.5) -> bool:
        return self.random.random() < share

    def pick(self, *values):
        return self.random.choice(values)

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def shape(self, rank: int | None = None, low: int = 1, high: int = 5) -> list[int]:
        rank = self.integer(0, 4) if rank is None else rank
        shape = [self.integer(low, high) for _ in range(rank)]
        if shape and low == 1 and self.maybe(0.05):
            shape[self.integer(0, rank - 1)] = 0
        return [1 if self.maybe(0.15) and low == 1 else size for size in shape]

    def float_type(self) -> torch.dtype:
        return self.pick(*FLOATS) if self.mixed else self.dtype

    def any_type(self) -> torch.dtype:
        return self.pick(*EVERY) if self.maybe(0.4) else self.float_type()

    def values(self, shape, dtype: torch.dtype) -> torch.Tensor:
        if dtype == torch.bool:
            return torch.randint(0, 2, shape).bool()
        if dtype in INTEGERS:
            return torch.randint(1, 5, shape).to(dtype)
        return torch.randn(shape, dtype=torch.float32).to(dtype)

    def laid_out(self, shape, dtype: torch.dtype, format: str) -> torch.Tensor:
        rank = len(shape)
        if format == "channels_last" and rank in (4, 5):
            format = torch.channels_last if rank == 4 else torch.channels_last_3d
            return torch.empty(shape, dtype=dtype, memory_format=format).copy_(self.values(shape, dtype))
        if format == "permuted":
            order = self.random.sample(range(rank), rank)
            inverse = sorted(range(rank), key=order.__getitem__)
            return self.values([shape[i] for i in order], dtype).permute(inverse)
        if format == "expanded" and rank:
            small = [1 if self.maybe(0.4) else size for size in shape]
            return self.values(small[self.integer(0, 1) if small[0] == 1 else 0:], dtype).expand(shape)
        if format == "sliced" and rank:
            dim = self.integer(0, rank - 1)
            larger = [size * 2 + 1 if i == dim else size for i, size in enumerate(shape)]
            whole = self.values(larger, dtype)
            return whole.narrow(dim, 1, shape[dim]) if self.maybe() else whole[(slice(None),) * dim + (slice(1, None, 2),)]
        return self.values(shape, dtype)

    def tensor(self, shape=None, dtype: torch.dtype | None = None, *, rank: int | None = None, format: str | None = None,
               grad: bool | None = None) -> torch.Tensor:
        shape = self.shape(rank) if shape is None else list(shape)
        dtype = dtype or self.float_type()
        if format is None:
            format = self.pick("channels_last", "permuted", "expanded", "sliced") if self.maybe(0.5) else "contiguous"
        tensor = self.laid_out(shape, dtype, format)
        if grad is None:
            grad = self.grads and self.maybe(0.6)
        if grad and (dtype.is_floating_point or dtype.is_complex):
            tensor = tensor.detach().requires_grad_()
            if self.maybe(0.4):
                tensor = tensor * 1 if self.maybe() else tensor.clone()
        elif self.maybe(0.04):
            with torch.inference_mode():
                tensor = tensor.clone()
        return tensor

    def broadcastable(self, shape) -> list[int]:
        """Sizes that broadcast with `shape`, now and then adding dimensions."""
        other = [1 if self.maybe(0.25) else size for size in shape]
        other = other[self.integer(0, len(other)) if self.maybe(0.3) else 0:]
        return [self.integer(1, 3), *other] if self.maybe(0.08) and len(other) == len(shape) < 4 else other

    def number(self):
        return self.pick(2, 0.5, 3.0, -1, True) if self.maybe(0.95) else 1.5j

    def dim(self, rank: int) -> int:
        if self.maybe(0.02):
            return rank + 1
        return self.integer(-max(rank, 1), max(rank, 1) - 1)

    def ambient(self) -> str:
        return self.pick(*AMBIENTS) if self.maybe(0.5) else "plain"
