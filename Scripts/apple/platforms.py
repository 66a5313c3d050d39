"""The systems that the package is compiled for, and their minimum versions from Package.swift."""
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".build/apple"


@dataclass(frozen=True)
class Platform:
    name: str  # in what the check says
    folder: str  # of the work, and in the frameworks' tables
    system: str  # what SwiftPM calls it
    library: str  # the folder of the standard library in the resources
    triple: str  # of the modules
    target: str  # for the compiler, with the least version

    @property
    def work(self):
        return WORK / self.folder


def least(system):
    """The minimum version of a system: `.iOS(.v18)` gives 18.0."""
    found = re.search(rf"\.{system}\(\.v(\d+)(?:_(\d+))?\)", (ROOT / "Package.swift").read_text())
    if not found:
        raise SystemExit(f"check-apple: no .{system}(.vN) in Package.swift")
    return f"{found[1]}.{found[2] or 0}"


def every():
    macos, ios, visionos = least("macOS"), least("iOS"), least("visionOS")
    return [
        Platform(f"macOS {macos}", "macos", "macos", "macosx", "arm64-apple-macos", f"arm64-apple-macos{macos}"),
        Platform(f"iOS {ios}", "ios", "ios", "iphoneos", "arm64-apple-ios", f"arm64-apple-ios{ios}"),
        Platform(
            f"iOS {ios} simulator", "ios-simulator", "ios", "iphonesimulator", "arm64-apple-ios-simulator",
            f"arm64-apple-ios{ios}-simulator"),
        Platform(
            f"visionOS {visionos}", "visionos", "visionos", "xros", "arm64-apple-xros", f"arm64-apple-xros{visionos}"),
    ]
