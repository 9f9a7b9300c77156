"""Random programs, run as they are and compiled: results, exceptions and changed objects must be equal.

    python tests/fuzz/run.py --statements 1000000 [--seed 0]    prints each program that differs into --keep DIR
    python tests/fuzz/run.py --program FILE                     one kept program
"""
from __future__ import annotations

import argparse
import sys
import traceback
import typing
from pathlib import Path

import framegate
from grammar import OPAQUE, Program


STORAGES: dict[int, int] = {}   # numbers of the tensors' storages, in the order in which one outcome shows them


def outcome(namespace: dict, name: str, arguments: tuple, run) -> tuple:
    """What a call gave or raised, and everything it could have changed, in words."""
    STORAGES.clear()
    torch = namespace.get("torch")
    if torch is not None:
        torch.manual_seed(0)
    function = run(namespace[name])
    try:
        result = function(*arguments)
        ended = ("returned", show(result), *gradients(result, arguments, namespace))
    except Exception as error:  # noqa: BLE001
        ended = ("raised", *describe(error))
    drawn = "" if torch is None else show(torch.rand(1))  # as many random numbers as that
    return ended, drawn, show(arguments), *(show(namespace[name]) for name in ("LOG", "TABLE", "STATE", "WEIGHT") if name in namespace)


def describe(error: BaseException) -> tuple:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<program>"]
    cause = describe(error.__cause__) if error.__cause__ else None
    context = type(error.__context__).__name__ if error.__context__ else None
    return type(error).__name__, str(error), lines, cause, context


def show(value: object) -> str:
    if hasattr(type(value), "untyped_storage"):
        return show_tensor(value)
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(show, value))})"
    if isinstance(value, set):
        return f"set({', '.join(sorted(map(show, value)))})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{show(k)}: {show(v)}' for k, v in value.items())})"
    if hasattr(value, "size"):
        return f"{type(value).__name__}({show(vars(value))})"
    return f"{type(value).__name__} {value!r}"


def gradients(result: object, arguments: tuple, namespace: dict) -> typing.Iterator[str]:
    """What arrives at the leaves when the result is differentiated, as far as it can be."""
    if not getattr(result, "requires_grad", False):
        return
    leaves = [x for x in (*arguments, *namespace["MODEL"].parameters(), namespace["WEIGHT"]) if getattr(x, "requires_grad", False)]
    try:
        yield show(namespace["torch"].autograd.grad(result.sum(), leaves, allow_unused=True))
    except RuntimeError as error:
        yield str(error)


def show_tensor(tensor: typing.Any) -> str:
    place = STORAGES.setdefault(tensor.untyped_storage().data_ptr(), len(STORAGES))
    kind = f"{type(tensor).__name__}[{tensor.dtype}, {tuple(tensor.shape)}, {tensor.stride()}+{tensor.storage_offset()} of {place}"
    more = f", grad_fn {type(tensor.grad_fn).__name__}" if tensor.grad_fn is not None else ", requires_grad" if tensor.requires_grad else ""
    return f"{kind}{more}] {tensor.detach().tolist()!r}"


def differences(source: str, calls: list[tuple[str, tuple[str, ...]]]) -> list[str]:
    """What differs between the program and the compiled program, call by call."""
    framegate.reset()
    code = compile(source, "<program>", "exec")
    spaces: list[dict] = [{"__name__": "program"}, {"__name__": "program"}]
    found = []
    for space in spaces:
        exec(code, space)  # the text is ours: the grammar made it
        space.update({name: framegate.disable(space[name]) for name in OPAQUE if name in space})
    compiled: dict[str, object] = {}
    for number, (name, texts) in enumerate(calls):
        outcomes = []
        for space, run in zip(spaces, (lambda f: f, lambda f: compiled.setdefault(name, framegate.compile(f, backend="eager")))):
            arguments = eval(f"({''.join(text + ', ' for text in texts)})", space)  # noqa: S307
            outcomes.append(outcome(space, name, arguments, run))
        if outcomes[0] != outcomes[1]:
            found.append(f"call {number} {name}{texts}\n  plain    {outcomes[0]}\n  compiled {outcomes[1]}")
    return found


def as_file(source: str, calls: list) -> str:
    return f"{source}\nCALLS = {calls!r}\n"


def from_file(path: Path) -> tuple[str, list]:
    source, _, calls = path.read_text().rpartition("\nCALLS = ")
    return source, eval(calls)  # noqa: S307


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--statements", type=int, default=10_000, help="of the programs' texts, each run many times")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--breaks", type=float, default=0, help="how many of the expressions are calls that nobody looks into")
    parser.add_argument("--tensors", action="store_true", help="programs of tensors.py")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--most", type=int, default=20, help="stop after so many programs that differ")
    options = parser.parse_args()
    framegate.config.graphless = "always"
    framegate.config.recompile_limit = 100
    if options.program:
        found = differences(*from_file(options.program))
        print("\n".join(found) or "no difference")
        return bool(found)

    statements = programs = wrong = entries = unserved = 0
    seed = options.seed
    framegate.reset_stats()
    make = Program
    if options.tensors:
        from tensors import TensorProgram as make  # noqa: N813
    while statements < options.statements and wrong < options.most:
        program = make(seed, options.breaks)
        found = differences(program.source, program.calls)
        before, entries = entries, framegate.stats()["entries"]
        unserved += entries == before
        if found:
            wrong += 1
            print(f"seed {seed}: {found[0]}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"seed_{seed}.py").write_text(as_file(program.source, program.calls))
        statements += program.statements
        programs += 1
        seed += 1
    stats = framegate.stats()
    print(f"{statements} statements in {programs} programs, {wrong} programs differ; {unserved} programs without an entry, "
          f"{entries} entries, {stats['graph_breaks']} breaks, "
          f"{stats['frames_skipped']} frames as they are, {stats['fallbacks']} fallbacks")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
