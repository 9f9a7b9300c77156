"""Golden tests: what functions are translated to, in the text of the IRs. See test_golden.py."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from place import *  # noqa: E402, F403
