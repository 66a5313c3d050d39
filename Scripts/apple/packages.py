"""The targets to compile and their settings, read from the manifests as the package manager does."""
import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .cache import Failed, digest, file_digest
from .platforms import ROOT, WORK


@dataclass
class Target:
    name: str
    package: str
    folder: Path
    kind: str  # "swift" or "c"
    ours: bool
    test: bool
    executable: bool
    depends: list = field(default_factory=list)  # (name, the systems it is for or None), products resolved to targets
    excluded: list = field(default_factory=list)
    settings: list = field(default_factory=list)
    listed: list = field(default_factory=list)  # the only sources, where the manifest lists them
    language: str = "5"

    @property
    def module(self):
        """The name of its module, as the package manager makes it of the target's."""
        return self.name.replace("-", "_")

    def sources(self):
        """The files that the package manager compiles."""
        found = []
        # A folder may be a symbolic link.
        paths = (Path(folder) / name for folder, _, names in os.walk(self.folder, followlinks=True) for name in names)
        for path in sorted(path for path in paths if path.suffix == ".swift"):
            inside = path.relative_to(self.folder)
            if ".docc" in str(inside) or any(str(inside) == out or str(inside).startswith(out + "/") for out in self.excluded):
                continue
            found.append(path)
        return found

    def c_sources(self):
        """The files that the package manager compiles of a C target."""
        return [self.folder / name for name in self.listed] or [
            path for path in sorted(self.folder.rglob("*.c"))
            if not any(path.is_relative_to(self.folder / out) for out in self.excluded)]

    def c_settings(self, platform):
        """The compiler's flags for C on a system."""
        told = []
        for setting in self.settings:
            if setting["tool"] == "c" and applies(setting.get("condition"), platform):
                (kind, value), = setting["kind"].items()
                told += ["-D", value["_0"]] if kind == "define" else ["-I", self.folder / value["_0"]] if kind == "headerSearchPath" else []
        return told

    def flags(self, platform):
        """The compiler's flags for Swift on a system."""
        told = ["-swift-version", self.language, "-package-name", re.sub(r"[^A-Za-z0-9_]", "_", self.package)]
        for setting in self.settings:
            if setting["tool"] != "swift" or not applies(setting.get("condition"), platform):
                continue
            (kind, value), = setting["kind"].items()
            value = value.get("_0") if isinstance(value, dict) else None
            if kind == "enableUpcomingFeature":
                told += ["-enable-upcoming-feature", value]
            elif kind == "enableExperimentalFeature":
                told += ["-enable-experimental-feature", value]
            elif kind == "define":
                told += ["-D", value]
            elif kind == "defaultIsolation":
                told += ["-default-isolation", value]
        return told


def applies(condition, platform):
    if not condition:
        return True
    systems = condition.get("platformNames") or []
    return (not systems or platform.system in systems) and condition.get("config") != "debug" and not condition.get("traits")


def dump(folder):
    """A manifest as JSON, cached while the manifest is the same."""
    manifest = folder / "Package.swift"
    kept = WORK / "manifests" / f"{folder.name}-{file_digest(manifest)}.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        got = subprocess.run(
            ["swift", "package", "dump-package", "--package-path", folder, "--scratch-path", WORK / "manifests/scratch"],
            capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if got.returncode:
            raise Failed(f"the manifest of {folder.name} cannot be read", got.stderr)
        kept.write_text(got.stdout)
    return json.loads(kept.read_text())


def folder_of(package, target):
    if target.get("path"):
        return package / target["path"]
    for base in ["Tests", "Sources"] if target["type"] == "test" else ["Sources", "Source", "src"]:
        if (package / base / target["name"]).is_dir():
            return package / base / target["name"]
    return None


def read(folder, ours, found):
    """Adds the targets of one package; returns its products."""
    manifest = dump(folder)
    version = int(manifest["toolsVersion"]["_version"].split(".")[0])
    modes = manifest.get("swiftLanguageVersions") or []
    language = "6" if version >= 6 and not modes else (modes[-1] if modes else "5")
    for target in manifest["targets"]:
        place = folder_of(folder, target)
        if target["type"] not in ("regular", "executable", "test") or place is None or (target["type"] == "test" and not ours):
            continue
        swift = any(place.rglob("*.swift"))
        one = Target(
            target["name"], manifest["name"], place, "swift" if swift else "c", ours, target["type"] == "test",
            target["type"] == "executable", excluded=target["exclude"], settings=target["settings"],
            listed=target.get("sources") or [], language=str(language))
        for setting in target["settings"]:
            mode = setting["kind"].get("swiftLanguageMode") or setting["kind"].get("swiftLanguageVersion")
            if mode:
                one.language = mode["_0"]
        for dependency in target["dependencies"]:
            (kind, value), = dependency.items()
            condition = next((part for part in value[1:] if isinstance(part, dict) and "platformNames" in part
                              or isinstance(part, dict) and "traits" in part), None)
            one.depends.append((kind, value[0], condition))
        found[one.name] = one
    return {product["name"]: product["targets"] for product in manifest["products"]}


class Packages:
    """All targets, of this package and its dependencies."""

    def __init__(self):
        self.targets = {}
        products = {}
        checkouts = ROOT / ".build/checkouts"
        if not checkouts.is_dir():
            raise Failed("the packages beneath are not there: `swift package resolve` comes first")
        for folder in sorted(checkouts.iterdir()):
            if (folder / "Package.swift").exists():
                products |= read(folder, False, self.targets)
        read(ROOT, True, self.targets)
        self.products = products

    def beneath(self, target, platform):
        """The names of a target's direct dependencies."""
        for kind, name, condition in target.depends:
            if not applies(condition, platform):
                continue
            if name in self.targets and kind != "product":
                yield name
            else:
                yield from (inner for inner in self.products.get(name, []) if inner in self.targets)

    def order(self, names, platform):
        """These targets and all their dependencies, lowest first."""
        done = {}

        def visit(name):
            if name not in done:
                done[name] = None
                for inner in self.beneath(self.targets[name], platform):
                    visit(inner)
                del done[name]
                done[name] = None

        for name in names:
            visit(name)
        return [self.targets[name] for name in done]

    def all_beneath(self, target, platform):
        return self.order(list(self.beneath(target, platform)), platform)
