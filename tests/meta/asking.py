"""Asks the rules (meta_query.cc) and compares what they say with what eager did."""
from __future__ import annotations

import os
import struct
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import torch

import describe
import fields

ROOT = Path(__file__).resolve().parents[2]
REPLY = fields.Struct(outcome=fields.Unsigned(), result=fields.OPERAND, same_as=fields.Optional(fields.Unsigned()),
                      may_raise_on_data=fields.Bool(), draws=fields.Bool(), mutates_first=fields.Bool(),
                      first_after=fields.Optional(fields.TENSOR_FACTS))
META, NO_FACT = fields.numbers("questions")["meta"], fields.numbers("facts")["value"]
UNKNOWN, KNOWN, RAISES = range(3)
COMPARED = ("dtype", "device", "layout", "requires_grad", "is_leaf", "is_inference", "sizes", "strides", "storage_offset")


@dataclass
class Observation:
    """One eager call: what was asked, and what came of it."""
    name: str               # of the case, for reports
    symbol: str
    question: bytes = b""
    expected: dict | None = None   # operand; None where eager raised, or gave what no operand stands for
    raised: str = ""
    same_as: int | None = None
    mutated: bool | None = None    # whether the first argument's version went up; None where it has none
    drew: bool = False             # whether the state of the random numbers changed
    first_after: dict | None = None  # operand: the first argument afterwards
    call: str = ""                 # readable form


@dataclass
class Verdicts:
    known: Counter = field(default_factory=Counter)
    asked: Counter = field(default_factory=Counter)
    unasked: Counter = field(default_factory=Counter)    # eager raised, nobody can know
    wrong: list[str] = field(default_factory=list)


def short(value) -> str:
    if isinstance(value, torch.Tensor):
        flags = "g" * value.requires_grad + "i" * value.is_inference()
        return f"{str(value.dtype)[6:]}{list(value.shape)}@{list(value.stride())}{flags}"
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        return "(" + ", ".join(map(short, value)) + ")"
    return repr(value)


def observe(name: str, symbol: str, function, args: tuple, kwargs: dict) -> Observation:
    """Calls `function` under the ambient state in force. Raises Indescribable where the question cannot be put."""
    question = dict(kind=META, fact=NO_FACT, symbol=symbol, args=[describe.operand(a) for a in args],
                    kwargs=[(k, describe.operand(v)) for k, v in kwargs.items()], ambient=describe.ambient())
    seen = Observation(name, symbol, fields.encode(fields.QUESTION, question))
    modes = "".join([" no_grad" * (not torch.is_grad_enabled()), " inference" * torch.is_inference_mode_enabled(),
                     f" {describe.autocast_rows()}" * bool(describe.autocast_rows())])
    seen.call = f"{symbol}({', '.join([*map(short, args), *(f'{k}={short(v)}' for k, v in kwargs.items())])}){modes}"
    first = args[0] if args and isinstance(args[0], torch.Tensor) and not args[0].is_inference() else None
    version = first._version if first is not None else 0
    random = torch.get_rng_state()
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        seen.raised = f"{type(error).__name__}: {str(error)[:120]}"
        return seen
    seen.drew = not torch.equal(random, torch.get_rng_state())
    seen.mutated = first._version != version if first is not None else None
    if args and isinstance(args[0], torch.Tensor):
        seen.first_after = describe.operand(args[0])
    seen.same_as = next((i for i, a in enumerate(args) if a is result), None) if isinstance(result, torch.Tensor) else None
    try:
        seen.expected = describe.operand(result)
    except describe.Indescribable as error:
        seen.raised = f"result is {error}"
    return seen


def ask(observations: list[Observation]) -> list[dict]:
    program = os.environ.get("FRAMEGATE_META_QUERY") or ROOT / "build/core/translator/graph/meta/tests_meta/framegate_meta_query"
    sent = b"".join(struct.pack("<I", len(o.question)) + o.question for o in observations)
    data = subprocess.run([program], input=sent, stdout=subprocess.PIPE, check=True).stdout
    replies, place = [], 0
    while place < len(data):
        size, = struct.unpack_from("<I", data, place)
        replies.append(fields.decode(REPLY, data[place + 4:place + 4 + size]))
        place += 4 + size
    assert len(replies) == len(observations)
    return replies


def difference(expected: dict, got: dict, path: str = "result") -> str | None:
    """Where a known operand is not what eager gave; None where nowhere."""
    if expected.get("tensor"):
        if not got["tensor"]:
            return f"{path}: expected a tensor"
        for key in COMPARED:
            if expected["tensor"][key] != got["tensor"][key]:
                return f"{path}.{key}: eager {expected['tensor'][key]}, rule {got['tensor'][key]}"
        if got["tensor"]["keys"] not in (0, expected["tensor"]["keys"]):
            return f"{path}.keys: eager {expected['tensor']['keys']:x}, rule {got['tensor']['keys']:x}"
        return None
    if expected.get("sequence"):
        if expected["sequence"] != got["sequence"] or len(expected["items"]) != len(got["items"]):
            return f"{path}: eager {expected['sequence']} of {len(expected['items'])}, rule {got['sequence']} of {len(got['items'])}"
        pairs = enumerate(zip(expected["items"], got["items"]))
        return next((d for i, (e, g) in pairs if (d := difference(e, g, f"{path}[{i}]"))), None)
    if got["sequence"] == "tuple" and not got["items"]:
        got = dict(constant=describe.constant(()))
    return None if fields.encode(fields.OPERAND, expected) == fields.encode(fields.OPERAND, got) else f"{path}: eager {expected}, rule {got}"


def mistake(seen: Observation, reply: dict) -> str | None:
    if reply["outcome"] == UNKNOWN:
        return None
    if seen.expected is None:
        if reply["outcome"] == RAISES or reply["may_raise_on_data"]:
            return None
        return f"eager raised ({seen.raised}), the rule knows a result"
    if reply["outcome"] == RAISES:
        return "the rule says it raises, eager gave a result"
    if seen.drew and not reply["draws"]:
        return "eager drew random numbers"
    if seen.same_as != reply["same_as"]:
        return f"same_as: eager {seen.same_as}, rule {reply['same_as']}"
    if seen.mutated is not None and seen.mutated != reply["mutates_first"]:
        return f"mutates_first: eager {seen.mutated}, rule {reply['mutates_first']}"
    if reply["mutates_first"] and (found := difference(seen.first_after, dict(tensor=reply["first_after"]), "first argument")):
        return found
    return difference(seen.expected, reply["result"])


def judge(observations: list[Observation]) -> Verdicts:
    verdicts = Verdicts()
    for seen, reply in zip(observations, ask(observations), strict=True):
        if seen.expected is None and reply["outcome"] == UNKNOWN:
            verdicts.unasked[seen.name] += 1
        else:
            verdicts.asked[seen.name] += 1
            verdicts.known[seen.name] += reply["outcome"] != UNKNOWN
        if error := mistake(seen, reply):
            verdicts.wrong.append(f"{seen.call}: {error}")
    return verdicts
