"""Random programs and random mutations. See test_fuzz.py."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from place import *  # noqa: E402, F403
