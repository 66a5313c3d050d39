"""The tasks of make test and of make smoke."""
import os
import re

from . import commands, interop
from .pipeline import Outcome, Task
from .swifttests import Bundle
from .tiers import chosen, shards

FLAGS = os.environ.get("SWIFT_BUILD_FLAGS", "-c release -Xswiftc -enable-testing").split()
# Smaller shards share the cores better, larger ones set less up twice: browsers, for interop tests.
LONGEST = 75
LONGEST_SWIFT = 40
# What a shard of interop tests is counted as: they wait for processes, pages and each other. Three on two cores instead of two
# made a whole run shorter by a tenth.
INTEROP_CORES = 2 / 3
ALL_CORES = float("inf")
MEASURING = ("paced", "alone")
WARNING = re.compile(r"^(?:/\S*?/)??((?:Sources|Tests)/[^:]+):\d+:\d+: warning: .*", re.M)


def full(table, steps):
    """What make test does. Products come first, so that what only waits can begin while the tests are compiled."""
    tasks = []
    if "lint" in steps:
        tasks += [Task("lint", lint), Task("runner", lambda: script("runner", interop.PYTHON, "-m", "Scripts.testing.self_test", passed=9))]
    if "build" in steps:
        # Counted as one core, so that lint runs beside them.
        tasks += [Task("products", lambda: build("products", FLAGS)),
                  Task("build", lambda: build("build", [*FLAGS, "--build-tests"]), after=("products",))]
    built = ("build",) if "build" in steps else ()
    if "interop" in steps:
        # What only waits is first in the list, for it runs beside whatever else does.
        tasks += interop_tasks(table, ("smoke", "test"), after=("products",) if built else (), after_work=built)
    if "swift" in steps:
        tasks.append(Task("swift", lambda: swift_tasks(table, Bundle(), ("smoke", "test"), seeds(50)), cores=0, after=built))
    if "apple" in steps:
        tasks.append(Task("apple", lambda: script(
            "apple", "Scripts/check-apple", "--platform", "macos", "--platform", "ios", passed=2), cores=2, after=built))
    if "examples" in steps:
        tasks.append(Task("examples", lambda: script("examples", "Scripts/check-examples"), after=built))
    return tasks


def smoke(table):
    """What make smoke does: on a build without optimization, which takes seconds after a changed line."""
    flags = ["-c", "debug", "--build-tests"]
    duet = {"DUET_BINARY": str(commands.ROOT / ".build/debug/duet"),
            "WEB_VIEW_PROBE": str(commands.ROOT / ".build/debug/WebViewProbe")}
    return [
        Task("lint", lint), Task("build", lambda: build("build", flags), cores=2),
        *interop_tasks(table, ("smoke",), ("build",), ("build",), duet),
        Task("swift", lambda: swift_tasks(table, Bundle("debug"), ("smoke",), seeds(2)), cores=0, after=("build",))]


def only(table, names):
    """The tests whose names contain one of `names`, with what is built."""
    problems = []

    def matching(tests):
        found = [test for test in tests if any(name in test for name in names)]
        problems.extend(f"{test}: has no line in Tests/tiers.tsv" for test in found if not table.row(test))
        return [test for test in found if table.row(test)]
    bundle = Bundle()
    tasks = [Task("tiers", lambda: Outcome(0, problems), cores=0)]
    tasks += [Task(f"interop-{number}", shard_of_interop(f"interop-{number}", shard), cores=INTEROP_CORES)
             for number, (_, _, shard) in enumerate(shards(table, matching(interop.collect()), LONGEST), 1)]
    return tasks + [Task(f"swift-{number}", shard_of_swift(bundle, f"swift-{number}", shard, seconds, seeds(50)))
                    for number, (_, seconds, shard) in enumerate(shards(table, matching(bundle.collect()), LONGEST), 1)]


def seeds(count):
    """How many networks a simulation tries: DUET_SEEDS says otherwise."""
    return int(os.environ.get("DUET_SEEDS", count))


# One task each


def lint():
    status, words = commands.run("lint", ["Scripts/lint"])
    problems = re.findall(r"^\S+:\d+(?::\d+)?: .*$", words, re.M)
    return Outcome(0 if status else 1, problems or (["lint: Scripts/lint failed"] if status else []))


def build(name, flags):
    """Builds; a warning of ours is a failure."""
    status, words = commands.run(name, ["Scripts/build", *flags])
    if status:
        errors = re.findall(r"^.*error: .*$", words, re.M)[:5]
        return Outcome(0, [f"{name}: does not build: {error}" for error in errors or [commands.last_lines(words)]])
    for match in WARNING.finditer(words):
        # Nothing would say it again at the next run if the file were not compiled again.
        (commands.ROOT / match.group(1)).touch()
    warnings = sorted({match.group(0) for match in WARNING.finditer(words)})
    return Outcome(0 if warnings else 1, warnings)


def script(name, *command, passed=1):
    status, words = commands.run(name, command)
    return Outcome(0, [f"{name}: {commands.last_lines(words)}"]) if status else Outcome(passed)


def interop_tasks(table, tiers, after, after_work, environment=None, without=()):
    """The interop tests' shards, the ones that only wait first, but for those whose names begin with one of `without`."""
    tests = interop.collect()
    problems = table.check(tests, "test_")
    tasks = [Task("tiers", lambda: Outcome(0 if problems else 1, problems), cores=0)]
    wanted = [test for test in chosen(table, tests, tiers) if not test.startswith(tuple(without))]
    found = shards(table, wanted, LONGEST)
    # Of those that measure, the ones that have the machine to themselves come after the others.
    found.sort(key=lambda shard: (shard[0] != "wait", shard[0] == "alone", -shard[1]))
    for number, (lane, seconds, shard) in enumerate(found, 1):
        name = f"interop-{number}-{lane}"
        tasks.append(Task(
            name, shard_of_interop(name, shard, environment), cores=cores(lane, INTEROP_CORES),
            after=after if lane == "wait" else after_work, last=lane in MEASURING))
    return tasks


def swift_tasks(table, bundle, tiers, seeds, patience=10, without=()):
    """The Swift tests' shards, which are known only when they are built, but for those that begin with one of `without`."""
    tests = bundle.collect()
    problems = table.check(tests, tuple(sorted({test.partition(".")[0] + "." for test in tests})))
    wanted = [test for test in chosen(table, tests, tiers) if not test.startswith(tuple(without))]
    tasks = []
    for number, (lane, seconds, shard) in enumerate(
            sorted(shards(table, wanted, LONGEST_SWIFT), key=lambda shard: (shard[0] == "alone", -shard[1])), 1):
        name = f"swift-{number}-{lane}"
        tasks.append(Task(
            name, shard_of_swift(bundle, name, shard, seconds, seeds, patience), cores=cores(lane, 1), last=lane in MEASURING))
    return Outcome(0, problems, more=tasks)


def cores(lane, working):
    """The cores that a shard of this lane keeps busy. `working`: of the lane work."""
    return {"work": working, "wait": 0, "paced": 1, "alone": ALL_CORES}[lane]


def shard_of_interop(name, tests, environment=None):
    return lambda: interop.run_shard(name, tests, environment)


def shard_of_swift(bundle, name, tests, seconds, seeds, patience=10):
    # A busy machine may take ten times as long; only what hangs meets this limit.
    return lambda: bundle.run_shard(name, tests, seeds, limit=max(240, patience * seconds))
