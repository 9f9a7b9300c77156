"""A place for real daemons and real client processes: a socket and a store of its own. A conftest.py imports all of this."""
import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = Path(sys.executable).parent   # of the environment: `framegated` lies there
ENVIRONMENT = dict(os.environ)   # as it was: test modules that use the extension in this process turn its daemon off
START_SECONDS = 20
RUN_SECONDS = 300


def pytest_configure(config):
    config.addinivalue_line("markers", "needs_torch: skipped where torch is not installed")


def pytest_collection_modifyitems(items):
    if importlib.util.find_spec("torch") is None:
        for item in items:
            if item.get_closest_marker("needs_torch"):
                item.add_marker(pytest.mark.skip(reason="torch is not installed"))


class Place:
    """A folder with a socket and a cache; daemons and clients that use them. Not thread-safe."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.socket, self.cache = folder / "socket", folder / "cache"
        self.environment = ENVIRONMENT | {"FRAMEGATE_SOCKET": str(self.socket), "FRAMEGATE_CACHE_DIR": str(self.cache),
                                          "PATH": f"{SCRIPTS}:{ENVIRONMENT['PATH']}"}
        self._daemon: subprocess.Popen | None = None

    # --- the daemon ---

    def start_daemon(self, *arguments: str) -> subprocess.Popen:
        """Starts framegated and waits until it listens. Otherwise the first client starts one."""
        program = ENVIRONMENT.get("FRAMEGATE_DAEMON", "framegated")   # as clients look for it
        self._daemon = subprocess.Popen([program, "--socket", self.socket, "--cache-dir", self.cache, *arguments],
                                        env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + START_SECONDS
        while not self.listens():
            if self._daemon.poll() is not None or time.monotonic() > deadline:
                self._daemon.kill()
                raise RuntimeError(f"framegated does not start: {self._daemon.stderr.read().decode()}")
            time.sleep(0.01)
        return self._daemon

    def stop_daemon(self, sig=signal.SIGTERM) -> int:
        """Signals the daemon started here, or else by a client, and waits for its end."""
        pid = self.daemon_pid()
        if self._daemon:
            self._daemon.send_signal(sig)
            status = self._daemon.wait(START_SECONDS)
            self._daemon = None
            return status
        if pid:
            os.kill(pid, sig)
            wait_until(lambda: not alive(pid))
        return 0

    def listens(self) -> bool:
        return self.daemon_pid() is not None

    def daemon_pid(self) -> int | None:
        """The process that listens on the socket, whoever started it."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.socket))
            return int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], sys.byteorder)
        return None

    def close(self):
        with contextlib.suppress(Exception):
            self.stop_daemon()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- clients ---

    def python(self, code: str, *arguments: str, check: bool = True, **environment: str) -> str:
        """Runs code in a fresh interpreter; gives what it printed. With `check`, it must succeed."""
        script = self.folder / "script.py"
        script.write_text(textwrap.dedent(code))
        return self.run(script, *arguments, check=check, **environment)

    def stats(self, code: str, *arguments: str, **environment: str) -> dict[str, int]:
        """Runs code in a fresh interpreter; gives framegate.stats() at its end."""
        report = self.folder / "stats.json"
        tail = f"\nimport json, pathlib, framegate\npathlib.Path({str(report)!r}).write_text(json.dumps(framegate.stats()))\n"
        self.python(textwrap.dedent(code) + tail, *arguments, **environment)
        return json.loads(report.read_text())

    def run(self, *arguments: str | Path, check: bool = True, **environment: str) -> str:
        """`python ARGUMENTS` in the folder; output and errors together."""
        done = subprocess.run([sys.executable, *arguments], env=self.environment | environment, cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_SECONDS)
        assert not check or done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}"
        return done.stdout

    def example(self, name: str, *arguments: str, **environment: str) -> dict:
        """Runs examples/NAME; gives what it wrote with --stats."""
        report = self.folder / "example.json"
        self.run(ROOT / "examples" / name, "--stats", report, *arguments, **environment)
        return json.loads(report.read_text())


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def wait_until(condition, seconds: float = START_SECONDS):
    """Polls until the condition holds; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def place():
    # Not tmp_path: a socket's path must be short.
    place = Place(Path(tempfile.mkdtemp(prefix="fg-")))
    yield place
    place.close()
