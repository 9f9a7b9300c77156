"""`make demo`: two programs in several processes on one daemon, and what Framegate did for each.

Everything happens in a folder of its own, so that the first process finds nothing stored. Fails if a later
process had to translate, or if compiled training gave other losses than plain training.
"""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
SCRIPTS = Path(sys.executable).parent
COLUMNS = {"frames": "frames", "entries": "entries", "graphs": "graphs", "graph_breaks": "breaks", "translations": "translations",
           "round_trips": "round trips", "front_end_us": "front-end ms"}


class Demo:
    def __init__(self, folder: Path):
        self.folder = folder
        self.socket = folder / "socket"
        self.environment = os.environ | {"FRAMEGATE_SOCKET": str(self.socket), "FRAMEGATE_CACHE_DIR": str(folder / "cache"),
                                         "PATH": f"{SCRIPTS}:{os.environ['PATH']}"}
        self.rows: list[tuple[str, dict]] = []

    @contextlib.contextmanager
    def daemon(self):
        process = subprocess.Popen(["framegated", "--socket", self.socket, "--cache-dir", self.environment["FRAMEGATE_CACHE_DIR"]],
                                   env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not self._listens():
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit("demo: the daemon does not start; `framegated --socket PATH --cache-dir DIR` says why")
            time.sleep(0.02)
        try:
            yield
        finally:
            process.terminate()
            process.wait()

    def _listens(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.socket))
            return True
        return False

    def run(self, title: str, script: str, *arguments: str, show: bool = False) -> dict:
        """Runs one example in a process of its own and keeps its counters as a row."""
        out = self.folder / "stats.json"
        done = subprocess.run([sys.executable, EXAMPLES / script, "--stats", out, *arguments], env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit(f"demo: {script} failed\n{done.stdout}")
        if show:
            print(done.stdout)
        stats = json.loads(out.read_text())
        self.rows.append((title, stats))
        return stats

    def print_table(self, losses: list[float]):
        print("  ".join([f"{'process':34}", *(f"{title:>12}" for title in COLUMNS.values()), "losses as plain"]))
        for title, stats in self.rows:
            cells = []
            for name in COLUMNS:
                value = stats.get(name)
                cells.append("" if value is None else f"{value / 1000:.1f}" if name.endswith("_us") else str(value))
            same = "" if "losses" not in stats else "equal" if stats["losses"] == losses else "DIFFERENT"
            print("  ".join([f"{title:34}", *(f"{cell:>12}" for cell in cells), same]).rstrip())


def main():
    folder = Path(tempfile.mkdtemp(prefix="fg-demo-"))
    try:
        demo = Demo(folder)
        plain = demo.run("train_gpt, uncompiled", "train_gpt.py", "--eager")
        later = []
        with demo.daemon():
            demo.run("seed", "seed.py", show=True)
            demo.run("train_gpt", "train_gpt.py")
            later += [demo.run("seed, second process", "seed.py"), demo.run("train_gpt, second process", "train_gpt.py")]
        with demo.daemon():
            later += [demo.run("seed, daemon restarted", "seed.py"), demo.run("train_gpt, daemon restarted", "train_gpt.py")]
        demo.print_table(plain["losses"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)

    wrong = [title for title, stats in demo.rows if stats.get("losses", plain["losses"]) != plain["losses"]]
    if any(stats["translations"] for stats in later):
        wrong.append("a later process translated")
    if wrong:
        sys.exit(f"demo: not as promised: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
