"""The Swift tests: which there are, and a shard of them in a process of its own."""
import json
import re

from . import commands
from .supervision import Attempt, supervise


class Bundle:
    """The built tests, and the environment that they want. `configuration` is release or debug."""

    def __init__(self, configuration="release", scratch=".build", environment=None, program=None):
        self.program = program or f"{scratch}/{configuration}/duetPackageTests.xctest"
        self._environment = environment or {}

    def _command(self, *arguments):
        return [self.program, "--testing-library", "swift-testing", *arguments]

    def collect(self):
        """The names of all tests, as the table has them: MODULE.SUITE/FUNCTION."""
        status, words = commands.run("swift-list", self._command("--list-tests"), self._environment)
        tests = re.findall(r"^(\w+\.\S.*)$", words, re.M)
        if status != 0 or not tests:
            raise RuntimeError(f"the built tests list none: {commands.last_lines(words)}")
        return tests

    def run_shard(self, name, tests, seeds, limit):
        """Runs tests in a namespace of their own, one after another: some measure time, and each may use what it likes.
        `limit`: the seconds for all of them together."""
        attempts = [0]

        def attempt(left):
            attempts[0] += 1
            events = commands.OUT / f"{name}.jsonl"
            events.unlink(missing_ok=True)
            command = self._command("--no-parallel", "--event-stream-output-path", events, "--event-stream-version", "0")
            for test in left:
                command += ["--filter", f"^{re.escape(test)}(/|$)"]
            status, words = commands.run(
                name, ["Scripts/in-namespace", "timeout", "--signal=ABRT", "--kill-after=20", str(int(limit)), *command],
                {"DUET_SEEDS": str(seeds)} | self._environment, append=attempts[0] > 1, longest=limit + 60)
            results, current = _read(events.read_text() if events.exists() else "", left)
            reason = f"its process ended with status {status}: {commands.last_lines(words)}"
            if status in (commands.HUNG, 137):
                reason = f"hung: its shard took longer than {limit:.0f} s; the shard's log has where it stood"
            return Attempt(results, current, reason, status == 0)

        return supervise(name, tests, attempt)


def _read(lines, tests):
    """Of the events, what came of each test, and which one was under way at the end."""
    results, started, troubles, wanted = {}, [], {}, set(tests)
    for line in lines.split("\n"):  # splitlines() would cut at more than that
        try:
            entry = json.loads(line)
        except ValueError:
            break  # the process ended in the middle of a line
        payload = entry["payload"]
        test = _name(payload.get("testID", ""))
        if entry["kind"] != "event" or test not in wanted:
            continue
        if payload["kind"] == "testStarted":
            started.append(test)
        elif payload["kind"] == "issueRecorded":
            troubles.setdefault(test, " ".join(message["text"] for message in payload.get("messages", [])))
        elif payload["kind"] == "testSkipped":
            results[test] = "was skipped: a skipped test is a failure"
        elif payload["kind"] == "testEnded":
            results[test] = troubles[test].replace("\n", " ")[:400] if test in troubles else None
    unfinished = [test for test in started if test not in results]
    return results, unfinished[-1] if unfinished else None


def _name(identifier):
    """Of an event's test, its name in the table: without the place in the source."""
    return re.sub(r"/[^/]+\.swift:\d+:\d+$", "", identifier)
