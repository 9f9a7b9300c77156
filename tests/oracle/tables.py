#!/usr/bin/env python3
"""Compares tables that are written by hand with the interpreter that runs this script: instructions that the client allows, intrinsics,
numbers of operators. (The generated ones: tools/gen_opcodes.py --check.)"""
import opcode
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MINOR = sys.version_info[1]


def rows(path: str, macro: str) -> list[list[str]]:
    found = re.findall(rf"^{macro}\((.*)\)", (ROOT / path).read_text(), re.M)
    assert found, f"{path} has no rows"
    return [row.split(", ") for row in found]


def caches(name: str, number: int) -> int:
    table = opcode._inline_cache_entries
    return table.get(name, 0) if isinstance(table, dict) else table[number]


def allowed_instructions():
    for name, _rule, _below, *numbers in rows("client_ext/verify/allowed_ops.def", "FRAMEGATE_ALLOWED_OP"):
        listed = tuple(map(int, numbers[2 * (MINOR - 11):][:2]))
        number = opcode.opmap.get(name, -1)
        number = number if number < 256 else -1  # a pseudo instruction
        yield name, listed, (number, caches(name, number) if number >= 0 else 0)


def intrinsics():
    listed = {1: {}, 2: {}}
    for operands, number, first, name, _meaning in rows("translator/pyver/intrinsics.def", "FRAMEGATE_INTRINSIC"):
        if int(first) <= MINOR:
            listed[int(operands)][int(number)] = f"INTRINSIC_{name}"
    for operands in listed:
        actual = getattr(opcode, f"_intrinsic_{operands}_descs", [])
        yield f"intrinsics of {operands}", listed[operands], {i: name for i, name in enumerate(actual) if i > 0}


def operators():
    yield "comparisons", ("<", "<=", "==", "!=", ">", ">="), tuple(opcode.cmp_op[:6])
    symbols = ["+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^"]
    yield "operators", symbols + [symbol + "=" for symbol in symbols], [symbol for _name, symbol in opcode._nb_ops]


def main() -> int:
    wrong = 0
    for table in (allowed_instructions, intrinsics, operators):
        for name, listed, actual in table():
            if listed != actual:
                wrong += 1
                print(f"3.{MINOR}: {name} is {actual}, not {listed}", file=sys.stderr)
    print(f"3.{MINOR}: {wrong} wrong rows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
