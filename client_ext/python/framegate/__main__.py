"""python -m framegate SCRIPT [ARGUMENT ...]      runs a script with torch.compile routed to Framegate
python -m framegate -m MODULE [ARGUMENT ...]   the same for a module

The script is not edited and sees sys.argv, sys.path and __main__ as if Python had started it. Other processes it starts are routed only
if they are forked, or started by `python -m framegate` themselves."""
from __future__ import annotations

import io
import os
import runpy
import sys
import types

from framegate import routing


def main(arguments: list[str]) -> None:
    """Runs the script in this process; exits with status 2 where there is none."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if not arguments or arguments == ["-m"] or (arguments[0].startswith("-") and arguments[0] != "-m"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    routing.install()
    if arguments[0] == "-m":
        sys.argv[:] = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        run_script(arguments[0], arguments)


def run_script(path: str, arguments: list[str]) -> None:
    """Runs the file as __main__; what it defines stays importable from __main__, as pickled objects and spawned processes need."""
    sys.argv[:] = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        print(f"python -m framegate: cannot open {path!r}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__, __spec__=None, __loader__=None)
    sys.modules["__main__"] = module
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)


if __name__ == "__main__":
    main(sys.argv[1:])
