"""The examples do what their texts and the README promise."""
import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT

pytestmark = pytest.mark.needs_torch


@pytest.fixture(scope="module")
def plain_losses():
    out = subprocess.run([sys.executable, ROOT / "examples/train_gpt.py", "--eager"], capture_output=True, text=True, check=True).stdout
    return losses_in(out)


def losses_in(text):
    return [float(loss) for loss in re.findall(r"^step +\d+  loss (\S+)$", text, re.MULTILINE)]


def test_seed_program_makes_three_graphs_and_the_second_process_translates_nothing(place):
    first, second = place.example("seed.py"), place.example("seed.py")
    for stats in (first, second):
        assert stats["graphs"] <= 3 and stats["entries"] <= 3 and stats["fallbacks"] == 0
    assert first["translations"] == first["entries"]
    assert second["translations"] == 0


def test_training_gives_the_losses_of_plain_pytorch(place, plain_losses):
    first, second = place.example("train_gpt.py"), place.example("train_gpt.py")
    assert first["losses"] == plain_losses and second["losses"] == plain_losses
    assert first["translations"] >= 1 and second["translations"] == 0


def test_entries_survive_a_restart_of_the_daemon(place, plain_losses):
    place.start_daemon()
    place.example("train_gpt.py", "--steps", "2")
    place.stop_daemon()
    place.start_daemon()
    again = place.example("train_gpt.py", "--steps", "2")
    assert again["translations"] == 0 and again["losses"] == plain_losses[:2]


def test_training_with_inductor(place, plain_losses):
    stats = place.example("train_gpt.py", "--backend", "inductor", "--steps", "2")
    assert stats["losses"] == pytest.approx(plain_losses[:2], rel=1e-4) and stats["graphs"] >= 1


def test_an_unmodified_script_under_python_m_framegate(place, plain_losses):
    out = place.run("-m", "framegate", ROOT / "examples/train_plain.py")
    assert losses_in(out) == plain_losses
    assert place.listens()


@pytest.mark.parametrize("name", ["train_classifier", "train_accumulating", "train_gan"])
def test_whole_scripts_print_what_they_print_without_us(place, name):
    script = ROOT / "examples" / f"{name}.py"
    plain = place.run(script, "--plain")
    assert plain.count("loss ") >= 6 and place.run("-m", "framegate", script) == plain
    assert place.listens()


def test_unmodified_script_works_from_the_checkout(place, plain_losses):
    """The current folder comes first on sys.path under -m: the sources must not hide the installed package."""
    out = subprocess.run([sys.executable, "-m", "framegate", "examples/train_plain.py", "--steps", "2"], cwd=ROOT, env=place.environment,
                         text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300).stdout
    assert losses_in(out) == plain_losses[:2], out


@pytest.mark.parametrize("seed", range(10))
def test_killing_the_daemon_at_any_moment_changes_no_loss(place, plain_losses, seed):
    chance = random.Random(seed)
    training = subprocess.Popen([sys.executable, ROOT / "examples/train_gpt.py"], env=place.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # Kill whichever daemon is there, again and again: while it starts, translates, answers or idles.
    while training.poll() is None:
        time.sleep(chance.uniform(0.01, 0.6))
        if pid := place.daemon_pid():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    out = training.stdout.read()
    assert training.returncode == 0, out
    assert losses_in(out) == plain_losses
