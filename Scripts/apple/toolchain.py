"""The Linux toolchain, with its standard library prepared for one of Apple's systems.

The toolchain contains the textual interfaces of its standard library, with availability. They are rewritten for the target,
extended with the library's API for Apple's systems (stdlib/), and compiled into a resource folder of the platform.
"""
import re
import subprocess
from functools import cache
from pathlib import Path

from . import cache as steps
from .cache import Failed, Stamps, digest, file_digest

HERE = Path(__file__).resolve().parent

# Lowest first. Testing is for the tests.
STANDARD_LIBRARY = [
    "Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "Synchronization", "Observation", "_Builtin_float", "Testing",
]


@cache
def swiftc():
    path = steps.which("swiftc")
    if not path:
        raise SystemExit("check-apple: no swiftc in PATH: install a Swift toolchain (swift.org/install)")
    return Path(path).resolve().parent / "swiftc"


@cache
def library():
    return swiftc().parents[1] / "lib/swift"


@cache
def version():
    return subprocess.run([swiftc(), "--version"], capture_output=True, text=True, check=True).stdout


@cache
def host():
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{machine}-unknown-linux-gnu"


def on_visionos(match):
    """An API available on some iOS is available on visionOS: Apple's SDK has a table of versions, which the library's interfaces
    lack."""
    words = match[0]
    found = re.search(r"\biOS (\d+)(?:\.(\d+))?", words)
    if "visionOS" in words or not found:
        return words
    major, minor = int(found[1]), int(found[2] or 0)
    version = "1.0" if major < 17 else f"1.{1 if minor >= 4 else 0}" if major == 17 else f"2.{minor}" if major == 18 else f"{major}.{minor}"
    return words.replace(found[0], f"{found[0]}, visionOS {version}", 1)


def with_visionos(words):
    """Swift source whose availability names visionOS wherever it names iOS."""
    return re.sub(r"available\([^)]*\)", on_visionos, words)


def rewritten(words, platform):
    """An interface of the Linux library, for another target.

    The interface is compiled without the availability check, because it declares availability itself. The bodies of @backDeployed
    functions do not compile for an old target outside of their module, so the attribute is removed. A mutex uses Linux's thread
    identifiers, and ARM has no Float80, so two functions that are in C elsewhere are empty.
    """
    words = words.replace(f"-target {host()}", f"-target {platform.target} -disable-availability-checking")
    if platform.system == "visionos":
        words = with_visionos(words)
    words = words.replace("-disable-objc-interop", "-enable-objc-interop")
    words = re.sub(r"(?m)^ *@backDeployed\(.*\n", "", words)
    words = re.sub(r"(?m)^(internal |public |private )?import (Glibc|_TestingInterop|_TestingInternals)\b.*\n", "", words)
    words = words.replace("_swift_stdlib_gettid()", "UInt32(0)")
    return re.sub(r"self = _stdlib_(remainder|squareRoot)l\(.*", "_ = self", words)


def prepare(platform):
    """Compiles the standard library for a platform, and returns its digest."""
    resources = platform.work / "resources"
    folder = resources / platform.library
    folder.mkdir(parents=True, exist_ok=True)
    for name in ["shims", "clang", "apinotes"]:
        link = resources / name
        if not link.exists():
            link.symlink_to(library() / name)
    stamps = Stamps(platform.work / "stamps")
    before = digest(version(), platform.target)
    for module in STANDARD_LIBRARY:
        source = library() / f"linux/{module}.swiftmodule/{host()}.swiftinterface"
        if not source.exists():
            raise Failed(f"this toolchain has no textual interface of {module} under {library()}/linux")
        words = rewritten(source.read_text(), platform)
        extra = HERE / f"stdlib/{module}.swiftinterface"
        if extra.exists():
            words += extra.read_text()
        inputs = digest(before, words)
        made = folder / f"{module}.swiftmodule/{platform.triple}.swiftmodule"
        output = stamps.read(f"stdlib-{module}", inputs) if made.exists() else None
        if output is None:
            made.parent.mkdir(parents=True, exist_ok=True)
            interface = platform.work / f"interfaces/{module}.swiftinterface"
            interface.parent.mkdir(parents=True, exist_ok=True)
            interface.write_text(words)
            command = [
                swiftc(), "-frontend", "-compile-module-from-interface", "-o", made, "-target", platform.target, "-resource-dir",
                resources, "-module-cache-path", platform.work / "cache", "-module-name", module, "-suppress-warnings",
                "-enable-objc-interop", "-plugin-path", library() / "host/plugins"]
            if "-parse-stdlib" in words[:3000]:
                command.append("-parse-stdlib")
            status, said = steps.run([*command, interface])
            if status:
                raise Failed(f"the standard library's {module} does not compile", said)
            output = file_digest(made)
            stamps.write(f"stdlib-{module}", inputs, output)
        before = digest(before, output)
    return before
