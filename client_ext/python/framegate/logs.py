"""What Framegate tells: graph breaks, recompiles, guards, as text or JSON lines, to loggers below "framegate".

FRAMEGATE_LOGS=graph_breaks,recompiles,guards (or all) writes them to stderr; FRAMEGATE_LOGS_FORMAT=json makes each a JSON object;
FRAMEGATE_LOGS_OUT=FILE appends to a file instead. set_logs() does the same from code.
"""
from __future__ import annotations

import atexit
import json
import logging
import os
import sys
import typing

from framegate import _framegate
from framegate.errors import excerpt, miss_text

if typing.TYPE_CHECKING:
    from framegate._framegate import BreakInfo, EntryInfo, GuardInfo

KINDS = ("graph_breaks", "recompiles", "guards")
_warnings = logging.getLogger("framegate")
_on: set[str] = set()
_as_json = False
_watched: list[tuple[_framegate.Region, set[str]]] = []    # with the ids of entries told already
_misses_told = 0
_handler: logging.Handler | None = None


def set_logs(*kinds: str, format: str = "text", out: str | None = None) -> None:  # noqa: A002  the word users know from logging
    """Turns on exactly these logs ("graph_breaks", "recompiles", "guards", "all"; none: off) for what is compiled from here on.

    format   "text" or "json", one object a line
    out      a file to append to; default: stderr
    Raises ValueError for an unknown kind or format.
    """
    global _as_json, _handler
    wanted = set(KINDS) if "all" in kinds else set(kinds)
    if wanted - set(KINDS) or format not in ("text", "json"):
        raise ValueError(f"logs are {', '.join(KINDS)} or all, as text or json; not {', '.join(sorted(wanted - set(KINDS))) or format}")
    _on.clear()
    _on.update(wanted)
    _as_json = format == "json"
    if _handler is not None:
        _warnings.removeHandler(_handler)
        _handler.close()
    _handler = None
    if wanted:
        _handler = logging.FileHandler(out) if out else logging.StreamHandler(sys.stderr)
        _handler.setFormatter(logging.Formatter("%(message)s" if _as_json else "[%(name)s] %(message)s"))
        _warnings.addHandler(_handler)
    _warnings.propagate = not wanted


def watch(region: _framegate.Region) -> None:
    """Tells what `region` installs from here on, if any log is on. Such a region is kept until the process ends."""
    if _on:
        _watched.append((region, set()))


def tell_news() -> None:
    """Writes what has happened since the last time: called when a graph is compiled, at reset and at exit."""
    if not _on:
        return
    global _misses_told
    misses = _framegate.misses()
    for miss in misses[min(_misses_told, len(misses)):]:
        _say("recompiles", f"{miss.get('code')}: entry {miss.get('entry')} missed: {miss_text(miss)}", dict(miss))
    _misses_told = len(misses)
    for region, told in _watched:
        for entry in region.entries():
            if entry["id"] not in told:
                told.add(entry["id"])
                _tell_entry(entry)


def forget_misses() -> None:
    """The list of misses was emptied."""
    global _misses_told
    _misses_told = 0


def _tell_entry(entry: EntryInfo) -> None:
    where = f"{entry['id']} {entry['code']} ({entry['filename']}:{entry['line']})"
    for stop in entry["breaks"]:
        _say("graph_breaks", f"{where}: {break_text(stop)}", {"entry": entry["id"], "code": entry["code"], **stop})
    if entry["original"]:
        why = f"{where}: the original runs: {entry['reason']} {entry['detail']}".rstrip()
        _say("graph_breaks", why, {key: entry[key] for key in ("id", "code", "filename", "line", "reason", "detail")})
    if entry["guards"]:
        text = "".join(f"\n    {guard_text(guard, entry['filename'])}" for guard in entry["guards"])
        listed = [{key: guard[key] for key in ("name", "kind", "torch_kind", "expected", "line")} for guard in entry["guards"]]
        _say("guards", f"{where}:{text}", {"entry": entry["id"], "code": entry["code"], "guards": listed})


def break_text(stop: BreakInfo) -> str:
    """Several lines: what happens, where, the source, what to do."""
    what = stop["what"] + (f": {stop['detail']}" if stop["detail"] else "")
    place = f'  File "{stop["filename"]}", line {stop["line"]}, in {stop["function"]}\n'
    return f"{what}\n{place}{excerpt(stop['filename'], stop['line'], around=0)}advice: {stop['advice']}"


def guard_text(guard: GuardInfo, filename: str) -> str:
    """One line: subject, expected value, kind, and the line that made it."""
    place = f"    # {os.path.basename(filename)}:{guard['line']}" if guard["line"] else ""
    return f"{guard['name'] or guard['torch_kind']} is {guard['expected']}    ({guard['kind']}){place}"


def on_limit(text: str) -> None:
    """Once per code object: it has all the entries it may have. `text` names the function and recompile_limit."""
    latest = _framegate.misses()[-1:]
    changing = "".join(f" What fitted no entry last: {miss_text(miss)}." for miss in latest)
    _warnings.warning("%s.%s Keep that value the same, pass it as a tensor, or raise the limit; FRAMEGATE_LOGS=recompiles shows every "
                      "miss.", text.rstrip("."), changing)


def _say(kind: str, text: str, fields: dict[str, typing.Any]) -> None:
    if kind in _on:
        logger = logging.getLogger(f"framegate.{kind}")
        logger.setLevel(logging.INFO)
        logger.info("%s", json.dumps({"log": kind, **fields}, default=str) if _as_json else text)


def start() -> None:
    """Reads the environment; called once, at import."""
    kinds = [kind.strip() for kind in os.environ.get("FRAMEGATE_LOGS", "").split(",") if kind.strip()]
    if kinds:
        try:
            set_logs(*kinds, format=os.environ.get("FRAMEGATE_LOGS_FORMAT", "text"), out=os.environ.get("FRAMEGATE_LOGS_OUT"))
        except ValueError as wrong:
            _warnings.warning("FRAMEGATE_LOGS: %s", wrong)
        atexit.register(tell_news)
