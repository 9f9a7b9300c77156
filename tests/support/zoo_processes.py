"""Every zoo model in fresh processes that share one store: what each had to ask for, and whether it computed what plain PyTorch does.

    python tests/support/zoo_processes.py                       the whole zoo in two processes, one line per model and mode
    python tests/support/zoo_processes.py handwritten timm/vit  models whose names begin so
    python tests/support/zoo_processes.py --quick               the zoo's fast subset
    python tests/support/zoo_processes.py --processes 1 --why   also why graphs ended, with the source lines

The daemon is the one that clients find (FRAMEGATE_DAEMON, or `framegated` beside this Python).
"""
from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from place import ROOT, Place

SILENT_SECONDS = 180   # a model that takes longer hangs
COLUMNS = ("translations", "round_trips", "frames", "graphs", "graph_breaks", "entries", "refused_entries", "fallbacks", "more")


# --- the parent: starts a process, and another behind a model that crashed or hung it ---

def run(place: Place, names: list[str], *, why: bool = False) -> list[dict]:
    """One process that runs these models after each other (more if one ends it); a dict for each model and mode."""
    rows, todo = [], list(names)
    while todo:
        command = [sys.executable, __file__, "--worker", *(["--why"] if why else []), *todo]
        worker = subprocess.Popen(command, env=place.environment, cwd=place.folder, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        new = list(_lines(worker))
        rows += new
        if worker.returncode == 0:
            break
        running = new[-1]["model"] if new and new[-1].get("began") else todo[0]
        rows.append({"model": running, "mode": "?", "wrong": f"the process ended ({worker.returncode})"})
        todo = todo[todo.index(running) + 1:]
    return [row for row in rows if not row.get("began")]


def _lines(worker: subprocess.Popen):
    """What the worker says, until it ends or is silent for too long."""
    lines: queue.Queue = queue.Queue()

    def read():
        for line in worker.stdout:
            if line.startswith("{"):
                lines.put(json.loads(line))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=SILENT_SECONDS)
        except queue.Empty:
            worker.kill()
            line = None
        if line is None:
            worker.wait()
            return
        yield line


# --- the worker ---

def work(names: list[str], why: bool) -> None:
    for name in names:
        for mode in _zoo()[name].modes:
            print(json.dumps({"model": name, "mode": mode, "began": True}), flush=True)
            print(json.dumps(measure(name, mode, why)), flush=True)


def measure(name: str, mode: str, why: bool) -> dict:
    """Calls of a fresh compiled model until it has settled and one more, each compared with plain PyTorch's.

    `graphs` and `graph_breaks` are those of the first call, as the zoo's limits are; `more` is what the last one installed.
    """
    import framegate
    from zoo.checks import Pair, one_thread
    zoo_model = _zoo()[name]
    framegate.config.graphless = "always"
    framegate.reset()
    with tempfile.NamedTemporaryFile("r") as log, one_thread():
        if why:
            framegate.set_logs("graph_breaks", format="json", out=log.name)
        framegate.reset_stats()
        row = {"model": name, "mode": mode, "wrong": ""}
        try:
            model = zoo_model.model(mode)
            both = Pair(zoo_model.model(mode), model, framegate.compile(model, backend="eager"))
            both.check_call(zoo_model, mode, seed=100)
            row |= {key: framegate.stats()[key] for key in ("graphs", "graph_breaks")}
            for _ in range(zoo_model.settling_calls - 1):
                both.check_call(zoo_model, mode, seed=100)
            settled = framegate.stats()["entries"]
            both.check_call(zoo_model, mode, seed=100)
            row["more"] = framegate.stats()["entries"] - settled
        except Exception as error:   # also AssertionError: another result
            row["wrong"] = f"{type(error).__name__}: {error}".splitlines()[0]
        row = framegate.stats() | row
        framegate.reset()
        if why:
            row["why"] = [json.loads(line) for line in log]
    return row


def _zoo() -> dict:
    acceptance = str(ROOT / "tests" / "acceptance")
    if acceptance not in sys.path:
        sys.path.insert(0, acceptance)
    from zoo.models import ZOO
    return ZOO


# --- the command ---

def beginning_with(prefixes: list[str], *, quick: bool = False) -> list[str]:
    """Names of available models; no prefix: all."""
    return [name for name, model in _zoo().items()
            if model.available and (model.quick or not quick) and (not prefixes or name.startswith(tuple(prefixes)))]


def table(rows: list[dict]) -> str:
    limits = json.loads((ROOT / "tests/acceptance/zoo/torch_counts.json").read_text())["models"]
    width = max(len(row["model"]) for row in rows) + 8
    lines = [f"{'':{width}}" + "".join(f"{column:>16}" for column in COLUMNS)]
    for row in rows:
        at_most = limits.get(row["model"], {}).get(row["mode"])
        over = [key for key, ours in (("graphs", "graphs"), ("breaks", "graph_breaks")) if at_most and row.get(ours, 0) > at_most[key]]
        notes = [row["wrong"]] * bool(row["wrong"]) + [f"torch: {at_most[key]} {key}" for key in over]
        name = f"{row['model']} {row['mode']}"
        lines.append(f"{name:{width}}" + "".join(f"{row.get(column, ''):>16}" for column in COLUMNS) + "   " + "; ".join(notes))
        lines += [f"    {stop['reason']} {stop.get('detail', '')}  {stop.get('filename', '')}:{stop.get('line', '')} in "
                  f"{stop.get('function', stop['code'])}" for stop in row.get("why", ())]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="beginnings of names; none: all")
    parser.add_argument("--quick", action="store_true", help="only models of the fast subset")
    parser.add_argument("--processes", type=int, default=2, help="how many, one after the other, on one store")
    parser.add_argument("--why", action="store_true", help="why graphs ended")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options.models, options.why)
    names = beginning_with(options.models, quick=options.quick)
    place = Place(Path(tempfile.mkdtemp(prefix="fg-")))
    try:
        for number in range(1, options.processes + 1):
            print(f"process {number}\n{table(run(place, names, why=options.why))}\n", flush=True)
    finally:
        place.close()


if __name__ == "__main__":
    main()
