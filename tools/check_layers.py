#!/usr/bin/env python3
"""Decides the include rules of docs/architecture.md (DESIGN section 4) and the sizes of files and functions.

Exit status 1 with one line per violation. Long functions are counted, not refused.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HARD_FILE_LINES, FUNCTION_LINES = 500, 60

# A folder may include itself and those listed. The longest matching key rules.
MAY_INCLUDE = {
    "base": [],
    "model": ["base"],
    "guards/program": ["base", "model"],
    "guards/ir": ["base", "model", "guards/program", "guards/kinds", "guards/passes"],
    "guards/kinds": ["base", "model", "guards/program", "guards/ir", "guards/passes"],
    "guards/passes": ["base", "model", "guards/program", "guards/ir", "guards/kinds"],
    "guards": ["base", "model", "guards"],
    "proto/wire": ["base", "model", "guards/program", "framegate/v1"],
    "translator": ["base", "model", "guards"],
    "server": ["base", "model", "guards", "translator", "proto/wire"],
    "server/service": ["base", "model", "guards", "translator", "proto/wire", "server", "framegate/v1"],
    "client_ext": ["base", "model", "guards/program", "proto/wire"],
    "client_ext/transport": ["base", "model", "guards/program", "proto/wire", "client_ext", "framegate/v1"],
}

# Headers from outside, and where they may appear. Tests may always speak to the daemon over gRPC.
ONLY_IN = [
    (re.compile(r"Python\.h|(internal/|cpython/)?pycore_.*|frameobject\.h|structmember\.h"), ["client_ext"]),
    (re.compile(r"torch/.*|ATen/.*|c10/.*"), ["client_ext/torch_bridge"]),
    (re.compile(r"grpc(pp)?/.*"), ["server", "tests"]),
    (re.compile(r"google/protobuf/.*"), ["proto/wire", "server/service", "client_ext/transport"]),
    (re.compile(r"nghttp2/.*"), ["client_ext/transport"]),
    (re.compile(r"sqlite3\.h"), ["server/cache"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
VERSION_SWITCH = re.compile(r"^\s*#\s*(el)?if.*\bPY_(VERSION_HEX|MINOR_VERSION|MAJOR_VERSION)\b")
TEST = re.compile(r"_(test|bench)\.cc$")
FOLDERS = ("base", "model", "guards", "proto", "translator", "server", "client_ext")


def inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def owner(path: str) -> str | None:
    return max((key for key in MAY_INCLUDE if inside(path, key)), key=len, default=None)


def include_errors(path: str, target: str) -> str | None:
    """Why `path` may not include `target`, or None."""
    for pattern, folders in ONLY_IN:
        if pattern.fullmatch(target):
            fine = any(inside(path, folder) for folder in folders) or (TEST.search(path) and "tests" in folders)
            return None if fine else f"<{target}> belongs to {', '.join(folders)} only"
    rule = owner(path)
    ours = target.startswith("framegate/v1/") or target.split("/")[0] in FOLDERS
    if rule is None or not ours:
        return None
    if TEST.search(path) and target.startswith("framegate/v1/") and inside(path, "proto"):
        return None
    if inside(target, rule) or any(inside(target, allowed) for allowed in MAY_INCLUDE[rule]):
        return None
    return f"{rule} must not include {target}"


def function_lengths(lines: list[str]):
    """(first line, length) of each top-level brace block that looks like a function: good enough for clang-format's layout."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and re.match(r"^(  )?[\w:~<].*\)[^;]*\{$", line) and not re.match(r"^\s*(namespace|class|struct|enum)\b", line):
            start, indent = number, re.match(r" *", line).group()
        elif start is not None and re.match(rf"^{indent}\}}", line):
            yield start, number - start + 1
            start = None


def sources() -> list[str]:
    """Tracked and not yet tracked sources of ours."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.cc", "*.h", "*.def", "*.py", "*.pyi"],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    # The judges are adopted as they are.
    return [p for p in listed if p and (ROOT / p).exists() and not p.startswith(("tests/acceptance/", "tests/bench/"))]


def main():
    errors, long_functions = [], 0
    for path in sources():
        lines = (ROOT / path).read_text().splitlines()
        if len(lines) > HARD_FILE_LINES and "generated" not in path:
            errors.append(f"{path}: {len(lines)} lines, at most {HARD_FILE_LINES}; split it along its nouns")
        if not path.endswith((".cc", ".h")):
            continue
        for number, line in enumerate(lines, 1):
            if (match := INCLUDE.match(line)) and (why := include_errors(path, match.group(1))):
                errors.append(f"{path}:{number}: {why}")
            if VERSION_SWITCH.match(line) and not inside(path, "client_ext/pycompat"):
                errors.append(f"{path}:{number}: a Python version switch belongs to client_ext/pycompat")
        for number, length in function_lengths(lines):
            if length > FUNCTION_LINES and not TEST.search(path):
                long_functions += 1
                if "-v" in sys.argv:
                    print(f"{path}:{number}: function of {length} lines")
    print("\n".join(errors), end="\n" if errors else "")
    print(f"layers: {len(errors)} violations; {long_functions} functions over {FUNCTION_LINES} lines" + (" (-v lists them)" if long_functions else ""))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
