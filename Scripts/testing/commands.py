"""Runs commands for tasks: what they say goes into a file of the results' folder."""
import os
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / ".build/test-results"


# Seconds that a command may take: a first build on two slow cores takes a third of it.
LONGEST = 3_600
# The status of a command that was ended because it hung, as coreutils' timeout has it.
HUNG = 124


def run(name, command, environment=None, append=False, longest=LONGEST, is_stuck=lambda: False):
    """Runs a command, and returns its status and its words, which are in OUT/NAME.log too.

    One that takes longer than `longest` seconds, or of which `is_stuck()` says at some time that nothing comes of it any more, is
    ended with all that it has started; its status is HUNG.
    """
    path = OUT / f"{name}.log"
    with open(path, "a" if append else "w", errors="replace") as log:
        log.write(f"== {' '.join(map(str, command))[:500]}\n")
        log.flush()
        process = subprocess.Popen(
            list(map(str, command)), cwd=ROOT, env=os.environ | (environment or {}), stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = _wait(process, longest, is_stuck)
        finally:
            if process.poll() is None:
                _end(process)
    return status, path.read_text(errors="replace")


def _wait(process, longest, is_stuck):
    end = time.monotonic() + longest
    while True:
        try:
            return process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            if time.monotonic() > end or is_stuck():
                _end(process)
                return HUNG


def _end(process):
    """Ends a command and what it has started; what is in a namespace of processes ends with the namespace's first."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def last_lines(words, count=5):
    """The end of what a command said, in one line."""
    lines = [line.strip() for line in words.splitlines() if line.strip() and not line.startswith("== ")]
    return " | ".join(lines[-count:])[-400:]
