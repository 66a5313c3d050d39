"""The interop tests: which there are, and a shard of them in a namespace and process of its own."""
import json
import re
import time

from . import commands
from .supervision import Attempt, supervise

PYTHON = ".venv/bin/python"
FOLDER = "Tests/Interop"
NAMESPACE = ["Scripts/in-namespace"]
# Seconds for what is no test: finding them, setting up and clearing away what a whole shard uses, the process's end.
BESIDE_TESTS = 120


def collect():
    """The names of all interop tests, as the table has them: FILE::FUNCTION[CASE]."""
    status, words = commands.run("interop-list", [PYTHON, "-m", "pytest", FOLDER, "--collect-only", "-q"])
    tests = re.findall(r"^(?:Tests/Interop/)?(test_\w+\.py::.+)$", words, re.M)
    if status != 0 or not tests:
        raise RuntimeError(f"pytest finds no tests: {commands.last_lines(words)}")
    return tests


def run_shard(name, tests, environment=None, folder=FOLDER, namespace=NAMESPACE, beside=BESIDE_TESTS):
    """Runs tests of a folder in a namespace of their own. `beside`: the seconds for what is no test of them."""
    attempts = [0]

    def attempt(left):
        attempts[0] += 1
        arguments, progress = commands.OUT / f"{name}.tests", commands.OUT / f"{name}.jsonl"
        arguments.write_text("".join(f"{folder}/{test}\n" for test in left))
        progress.write_text("")
        status, words = commands.run(
            name, [*namespace, PYTHON, "-m", "pytest", "-q", f"--progress={progress}", f"@{arguments}"],
            environment, append=attempts[0] > 1, is_stuck=Watch(progress, beside).is_over)
        return _read(progress.read_text(), status, words)

    return supervise(name, tests, attempt)


class Watch:
    """Looks at what a shard writes down: nothing new for longer than its test may take, and it hangs where no test can be blamed."""

    def __init__(self, progress, beside):
        self._progress, self._beside = progress, beside
        self._seen, self._since = None, time.monotonic()

    def is_over(self):
        lines = self._progress.read_text().splitlines()
        if lines != self._seen:
            self._seen, self._since = lines, time.monotonic()
        limit = 0
        if lines and '"limit"' in lines[-1]:
            try:
                limit = json.loads(lines[-1]).get("limit", 0)
            except ValueError:
                pass  # it is being written
        return time.monotonic() - self._since > limit + self._beside


def _read(lines, status, words):
    results, current, limit = {}, None, 0
    for line in filter(None, lines.split("\n")):
        entry = json.loads(line)
        if "outcome" in entry:
            results[entry["test"]] = None if entry["outcome"] == "passed" else first_line(entry["message"])
            current = None
        else:
            current, limit = entry["test"], entry["limit"]
    if not current and status == commands.HUNG:
        reason = "hung while no test was under way; the shard's log has what it said"
    elif current and "Timeout (" in words.rpartition("== ")[2]:
        reason = f"hung: took longer than {limit:.0f} s; the shard's log has where it stood"
    else:
        reason = f"its process ended with status {status}: {commands.last_lines(words)}"
    return Attempt(results, current, reason, status == 0)


def first_line(message):
    """Of a traceback, what was found wrong; of anything else, its beginning."""
    found = re.findall(r"^E +(\S.*)$", message, re.M)
    return (found[0] if found else message.strip().partition("\n")[0])[:300] or "failed without a word"
