"""From samples to figures: the minimum, the median and the maximum of each, and where they come from."""
import importlib.metadata
import os
import platform
import re
import shutil
import statistics
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FIGURES = {
    "throughput": ["megabytesPerSecond", "cpuSecondsPerGB"],
    "direct throughput": ["megabytesPerSecond", "cpuSecondsPerGB"],
    "relayed throughput": ["megabytesPerSecond", "cpuSecondsPerGB"],
    "setup": ["medianMs"],
    "relayed setup": ["medianMs", "minimumMs"],
    "memory": ["kibibytesPerPair"],
    "firstFrame": ["medianMs"],
    "call": ["cpuSecondsPerSecond", "framesPerSecond", "coresPer30Frames", "kilobitsPerSecond", "width"],
    "delay": ["medianMs", "p95Ms", "encodeMs", "decodeMs", "ownMs"],
    "packets": ["receivedPerSecond", "sentPerSecond"],
    "narrow throughput": ["megabytesPerSecond", "linkShare"],
    "network": ["goodputKbps", "linkShare", "queueMedianMs", "queueP95Ms", "frozenSeconds", "longestGapMs", "picturesPerSecond",
                "psnr", "ssim", "soundTornShare", "soundLateP95Ms", "rampSeconds", "drainSeconds"],
}
"""What is published of each benchmark."""


def rounded(value):
    """Four digits that count."""
    return float(f"{value:.4g}")


def summary(samples):
    """One entry for each figure of each benchmark, peer and size or codec.

    Samples that were disturbed count only where there are no others, and then the figure says so.
    """
    groups = {}
    for sample in samples:
        groups.setdefault((sample["benchmark"], sample["peer"], sample.get("of")), []).append(sample)
    entries = []
    for (benchmark, peer, of), group in groups.items():
        clean = [sample for sample in group if not sample["disturbed"]]
        for figure in FIGURES[benchmark]:
            values = [sample[figure] for sample in clean or group if sample.get(figure) is not None]
            if values:
                entries.append({
                    "benchmark": benchmark, "peer": peer, "of": of, "figure": figure, "minimum": rounded(min(values)),
                    "median": rounded(statistics.median(values)), "maximum": rounded(max(values)),
                    "samples": len(values), "disturbed": not clean})
    return entries


def output(*command):
    """What a program says of itself, or None where it is not there."""
    try:
        return subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=60).stdout.strip() or None
    except FileNotFoundError:
        return None


def found(pattern, text):
    match = re.search(pattern, text or "")
    return match[1] if match else None


def libdatachannel_version(path):
    """From the end of the library's name, and whose build it is."""
    version = found(r"\.so\.([0-9.]+)$", str(Path(path).resolve())) or "of unknown version"
    wheel = "pylibdatachannel" in str(path)
    if not wheel:
        return version
    return f"{version} (pylibdatachannel {importlib.metadata.version('pylibdatachannel')}, compiled unoptimized)"


def versions(libdatachannel):
    package = ("dpkg-query", "-W", "-f", "${Version}")
    commit = output("git", "rev-parse", "--short=10", "HEAD")
    changed = output("git", "status", "--porcelain", "--untracked-files=no", "--", "Sources", "Package.swift")
    found_versions = {
        "duet": commit and commit + (" with changes" if changed else ""),
        "swift": found(r"Swift version ([0-9.]+)", output("swift", "--version")),
        "libdatachannel": libdatachannel_version(libdatachannel),
        "pion": found(r"([0-9.]+)", output(*package, "golang-github-pion-webrtc.v3-dev")),
        "go": found(r"go([0-9.]+)", output("go", "version")),
        "chromium": found(r"([0-9.]+)", output(next(filter(shutil.which, ("chromium-headless-shell", "chromium")), "chromium"), "--version")),
        "aiortc": importlib.metadata.version("aiortc"),
        "python": platform.python_version(),
        "coturn": found(r"([0-9]+\.[0-9.]+)", output("turnserver", "--version")),
        "linux": found(r"([0-9.]+)", platform.release()),
    }
    return {name: version for name, version in found_versions.items() if version}


def processor():
    return found(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) or platform.machine()


def chapter(samples, options, failures, libdatachannel):
    """What one chapter of the results holds."""
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()), "processor": processor(), "cores": os.cpu_count(),
        "versions": versions(libdatachannel), "rounds": options.rounds, "seconds": options.seconds,
        "measuredAgain": sum(sample["tries"] - 1 for sample in samples),
        "disturbedSamples": sum(sample["disturbed"] for sample in samples), "samples": len(samples),
        "failures": failures, "figures": summary(samples)}
