"""The interop tests: which there are, and a shard of them in a namespace and process of its own."""
import json
import re

from . import commands
from .supervision import Attempt, supervise

PYTHON = ".venv/bin/python"
FOLDER = "Tests/Interop"
NAMESPACE = ["Scripts/in-namespace"]


def collect():
    """The names of all interop tests, as the table has them: FILE::FUNCTION[CASE]."""
    status, words = commands.run("interop-list", [PYTHON, "-m", "pytest", FOLDER, "--collect-only", "-q"])
    tests = re.findall(r"^(?:Tests/Interop/)?(test_\w+\.py::.+)$", words, re.M)
    if status != 0 or not tests:
        raise RuntimeError(f"pytest finds no tests: {commands.last_lines(words)}")
    return tests


def run_shard(name, tests, environment=None, folder=FOLDER, namespace=NAMESPACE):
    """Runs tests of a folder in a namespace of their own."""
    attempts = [0]

    def attempt(left):
        attempts[0] += 1
        arguments, progress = commands.OUT / f"{name}.tests", commands.OUT / f"{name}.jsonl"
        arguments.write_text("".join(f"{folder}/{test}\n" for test in left))
        progress.write_text("")
        status, words = commands.run(
            name, [*namespace, PYTHON, "-m", "pytest", "-q", f"--progress={progress}", f"@{arguments}"],
            environment, append=attempts[0] > 1)
        return _read(progress.read_text(), status, words)

    return supervise(name, tests, attempt)


def _read(lines, status, words):
    results, current, limit = {}, None, 0
    for line in filter(None, lines.split("\n")):
        entry = json.loads(line)
        if "outcome" in entry:
            results[entry["test"]] = None if entry["outcome"] == "passed" else first_line(entry["message"])
            current = None
        else:
            current, limit = entry["test"], entry["limit"]
    if current and "Timeout (" in words.rpartition("== ")[2]:
        reason = f"hung: took longer than {limit:.0f} s; the shard's log has where it stood"
    else:
        reason = f"its process ended with status {status}: {commands.last_lines(words)}"
    return Attempt(results, current, reason, status == 0)


def first_line(message):
    """Of a traceback, what was found wrong; of anything else, its beginning."""
    found = re.findall(r"^E +(\S.*)$", message, re.M)
    return (found[0] if found else message.strip().partition("\n")[0])[:300] or "failed without a word"
