"""The parts of make soak. Each is a function that makes the tasks of one; its first line is what the list says of it."""
import os

from . import commands, interop, steps
from .pipeline import Outcome, Task
from .swifttests import Bundle
from .tiers import TIERS, shards

SANITIZER_SEEDS = int(os.environ.get("DUET_SANITIZER_SEEDS", 50))
# Optimized, or the simulations take hours, with what debug builds assert.
ASSERTING = ["-c", "release", "-Xswiftc", "-enable-testing", "-Xswiftc", "-assert-config", "-Xswiftc", "Debug"]

# They count allocations, which the sanitizers' own allocator does not tell.
COUNTING = ("RTCSimulationTests.AllocationTests/", "RTCSimulationTests.MediaAllocationTests/")

# Has a part of its own.
NETWORK = "test_network.py::test_nobody_starves"
# The same, which builds their server.
HUMMINGBIRD = "test_hummingbird.py::"


def sanitized(table, name, environment):
    """The Swift tests under a sanitizer, in a build of its own."""
    scratch = f".build-{name}"
    flags = [*ASSERTING, "--build-tests", f"--sanitize={name}", "--scratch-path", scratch]
    bundle = Bundle(scratch=scratch, environment=environment)
    return [
        Task("build", lambda: steps.build(f"build-{name}", flags), cores=2),
        Task("swift", lambda: steps.swift_tasks(table, bundle, TIERS, SANITIZER_SEEDS, 60, COUNTING), cores=0, after=("build",))]


def address(table):
    """All Swift tests under the address sanitizer"""
    # Not leaks: the test library and the event loops keep theirs until the process ends. That a closed connection frees everything
    # has tests of its own.
    return sanitized(table, "address", {"ASAN_OPTIONS": "detect_leaks=0"})


def thread(table):
    """All Swift tests under the thread sanitizer"""
    # Swift's runtime has to be explained to it: see the file.
    library = commands.ROOT / ".build-thread/libruntime.so"
    library.parent.mkdir(exist_ok=True)
    explain = Task("runtime", lambda: steps.script(
        "runtime", "clang", "-shared", "-fPIC", "-O1", "-o", library, "Tests/Sanitizers/runtime.c", "-ldl"))
    return [explain, *sanitized(table, "thread", {"LD_PRELOAD": str(library)})]


def seeds(table):
    """Thousands of simulated networks, users and faults (DUET_SEEDS, 2,000)"""
    count = steps.seeds(2_000)
    os.environ["DUET_CALLS"] = str(min(count, 1_000))  # of one kit, one after another
    bundle = Bundle()

    def tests():
        names = [name for name in bundle.collect() if table.row(name) and name.startswith(("RTCSimulationTests.", "WebRTCKitTests."))]
        return Outcome(0, [], [
            Task(f"seeds-{number}", steps.shard_of_swift(bundle, f"seeds-{number}", shard, seconds, count, patience=400))
            for number, (_, seconds, shard) in enumerate(shards(table, names, steps.LONGEST / 4), 1)])
    return [*built(), Task("swift", tests, cores=0, after=("build",))]


def interop_tests(table):
    """The interop tests that make test leaves out: full cross products"""
    return [*built(), *steps.interop_tasks(table, ("soak",), after=("build",), after_work=("build",), without=(NETWORK, HUMMINGBIRD))]


def network(table):
    """Calls across every narrow link of Tests/Networks, between two of ours and with Chromium"""
    tests = [test for test in interop.collect() if test.startswith(NETWORK)]
    # Each has the machine to itself: two encoders, two decoders and two who look on are enough for it.
    return [*built(), *(
        Task(f"network-{number}", steps.shard_of_interop(f"network-{number}", shard), cores=2, after=("build",))
        for number, shard in enumerate([tests[at:at + 4] for at in range(0, len(tests), 4)], 1))]


def hummingbird(table):
    """The example of a Hummingbird application, built from nothing, and calls through it"""
    scratch = ".build-hummingbird"
    tests = [test for test in interop.collect() if test.startswith(HUMMINGBIRD)]
    server = {"DUET_SERVE": f"{commands.ROOT / scratch / 'release/server'} {{port}}"}
    flags = ["-c", "release", "--package-path", "Examples/HummingbirdServer", "--scratch-path", scratch]
    return [*built(),
            Task("example", lambda: steps.script("example", "Scripts/build", *flags), cores=2, after=("build",)),
            Task("calls", steps.shard_of_interop("hummingbird", tests, server), after=("example",))]


def devices(table):
    """A camera opened and closed 1,000 times, and PulseAudio's own server for more than a minute"""
    def chosen_tests(word):
        return [test for test in interop.collect() if test.startswith("test_devices.py") and word in test]
    return [*built(),
            Task("cycles", steps.shard_of_interop("cycles", chosen_tests("leaves_nothing_behind"), {"DUET_CYCLES": "1000"}),
                 after=("build",)),
            Task("pulseaudio", steps.shard_of_interop("pulseaudio", chosen_tests("pulseaudio_itself"),
                                                      {"DUET_PULSEAUDIO_SECONDS": "70"}), cores=0, after=("build",))]


def traits(table):
    """A build without any trait: no web view, no devices; and a data channel between two of its processes"""
    flags = ["-c", "release", "--disable-default-traits", "--scratch-path", ".build-plain", "--product"]
    return [Task("build", lambda: steps.build("build-plain", [*flags, "duet"]), cores=2),
            Task("demo", lambda: steps.build("build-plain-demo", [*flags, "duet-demo"]), cores=2, after=("build",)),
            Task("data", lambda: steps.script("data", "Scripts/in-namespace", ".build-plain/release/duet-demo", "data"),
                 after=("demo",))]


def dist(table):
    """The tarball of make dist, run in a root that has nothing but the C library"""
    return [Task("dist", lambda: steps.script("dist", "Scripts/check-dist"), cores=2)]


def headers(table):
    """The declarations of GTK, WebKitGTK, GStreamer, GIO and libsecret against those libraries' own headers"""
    return [Task("headers", lambda: steps.script("headers", "Scripts/check-headers", passed=6))]


def apple(table):
    """Apple's platforms from nothing, with the tests"""
    return [Task("packages", lambda: steps.script("packages", "swift", "package", "resolve")),
            Task("apple", lambda: steps.script("apple", "Scripts/check-apple", "--all", "--tests", passed=4), cores=2,
                 after=("packages",))]


def debian_12(table):
    """make demo and make smoke in a new Debian 12, as root and as an ordinary user"""
    return [Task("debian-12", lambda: steps.script("debian-12", "Scripts/check-distributions", "12", passed=4), cores=2)]


def debian_13(table):
    """make demo and make smoke in a new Debian 13, as root and as an ordinary user"""
    return [Task("debian-13", lambda: steps.script("debian-13", "Scripts/check-distributions", "13", passed=4), cores=2)]


def built():
    return [Task("build", lambda: steps.build("build", [*steps.FLAGS, "--build-tests"]), cores=2)]


PARTS = {"address": address, "thread": thread, "seeds": seeds, "interop": interop_tests, "network": network,
         "hummingbird": hummingbird, "devices": devices,
         "traits": traits, "dist": dist, "headers": headers, "apple": apple, "debian-12": debian_12, "debian-13": debian_13}
