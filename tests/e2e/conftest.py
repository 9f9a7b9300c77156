"""End-to-end tests: real daemons, real client processes. The fixture `place` is a socket and a store of its own.

    pytest tests/e2e            with the pytest of the environment that Framegate is installed in
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from place import *  # noqa: E402, F403
