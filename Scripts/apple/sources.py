"""What is compiled besides the package's own list: which target for which system, and the code of apps."""
import re
from pathlib import Path

from .packages import Target
from .platforms import ROOT

# Programs are for a Mac's command line. Everything else is for every system.
ONLY_ON_MACOS = {"duet", "DuetTests"}

# What Package.swift leaves out elsewhere: programs that drive Linux's own windows and devices, and the tests that start them.
ONLY_ON_LINUX = {"DeviceProbe", "WindowProbe", "WebViewProbe", "RTCViewsTests"}

# Apps see what an app sees, with an app's settings: they are no part of the package. Each is compiled twice, the second time with
# everything on the main actor unless it says otherwise, as new projects of Xcode 26 have it.
APPS = [("VideoCallApp", "Examples/VideoCallApp/Sources"), ("AppleSnippets", "Scripts/AppleSnippets"),
        ("PortedApp", "Tests/Kit/WebRTCKitSnippetTests/Ported")]
PROGRAMS = "Examples/CommandLineCaller/Sources"


def targets(packages, platform, with_tests=False):
    """The names of our targets that a system gets; the tests too, if wished for."""
    return [
        target.name for target in packages.targets.values()
        if target.ours and target.kind == "swift"
        and (target.folder.is_relative_to(ROOT / "Sources") or with_tests and target.name not in ONLY_ON_LINUX)
        and (platform.system == "macos" or target.name not in ONLY_ON_MACOS)]


def apps(with_tests=False):
    products = ["WebRTCKit", "OAuth", "RTCDevices", "RTCViews", "RTCWebView", "RTCWebCall"]
    strict = {"tool": "swift", "kind": {"enableUpcomingFeature": {"_0": "ExistentialAny"}}}
    # Written when nobody wrote `any`.
    written_before = {"PortedApp"}
    on_main = {"tool": "swift", "kind": {"defaultIsolation": {"_0": "MainActor"}}}
    for name, folder in APPS:
        own = [] if name in written_before else [strict]
        for module, settings in [(name, own), (f"{name}OnMain", [*own, on_main])]:
            yield Target(
                module, module, ROOT / folder, "swift", True, False, False,
                depends=[("byName", product, None) for product in products], settings=settings, language="6")
    for folder in sorted((ROOT / PROGRAMS).iterdir()) if with_tests else []:
        module = folder.name.replace("-", "_")
        yield Target(
            module, module, folder, "swift", True, False, True, depends=[("byName", "WebRTCKit", None)], settings=[strict],
            language="6")


def isolated_deinits():
    """Its runtime comes with iOS 18.4 and macOS 15.4; the compiler says nothing."""
    found = []
    for path in sorted(Path(ROOT / "Sources").rglob("*.swift")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"(^|[^n])isolated deinit", line):
                found.append(f"{path.relative_to(ROOT)}:{number}: isolated deinit is newer than the floor: "
                             "let go of Sendable properties in a plain deinit")
    return found
