#!/usr/bin/env python3
"""Decodes and re-encodes code objects of the interpreter's own standard library and compares what comes back with the original.

    <python> tests/oracle/round_trip.py ORACLE [--every N]    ORACLE: the binary framegate_bytecode_oracle

A code object passes if the re-encoded one disassembles to the same instructions and exception table and has the same positions.
"""
import argparse
import dis
import struct
import subprocess
import sys
import threading
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))
import dump_code  # noqa: E402


def instructions(code: types.CodeType) -> list:
    return [(item.offset, item.opcode, item.arg, item.argval if not isinstance(item.argval, types.CodeType) else item.arg)
            for item in dis.get_instructions(code)]


def difference(code: types.CodeType, parts: tuple[bytes, bytes, bytes]) -> str | None:
    again = code.replace(co_code=parts[0], co_exceptiontable=parts[1], co_linetable=parts[2])
    if code.co_code != again.co_code and instructions(code) != instructions(again):
        return "instructions"
    if code.co_exceptiontable != again.co_exceptiontable and dis._parse_exception_table(code) != dis._parse_exception_table(again):
        return "exception table"
    if code.co_linetable != again.co_linetable and list(code.co_positions()) != list(again.co_positions()):
        return "positions"
    return None


def read(stream, count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise EOFError("the oracle stopped early")
    return data


def part(stream) -> bytes:
    return read(stream, struct.unpack("<I", read(stream, 4))[0])


def compare(oracle: str, codes: list[types.CodeType]) -> list[str]:
    """Lines about the code objects that do not come back as they were."""
    process = subprocess.Popen([oracle, "round-trip"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def feed():
        try:
            for code in codes:
                image = dump_code.code_image(code)
                process.stdin.write(struct.pack("<I", len(image)) + image)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has said why

    thread = threading.Thread(target=feed)
    thread.start()
    lines = []
    for code in codes:
        try:
            what = difference(code, (part(process.stdout), part(process.stdout), part(process.stdout)))
        except EOFError as error:
            lines.append(f"{code.co_filename}: {code.co_qualname}: {error}")
            break
        if what:
            lines.append(f"{code.co_filename}: {code.co_qualname}: {what} differ")
    process.stdout.close()
    thread.join()
    process.wait()
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("oracle")
    parser.add_argument("--every", type=int, default=1, help="take each Nth file only")
    options = parser.parse_args()
    files = dump_code.sources([])[::options.every]
    codes = list(dump_code.compiled(files))
    wrong = compare(options.oracle, codes)
    print("\n".join(wrong[:50]), end="\n" if wrong else "", file=sys.stderr)
    print(f"{sys.version_info[0]}.{sys.version_info[1]}: {len(codes)} code objects of {len(files)} files, {len(wrong)} wrong")
    return 1 if wrong or not codes else 0


if __name__ == "__main__":
    sys.exit(main())
