"""Creates an SDK for one of Apple's systems: C headers, frameworks as headers, and Swift overlays.

Darwin's C headers come from a wheel (requirements.txt), through pip. The rest is ours: darwin/ (a module map and what the wheel
lacks), frameworks/ (Objective-C headers, one folder per framework) and overlays/ (textual interfaces of Swift-only API).
"""
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from . import cache, toolchain
from .cache import Failed, Stamps, digest, file_digest, files_digest, mirror, prune
from .platforms import WORK

HERE = Path(__file__).resolve().parent

# The modules below all frameworks: a target that imports nothing else of the system is not recompiled when a framework changes.
LOWEST = ["Darwin", "ObjectiveC", "Dispatch"]


@dataclass(frozen=True)
class Prepared:
    """The state of an SDK, as digests: the standard library, with C, and with the frameworks."""

    library: str
    lowest: str
    whole: str


INSIDE_THE_WHEEL = "ziglang/lib/libc/include/any-darwin-any/"


def c_headers():
    """The folder of Darwin's C headers, downloaded once for each version of the wheel."""
    requirements = HERE / "requirements.txt"
    folder = WORK / f"headers-{file_digest(requirements)}"
    if folder.is_dir():
        return folder
    wheels = WORK / "wheels"
    got = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
         "--dest", wheels, "--requirement", requirements], capture_output=True, text=True)
    found = sorted(wheels.glob("ziglang-*.whl"))
    if got.returncode or not found:
        raise Failed("pip could not download the wheel with Darwin's C headers (Scripts/apple/requirements.txt)", got.stderr)
    unpacked = WORK / "headers-unpacked"
    with zipfile.ZipFile(found[-1]) as wheel:
        for name in wheel.namelist():
            if name.startswith(INSIDE_THE_WHEEL) and not name.endswith("/"):
                target = unpacked / name[len(INSIDE_THE_WHEEL):]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(wheel.read(name))
    unpacked.rename(folder)
    for wheel in found:
        wheel.unlink()
    return folder


def table():
    """The systems of each framework that is not available everywhere."""
    rows = {}
    path = HERE / "frameworks/platforms"
    for line in path.read_text().splitlines() if path.exists() else []:
        fields = line.split("#")[0].split()
        if fields:
            rows[fields[0]] = fields[1:]
    return rows


def on_platform(name, platform):
    systems = table().get(name)
    return systems is None or platform.system in systems


def frameworks(platform):
    found = [path for path in sorted((HERE / "frameworks").iterdir()) if path.is_dir() and on_platform(path.name, platform)]
    return [path for path in found if any(path.glob("*.h"))]


def overlays(platform):
    """The folders of overlays, lowest first."""
    order = HERE / "overlays/order"
    names = [line.split("#")[0].strip() for line in order.read_text().splitlines()] if order.exists() else []
    folders = [HERE / "overlays" / name for name in names if name]
    return [folder for folder in folders if folder.is_dir() and on_platform(folder.name, platform)]


def mended(path):
    """NSObject's header with what Apple specifies in API notes: its initializers never return nil. None: unchanged."""
    if path.parts[-2:] != ("objc", "NSObject.h"):
        return None
    return re.sub(r"([-+]) \(instancetype\)(init|new|alloc)\b", r"\1 (instancetype _Nonnull)\2", path.read_text())


def assemble(platform):
    """Writes the SDK's headers, and returns the digests of the C headers and of the frameworks."""
    sdk = platform.work / "sdk"
    wanted = []

    def put(source, target, words=None):
        mirror(source, target, words)
        wanted.append(target)

    headers = c_headers()
    for base in [headers, HERE / "darwin"]:
        for path in sorted(base.rglob("*")):
            if path.is_file():
                put(path, sdk / "usr/include" / path.relative_to(base), mended(path))
    for folder in frameworks(platform):
        framework = sdk / f"System/Library/Frameworks/{folder.name}.framework"
        for path in sorted(folder.rglob("*.h")):
            put(path, framework / "Headers" / path.relative_to(folder))
        given = folder / "module.modulemap"
        words = given.read_text() if given.exists() else (
            f"framework module {folder.name} [system] {{\n    umbrella header \"{folder.name}.h\"\n    export *\n"
            "    module * { export * }\n}\n")
        put(None, framework / "Modules/module.modulemap", words)
    prune(sdk, wanted)
    c = [path for path in wanted if path.is_relative_to(sdk / "usr")]
    return files_digest(c, sdk), files_digest(set(wanted) - set(c), sdk)


def flags(platform):
    """The flags of every compilation for a platform."""
    return [
        "-target", platform.target, "-sdk", platform.work / "sdk", "-resource-dir", platform.work / "resources",
        "-module-cache-path", platform.work / "cache", "-I", platform.work / "overlays", "-enable-objc-interop",
        "-plugin-path", toolchain.library() / "host/plugins", "-plugin-path", toolchain.library() / "host/plugins/testing"]


def compile_overlays(platform, below, headers):
    """Compiles the Swift overlays, and returns the digests of the lowest of them, and of all."""
    stamps = Stamps(platform.work / "stamps")
    made = platform.work / "overlays"
    made.mkdir(exist_ok=True)
    present = {folder.name for folder in frameworks(platform)} | {"Darwin", "Dispatch", "ObjectiveC"}
    wanted = set()
    before, lowest = below, None
    for folder in overlays(platform):
        module = folder.name
        if module not in LOWEST and lowest is None:
            lowest, before = before, digest(before, headers)
        sources = sorted(folder.glob("*.swiftinterface"))
        told = ["-swift-version 5 -enable-library-evolution -module-name", module, "-target", platform.target]
        if module in present:
            told.append("-import-underlying-module")
        words = "// swift-interface-format-version: 1.0\n// swift-compiler-version: Swift version 6.3.1\n"
        words += f"// swift-module-flags: {' '.join(told)}\nimport Swift\nimport _Concurrency\nimport _StringProcessing\n" + "".join(path.read_text() for path in sources)
        inputs = digest(before, words)
        output = made / f"{module}.swiftmodule"
        wanted.add(output)
        done = stamps.read(f"overlay-{module}", inputs) if output.exists() else None
        if done is None:
            interface = platform.work / f"interfaces/{module}.swiftinterface"
            interface.write_text(words)
            output.unlink(missing_ok=True)
            status, said = cache.run([
                toolchain.swiftc(), "-frontend", "-compile-module-from-interface", "-o", output, *flags(platform), "-module-name",
                module, "-suppress-warnings", interface])
            if status:
                raise Failed(f"the Swift face of {module} does not compile", said)
            done = file_digest(output)
            stamps.write(f"overlay-{module}", inputs, done)
        before = digest(before, done)
    prune(made, wanted)
    return lowest, before


def prepare(platform):
    """Prepares an SDK with which modules can be compiled, and returns its digests."""
    platform.work.mkdir(parents=True, exist_ok=True)
    library = toolchain.prepare(platform)
    c, headers = assemble(platform)
    return Prepared(library, *compile_overlays(platform, digest(library, c, platform.target), headers))
