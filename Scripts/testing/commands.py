"""Runs commands for tasks: what they say goes into a file of the results' folder."""
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / ".build/test-results"


def run(name, command, environment=None, append=False):
    """Runs a command, and returns its status and its words, which are in OUT/NAME.log too."""
    path = OUT / f"{name}.log"
    with open(path, "a" if append else "w", errors="replace") as log:
        log.write(f"== {' '.join(map(str, command))[:500]}\n")
        log.flush()
        status = subprocess.run(
            list(map(str, command)), cwd=ROOT, env=os.environ | (environment or {}), stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT).returncode
    return status, path.read_text(errors="replace")


def last_lines(words, count=5):
    """The end of what a command said, in one line."""
    lines = [line.strip() for line in words.splitlines() if line.strip() and not line.startswith("== ")]
    return " | ".join(lines[-count:])[-400:]
