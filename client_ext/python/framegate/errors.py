"""The exceptions a user meets, and the texts in them. Needs no torch."""
from __future__ import annotations

import linecache
import sys
import typing

if typing.TYPE_CHECKING:
    from framegate._framegate import ErrorInfo


class Unsupported(RuntimeError):
    """Raised where fullgraph=True meets a graph break, or code that is left alone.

    `reason` is the row's name in the daemon's table of reasons, `filename` and `line` are the user's, `advice` says what to do.
    """

    def __init__(self, message: str, *, reason: str = "", filename: str = "", line: int = 0, advice: str = "") -> None:
        super().__init__(message)
        self.reason, self.filename, self.line, self.advice = reason, filename, line, advice

    @property
    def msg(self) -> str:
        return str(self)


class RecompileLimitReached(Unsupported):
    """Raised under fullgraph=True where a code object has as many entries as recompile_limit allows."""


class RecompileRefused(RuntimeError):
    """Raised on a miss while the stance forbids to compile."""


class GuardFilterFailed(RuntimeError):
    """A guard filter did not answer with one boolean for each guard."""


class BackendCompilerFailed(RuntimeError):
    """What a backend raised, as `inner_exception`; `backend_name` and the graph it was given, `graph_module`, go with it."""

    def __init__(self, backend_name: str, inner_exception: Exception, graph_module: typing.Any) -> None:
        super().__init__(f"backend={backend_name!r} raised:\n{type(inner_exception).__name__}: {inner_exception}")
        self.backend_name, self.inner_exception, self.graph_module = backend_name, inner_exception, graph_module


def excerpt(filename: str, line: int, around: int = 2) -> str:
    """The lines around `line` with their numbers, a caret under its code; empty where the source is not to be had."""
    if not linecache.getline(filename, line):
        return ""
    shown = []
    for number in range(max(1, line - around), line + around + 1):
        text = linecache.getline(filename, number).rstrip("\n")
        if number > line and not text.strip():
            break
        shown.append(f"{'>' if number == line else ' '} {number:5} | {text}")
        if number == line:
            indent = len(text) - len(text.lstrip())
            shown.append(" " * 8 + "| " + " " * indent + "^" * max(1, len(text.strip())))
    return "\n".join(shown) + "\n"


def make_error(info: ErrorInfo) -> BaseException:
    """The exception for what the extension has to report; see ErrorInfo."""
    return like_torchs(_MAKERS[info["kind"]](info))


def _unsupported(info: ErrorInfo) -> Unsupported:
    filename, line = info.get("filename", ""), info.get("line", 0)
    reason, detail, advice = info.get("reason", ""), info.get("detail", ""), info.get("advice", "")
    text = f"{info.get('what', reason)}{': ' + detail if detail else ''}\n"
    text += f'  File "{filename}", line {line}, in {info.get("function", "?")}\n' + excerpt(filename, line)
    text += f"reason: {reason}\nadvice: {advice}\nfullgraph=True does not allow this; without it the code runs as written.\n"
    return Unsupported(text, reason=reason, filename=filename, line=line, advice=advice)


def _recompile_limit(info: ErrorInfo) -> Unsupported:
    filename, line = info.get("filename", ""), info.get("line", 0)
    text = (f"recompile_limit ({info.get('limit', 0)}) reached under fullgraph=True\n"
            f'  File "{filename}", line {line}, in {info.get("function", "?")}\n')
    advice = "see framegate.misses() for the fact that keeps changing; raise framegate.config.recompile_limit"
    return RecompileLimitReached(f"{text}advice: {advice}\n", reason="recompile_limit", filename=filename, line=line, advice=advice)


def _refused(stance: str) -> typing.Callable[[ErrorInfo], RecompileRefused]:
    def make(info: ErrorInfo) -> RecompileRefused:
        reasons = "".join(f"\n    - {miss_text(miss)}" for miss in info.get("misses", ()))
        where = f"{info.get('function', '?')} ({info.get('filename', '?')}:{info.get('line', 0)})"
        return RecompileRefused(f"a recompile of {where} is needed and the stance is {stance}"
                                + (f"; what the installed entries miss:{reasons}" if reasons else "; it has no entry yet"))
    return make


def _filter(info: ErrorInfo) -> GuardFilterFailed:
    return GuardFilterFailed(f"guard_filter_fn must answer with one boolean for each guard: {info.get('detail', '')}")


_MAKERS: dict[str, typing.Callable[[ErrorInfo], Exception]] = {
    "unsupported": _unsupported,
    "recompile_limit": _recompile_limit,
    "fail_on_recompile": _refused("fail_on_recompile"),
    "skip_guard_eval": _refused("skip_guard_eval_unsafe"),
    "filter": _filter,
}


def miss_text(miss: dict[str, typing.Any]) -> str:
    """One line for one dict of framegate.misses()."""
    return f"{miss.get('subject', '?')}: expected {miss.get('expected', '?')}, got {miss.get('actual', '?')}"


_TORCH_NAMES: dict[type[Exception], tuple[str, ...]] = {
    Unsupported: ("Unsupported",),
    RecompileLimitReached: ("FailOnRecompileLimitHit", "Unsupported"),
    BackendCompilerFailed: ("BackendCompilerFailed",),
}


def like_torchs(error: Exception) -> Exception:
    """`error`, also an instance of torch's exception of that meaning where torch._dynamo is loaded: code written for torch catches it."""
    theirs = sys.modules.get("torch._dynamo.exc")
    names = _TORCH_NAMES.get(type(error), ())
    bases = next((cls for cls in (getattr(theirs, name, None) for name in names) if isinstance(cls, type)), None)
    if bases is None:
        return error
    ours = type(error)
    # first_useful_frame: where torch would cut the traceback; None leaves it whole.
    both = type(ours.__name__, (ours, bases), {"__module__": ours.__module__, "__init__": ours.__init__, "first_useful_frame": None})
    twin = both.__new__(both, *error.args)
    twin.args = error.args
    twin.__dict__.update(error.__dict__)
    return typing.cast(Exception, twin)
