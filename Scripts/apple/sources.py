"""What is compiled besides the package's own targets: the target for each system, and the code of apps."""
import re
from pathlib import Path

from .packages import Target
from .platforms import ROOT

# Programs are for the Mac's command line. Everything else is for every system.
ONLY_ON_MACOS = {"duet", "duet-demo", "duet-benchmarks", "DuetShell", "DuetTests", "DuetDemoTests", "DuetShellTests"}

# Targets that Package.swift includes on Linux only: programs that use Linux's windows and devices, and the tests that start them.
ONLY_ON_LINUX = {"DeviceProbe", "WindowProbe", "WebViewProbe", "RTCViewsTests"}

# Apps are outside of the package, and see what an app sees, with an app's settings. Each is compiled twice, the second time with
# the main actor as default isolation, as in new projects of Xcode 26.
APPS = [("VideoCallApp", "Examples/VideoCallApp/Sources"), ("AppleSnippets", "Scripts/AppleSnippets"),
        ("PortedApp", "Tests/Kit/WebRTCKitSnippetTests/Ported")]
PROGRAMS = "Examples/CommandLineCaller/Sources"


def targets(packages, platform, with_tests=False):
    """The names of our targets for a system; the tests too, if requested."""
    return [
        target.name for target in packages.targets.values()
        if target.ours and target.kind == "swift"
        and (target.folder.is_relative_to(ROOT / "Sources") or with_tests and target.name not in ONLY_ON_LINUX)
        and (platform.system == "macos" or target.name not in ONLY_ON_MACOS)]


def apps(with_tests=False):
    products = ["WebRTCKit", "OAuth", "RTCDevices", "RTCMediaFiles", "RTCViews", "RTCWebView", "RTCWebCall"]
    strict = {"tool": "swift", "kind": {"enableUpcomingFeature": {"_0": "ExistentialAny"}}}
    # Written before `any` existed.
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
    """Their runtime requires iOS 18.4 and macOS 15.4, which the compiler does not report."""
    found = []
    for path in sorted(Path(ROOT / "Sources").rglob("*.swift")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"(^|[^n])isolated deinit", line):
                found.append(f"{path.relative_to(ROOT)}:{number}: isolated deinit is newer than the floor: "
                             "let go of Sendable properties in a plain deinit")
    return found
