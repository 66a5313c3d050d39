"""Faults that the check must refuse: if it accepts one, the check proves nothing.

Each file in faults/ is one; its first lines say on which systems and with which message it is refused:
    // on: macos ios
    // refused: init\(coder:\).* must be provided
"""
import re

from . import cache, sdk, toolchain
from .cache import Failed, Stamps, digest, file_digest

HERE = sdk.HERE


def head(path):
    words = path.read_text()
    systems = re.search(r"(?m)^// on: (.*)", words)
    reason = re.search(r"(?m)^// refused: (.*)", words)
    if not systems or not reason:
        raise Failed(f"{path.name} does not say where and why it is refused")
    return systems[1].split(), reason[1]


def check(platform, prepared):
    """Compiles every fault of a platform; returns how many were refused."""
    stamps = Stamps(platform.work / "stamps")
    refused = 0
    for path in sorted((HERE / "faults").glob("*.swift")):
        systems, reason = head(path)
        if platform.system not in systems:
            continue
        inputs = digest(prepared.whole, file_digest(path))
        if stamps.read(f"fault-{path.stem}", inputs) is None:
            status, words = cache.run([
                toolchain.swiftc(), "-frontend", "-emit-sil", "-o", "/dev/null", "-module-name", path.stem, "-parse-as-library",
                "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature",
                "MemberImportVisibility", "-warnings-as-errors", *sdk.flags(platform), path])
            if not status:
                raise Failed(f"{platform.name}: {path.name} was compiled, and is a fault: the check proves nothing")
            if not re.search(reason, words):
                raise Failed(f"{platform.name}: {path.name} was refused, but not with “{reason}”", words)
            stamps.write(f"fault-{path.stem}", inputs, True)
        refused += 1
    return refused
