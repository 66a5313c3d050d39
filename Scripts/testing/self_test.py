"""Shows that what goes wrong in a run of tests is said by name, and that everything else still counts.

    .venv/bin/python -m Scripts.testing.self_test
"""
import stat
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

from . import commands, interop, steps
from .pipeline import Outcome, Pipeline, Task
from .swifttests import Bundle
from .tiers import Table, shards

TESTS = """
import os, signal, threading, pytest
def test_one(): pass
@pytest.mark.timeout(1)
def test_hangs(): threading.Event().wait()
def test_two(): pass
def test_takes_its_process_down(): os.kill(os.getpid(), signal.SIGSEGV)
def test_fails(): assert 1 + 1 == 3
def test_skips(): pytest.skip("today")
def test_three(): pass
def test_leaves_a_thread(): threading.Thread(target=threading.Event().wait).start()
"""

# What a bundle of Swift tests would say: a test passes, the next one hangs or crashes; of those that are left, one fails.
BUNDLE = """#!/bin/bash
while [ $# -gt 0 ]; do
    case "$1" in --event-stream-output-path) out=$2 ;; --filter) filters="$filters $2" ;; esac
    shift
done
event() { printf '{"kind":"event","version":0,"payload":{"kind":"%s","testID":"M.S/%s()/S.swift:1:1","messages":[{"text":"%s"}]}}\\n' \
    "$1" "$2" "$3" >> "$out"; }
for test in first second third; do
    case "$filters" in *"$test"*) ;; *) continue ;; esac
    event testStarted "$test" ""
    if [ "$test" = second ]; then WAY; fi
    if [ "$test" = third ]; then event issueRecorded third "Expectation failed"; fi
    event testEnded "$test" ""
done
"""


class RunTests(unittest.TestCase):
    def setUp(self):
        commands.OUT.mkdir(parents=True, exist_ok=True)
        place = tempfile.TemporaryDirectory(dir=commands.OUT)
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def interop(self, *tests, **options):
        (self.folder / "test_it.py").write_text(TESTS)
        (self.folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
        source = (commands.ROOT / interop.FOLDER / "conftest.py").read_text()
        rule = source[source.index("@pytest.hookimpl(hookwrapper=True)"):].partition("\n\n\n")[0]
        (self.folder / "conftest.py").write_text(
            f"import sys\nimport pytest\nsys.path.insert(0, {str(commands.ROOT / interop.FOLDER)!r})\n"
            f"pytest_plugins = ['progress']\n{rule}\n")
        return interop.run_shard(
            "self-test", [f"test_it.py::test_{test}" for test in tests], folder=self.folder.relative_to(commands.ROOT), **options)

    def test_a_test_that_hangs_is_named_and_the_others_count(self):
        outcome = self.interop("one", "hangs", "two")
        self.assertEqual(outcome.passed, 2)
        self.assertRegex("".join(outcome.failures), "^test_it.py::test_hangs: hung: took longer than 1 s")

    def test_a_test_that_ends_its_process_is_named_and_the_others_count(self):
        outcome = self.interop("takes_its_process_down", "one", "fails", "skips", "three")
        self.assertEqual(outcome.passed, 2)
        self.assertRegex(outcome.failures[0], "^test_it.py::test_takes_its_process_down: its process ended with status")
        self.assertRegex(outcome.failures[1], "^test_it.py::test_fails: assert ")
        self.assertRegex(outcome.failures[2], "^test_it.py::test_skips: .*skipped test is a failure")

    def test_a_shard_that_hangs_after_its_tests_is_named_and_they_count(self):
        outcome = self.interop("one", "leaves_a_thread", beside=3)
        self.assertEqual(outcome.passed, 2)
        self.assertEqual(outcome.failures, [
            "self-test: all its tests passed, but hung while no test was under way; the shard's log has what it said"])

    def test_a_command_that_hangs_is_ended_with_what_it_started(self):
        began = time.monotonic()
        status, _ = commands.run("self-test-hang", ["sh", "-c", "sleep 60 & sleep 60"], longest=1)
        self.assertEqual(status, commands.HUNG)
        self.assertLess(time.monotonic() - began, 30)

    def test_a_namespace_that_fails_is_named_and_other_shards_count(self):
        tasks = [
            Task("broken", lambda: self.interop("one", "two", namespace=["sh", "-c", "echo no namespace >&2; exit 7"])),
            Task("whole", lambda: Outcome(3)), Task("late", lambda: Outcome(4), after=("broken",))]
        outcomes = Pipeline(tasks).run()
        self.assertRegex(outcomes["broken"].failures[0],
                         "^self-test: its process ended with status 7: no namespace; 2 tests not run: test_it.py::test_one")
        self.assertEqual(outcomes["whole"].passed, 3)
        self.assertEqual(outcomes["late"].failures, ["late: not run, since broken failed"])

    def test_what_measures_comes_last_and_shares_the_machine_with_its_like_alone(self):
        running, seen = set(), {}

        def task(name, **options):
            def run():
                running.add(name)
                time.sleep(0.2)
                seen[name] = set(running)
                time.sleep(0.2)
                running.discard(name)
                return Outcome(1)
            return Task(name, run, **options)
        Pipeline([
            task("alone", cores=steps.ALL_CORES, last=True), task("a", last=True), task("b", last=True), task("c", last=True),
            task("work"), task("wait", cores=0)], cores=2).run()
        self.assertEqual(seen["work"], {"work", "wait"})
        self.assertEqual(seen["alone"], {"alone"})
        self.assertEqual(max(len(seen[name]) for name in "abc"), 2)
        self.assertFalse(any(seen[name] & {"work", "wait", "alone"} for name in "abc"))

    def swift(self, way, limit):
        program = self.folder / "bundle"
        program.write_text(BUNDLE.replace("WAY", way))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return Bundle(program=str(program)).run_shard("self-test-swift", ["M.S/first()", "M.S/second()", "M.S/third()"], 1, limit)

    def test_a_swift_test_that_hangs_is_named_and_the_others_count(self):
        outcome = self.swift("exec sleep 60", limit=1)
        self.assertEqual(outcome.passed, 1)
        self.assertRegex(outcome.failures[0], r"^M.S/second\(\): hung")
        self.assertRegex(outcome.failures[1], r"^M.S/third\(\): Expectation failed")

    def test_a_swift_test_that_crashes_is_named_and_the_others_count(self):
        outcome = self.swift("kill -SEGV $$", limit=20)
        self.assertEqual(outcome.passed, 1)
        self.assertRegex(outcome.failures[0], r"^M.S/second\(\): its process ended with status")

    def test_the_table_finds_what_is_missing_and_cuts_the_rest(self):
        table = Table(textwrap.dedent("""\
            test\twork\t10\tM.S
            soak\twork\t1\ttest_a.py::test_b[two]
            smoke\twait\t5\ttest_a.py::test_b
            test\twork\t1\ttest_a.py::gone
            never\twork\t1\tM.T
            """))
        self.assertEqual(len(table.problems), 1)
        tests = ["test_a.py::test_b[one]", "test_a.py::test_b[two]", "test_a.py::test_c"]
        self.assertEqual(table.check(tests, "test_"), [
            "test_a.py::test_c: has no line in Tests/tiers.tsv",
            "test_a.py::gone: there is no such test, but a line in Tests/tiers.tsv"])
        self.assertEqual(table.row("test_a.py::test_b[two]").tier, "soak")
        self.assertEqual([(lane, len(names)) for lane, _, names in shards(table, ["M.S/a()", "M.S/b()", *tests[:2]], 6)],
                         [("work", 1), ("work", 1), ("work", 1), ("wait", 1)])


if __name__ == "__main__":
    unittest.main(verbosity=0)
