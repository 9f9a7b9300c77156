"""What functions compute, compiled in this very process, beside what they compute uncompiled. One daemon with a store of its own.

    pytest tests/compiled       with the pytest of the environment that Framegate is installed in
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

FOLDER = Path(tempfile.mkdtemp(prefix="fg-"))   # for its owner alone, as a socket's folder has to be
os.environ["FRAMEGATE_SOCKET"], os.environ["FRAMEGATE_CACHE_DIR"] = str(FOLDER / "socket"), str(FOLDER / "cache")

import framegate  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def daemon():
    """Without one all would run uncompiled, and be right."""
    with framegate.config.patch(graphless="always"):
        assert framegate.compile(lambda: 3, backend="eager")() == 3
    assert framegate.stats()["entries"] == 1, framegate.stats()
    yield
    subprocess.run([Path(sys.executable).parent / "framegate", "stop"], stdout=subprocess.DEVNULL, check=False)
    shutil.rmtree(FOLDER, ignore_errors=True)
