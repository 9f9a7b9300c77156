#!/usr/bin/env python3
"""Runs programs that our assembler wrote for the interpreter that runs this script, and compares what they give.

    <python> tests/oracle/programs.py ORACLE    ORACLE: the binary framegate_bytecode_oracle
"""
import dis
import json
import subprocess
import sys
import types


def function(program: dict) -> types.FunctionType:
    code = types.CodeType(
        program["argcount"], 0, 0, len(program["varnames"]), program["stacksize"], program["flags"], bytes.fromhex(program["code"]),
        tuple(eval(constant) for constant in program["constants"]), tuple(program["names"]), tuple(program["varnames"]),
        "<oracle>", "program", "program", 1, bytes.fromhex(program["linetable"]), b"", (), ())
    return types.FunctionType(code, {"__builtins__": __builtins__})


def outcome(call) -> object:
    try:
        return call()
    except Exception as error:
        return type(error)


def failure(program: dict) -> str | None:
    """What is wrong with the program, or None. Run often enough that the interpreter specialises it."""
    made = function(program)
    if any(instruction.opname.startswith("<") for instruction in dis.get_instructions(made)):
        return "has unknown instructions"
    if any(position != (None,) * 4 for position in made.__code__.co_positions()):
        return "has positions"
    expected = eval(program["expected"])
    for _ in range(100):
        got = outcome(lambda: made(*eval(program["arguments"])))
        if type(got) is not type(expected) or got != expected:
            return f"gave {got!r}, not {expected!r}"
    return None


def main() -> int:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    lines = subprocess.run([sys.argv[1], "programs", version], check=True, capture_output=True, text=True).stdout.splitlines()
    wrong = 0
    for program in map(json.loads, lines):
        if what := failure(program):
            wrong += 1
            print(f"{version}: program {program['name']!r} {what}", file=sys.stderr)
    print(f"{version}: {len(lines)} programs, {wrong} wrong")
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
