"""Random programs about tensors: operators, views, in-place changes, modes, modules, gradients, between the statements of grammar.py.

Kinds: t, 3 x 4; v, 4; s, without dimensions; m, a bool tensor of 3 x 4; tensors, a list of t. What would not end or not be deterministic is left
out; errors of shapes and in-place changes of leaves are not: both sides must raise them.
"""
from __future__ import annotations

from collections.abc import Callable

from grammar import PRELUDE, Program

TENSOR_PRELUDE = PRELUDE + '''

import torch
import torch.nn.functional as F

torch.manual_seed(0)


class Block(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 6), torch.nn.Linear(6, 4)
        self.norm, self.scale, self.calls = torch.nn.LayerNorm(4), scale, 0
        self.register_buffer("seen", torch.zeros(4))

    def forward(self, x, *, plain=False):
        self.calls += 1
        if plain:
            return self.norm(x) * self.scale
        self.seen.add_(x.detach().reshape(-1, 4).mean(0))
        return x + self.second(F.gelu(self.first(self.norm(x))))


MODEL = torch.nn.Sequential(Block(1), Block(2))
WEIGHT = torch.nn.Parameter(torch.randn(3, 4))
STATE = {"step": 0, "mean": torch.zeros(4)}


def made(seed, grad):
    return (torch.arange(12.0).reshape(3, 4) * 0.25 - seed).requires_grad_(grad)


def changed(value):
    LOG.append(list(value.shape))
    with torch.no_grad():
        value.mul_(0.5)
    return value
'''

_TENSORS = ("t", "t", "t", "t", "v", "v", "s", "m", "tensors")


class TensorProgram(Program):
    """As grammar.Program; the last function's first argument is a tensor."""

    prelude = TENSOR_PRELUDE

    def _kind(self) -> str:
        return self.random.choice(_TENSORS) if self.random.random() < 0.6 else super()._kind()

    def _statements(self, depth: int) -> list[Callable[[Program, int], None]]:
        own = [TensorProgram._change, TensorProgram._change, TensorProgram._keep, TensorProgram._assign, TensorProgram._mode]
        return super()._statements(depth) + own * 3

    def _forms(self, kind: str) -> list[Callable[[Callable[[str], str]], str]]:
        return _FORMS[kind] if kind in _FORMS else super()._forms(kind) + _MORE.get(kind, [])

    def _literal(self, kind: str) -> str:
        seed = self.random.choice(["0", "1", "0.5", "-2"])
        return {"t": lambda: f"made({seed}, {self.random.random() < 0.5})", "v": lambda: f"torch.linspace({seed}, 2, 4)",
                "s": lambda: f"torch.tensor({seed}).float()", "m": lambda: f"(torch.arange(12).reshape(3, 4) % {self.random.randint(2, 4)} == 0)",
                "tensors": lambda: "[" + ", ".join(self._literal("t") for _ in range(self.random.randint(1, 3))) + "]",
                }.get(kind, lambda: Program._literal(self, kind))()

    def _change(self, depth: int) -> None:
        """Something in place, of a tensor or of a view of one."""
        kind = self.random.choice(["t", "t", "v", "tensors"])
        known, e = self._known(kind), self._expression
        if not known:
            return
        name = self.random.choice(known)
        self._emit(depth, self.random.choice({
            "t": [f"{name}[0] = {e('v')}", f"{name}[{e('int')} % 3].add_({e('v')})", f"{name} += {e('t')}", f"{name}.mul_({e('s')})", f"{name}.clamp_(-2, 2)",
                  f"{name}[{e('m')}] = 0.5", f"{name}[:, 1:3] *= 2", f"{name}.t().neg_()", f"{name}.copy_({e('t')})", f"torch.add({e('t')}, 1, out={name})",
                  f"{name}.requires_grad_()", f"{name}.view(-1)[::2].zero_()", f"{name} = {name}.detach()", f"{name}.masked_fill_({e('m')}, {e('float')})"],
            "v": [f"{name}[1:] -= 1", f"{name}.add_({e('v')}, alpha=2)", f"{name}[{e('int')} % 4] = {e('s')}", f"{name}.sort()", f"{name}.fill_({e('float')})"],
            "tensors": [f"{name}.append({e('t')})", f"{name}[0] = {e('t')}", f"{name}[-1].add_(1)", f"{name}.pop(0)", f"{name} += [{e('t')}]", f"{name}.reverse()"],
        }[kind]))

    def _keep(self, depth: int) -> None:
        e = self._expression
        self._emit(depth, self.random.choice([
            f"STATE['mean'] = {e('v')}", "STATE['step'] += 1", f"STATE['mean'].add_({e('v')}.detach())", f"STATE.setdefault('all', []).append({e('s')}.detach())",
            f"LOG.append(tuple({e('t')}.shape))", f"LOG.append(({e('s')}.dtype, {e('t')}.requires_grad))", f"LOG.append({e('t')}.is_contiguous())"]))

    def _mode(self, depth: int) -> None:
        before = len(self.scope)
        self._emit(depth, f"with {self.random.choice(['torch.no_grad()', 'torch.enable_grad()', 'torch.set_grad_enabled(' + self._expression('bool') + ')', 'torch.autocast(chr(99) + chr(112) + chr(117), torch.bfloat16)'])}:")
        self._body(depth)
        del self.scope[before:]

    def _pause(self, depth: int) -> None:
        if self.random.random() < 0.5:
            return super()._pause(depth)
        e = self._expression
        self._emit(depth, self.random.choice([f"changed({e('t')})", f"print(end='', file=None) if {e('s')} > 0 else pause(1)", f"LOG.append({e('s')}.item())",
                                              f"LOG.append({e('v')}.tolist())"]))


_Form = Callable[[Callable[[str], str]], str]
_FORMS: dict[str, list[_Form]] = {
    "t": [lambda e: f"({e('t')} + {e('t')})", lambda e: f"({e('t')} * {e('s')})", lambda e: f"({e('t')} - {e('v')})", lambda e: f"{e('t')}.relu()", lambda e: f"torch.tanh({e('t')})",
          lambda e: f"({e('t')} @ {e('t')}.T @ {e('t')})", lambda e: f"torch.where({e('m')}, {e('t')}, {e('t')})", lambda e: f"{e('t')}.softmax(-1)", lambda e: f"MODEL({e('t')})",
          lambda e: f"MODEL[0]({e('t')}, plain={e('bool')})", lambda e: f"({e('t')} * WEIGHT)", lambda e: f"torch.stack([{e('v')}, {e('v')}, {e('v')}])", lambda e: f"{e('t')}.clone()",
          lambda e: f"torch.cat([{e('t')}[:1], {e('t')}[1:]])", lambda e: f"{e('t')}.flip(0)", lambda e: f"F.layer_norm({e('t')}, (4,))", lambda e: f"{e('t')}.t().contiguous().t()",
          lambda e: f"sum({e('tensors')})", lambda e: f"{e('tensors')}[{e('int')}]", lambda e: f"{e('t')}.view(4, 3).reshape(3, 4)", lambda e: f"({e('t')} if {e('bool')} else {e('t')})",
          lambda e: f"{e('t')}.expand(3, 4)", lambda e: f"torch.einsum('ij,kj->ik', {e('t')}, {e('t')}) @ {e('t')}", lambda e: f"({e('float')} / ({e('t')}.abs() + 1))", lambda e: f"{e('t')}.cumsum({e('int')} % 2)",
          lambda e: f"torch.zeros_like({e('t')})", lambda e: f"{e('t')}.masked_fill({e('m')}, {e('int')})", lambda e: f"{e('t')}.double().float()", lambda e: f"F.dropout({e('t')}, 0.5, training={e('bool')})",
          lambda e: f"{e('t')}.roll({e('int')}, 1)", lambda e: f"{e('t')}.detach()", lambda e: f"torch.nn.functional.pad({e('t')}[:, 1:], (1, 0))", lambda e: f"-{e('t')}", lambda e: f"({e('t')} ** 2)"],
    "v": [lambda e: f"{e('t')}[0]", lambda e: f"{e('t')}[{e('int')} % 3]", lambda e: f"{e('t')}.sum(0)", lambda e: f"{e('t')}.mean(dim=0)", lambda e: f"({e('v')} + {e('v')})", lambda e: f"({e('v')} * {e('float')})",
          lambda e: f"{e('t')}.max(0).values", lambda e: f"{e('v')}[[3, 0, 1, 2]]", lambda e: f"torch.sin({e('v')})", lambda e: f"STATE['mean']", lambda e: f"MODEL[0].seen", lambda e: f"{e('t')}.unbind(0)[1]",
          lambda e: f"{e('v')}.sort(descending=True)[0]", lambda e: f"{e('t')}[-1, :]", lambda e: f"torch.full((4,), {e('float')})", lambda e: f"{e('v')}.flip(-1)", lambda e: f"torch.arange(4) * {e('s')}",
          lambda e: f"torch.rand(4)", lambda e: f"{e('t')}.diagonal().new_ones(4)", lambda e: f"torch.chunk({e('t')}, 3)[2].squeeze(0)"],
    "s": [lambda e: f"{e('t')}.sum()", lambda e: f"{e('v')}.mean()", lambda e: f"{e('v')}[0]", lambda e: f"({e('s')} * {e('int')})", lambda e: f"({e('s')} - {e('s')})", lambda e: f"{e('t')}.max()", lambda e: f"F.mse_loss({e('t')}, {e('t')})",
          lambda e: f"({e('v')} * {e('v')}).sum()", lambda e: f"{e('s')}.abs()", lambda e: f"torch.norm({e('t')})", lambda e: f"torch.tensor(0.25)", lambda e: f"{e('t')}[1, 2]"],
    "m": [lambda e: f"({e('t')} > {e('s')})", lambda e: f"({e('t')} <= {e('t')})", lambda e: f"~{e('m')}", lambda e: f"({e('m')} & {e('m')})", lambda e: f"({e('m')} | {e('m')})", lambda e: f"torch.isfinite({e('t')})", lambda e: f"({e('t')} == {e('v')})"],
    "tensors": [lambda e: f"[{e('t')}, {e('t')}]", lambda e: f"[x * 2 for x in {e('tensors')}]", lambda e: f"list(map(torch.relu, {e('tensors')}))", lambda e: f"[m({e('t')}) for m in MODEL]", lambda e: f"{e('tensors')}[:2]",
                lambda e: f"sorted({e('tensors')}, key=lambda x: x.dim())", lambda e: f"[a + b for a, b in zip({e('tensors')}, {e('tensors')})]"],
}
_MORE: dict[str, list[_Form]] = {
    "int": [lambda e: f"{e('t')}.shape[1]", lambda e: f"{e('t')}.size(0)", lambda e: f"len({e('tensors')})", lambda e: f"{e('t')}.dim()", lambda e: f"{e('v')}.numel()", lambda e: f"MODEL[0].calls", lambda e: f"STATE['step']"],
    "bool": [lambda e: f"{e('t')}.requires_grad", lambda e: f"{e('t')}.is_contiguous()", lambda e: f"torch.is_grad_enabled()", lambda e: f"({e('t')}.dtype == torch.float32)", lambda e: f"isinstance({e('t')}, torch.nn.Parameter)",
             lambda e: f"MODEL.training", lambda e: f"({e('t')} is {e('t')})", lambda e: f"({e('t')}.shape == {e('t')}.shape)"],
    "float": [lambda e: f"({e('t')}.numel() / 8)"],
}
