"""Compiles the targets for a platform in order; unchanged ones are skipped."""
import re

from . import cache, sdk, sources, toolchain
from .cache import Failed, Stamps, digest, file_digest, files_digest, mirror, prune
from .platforms import ROOT

IMPORT = re.compile(r"(?m)^[^/\n\"]*\bimport +(?:(?:struct|class|enum|protocol|func|let|var|typealias) +)?(\w+)")

# Modules of other systems.
ELSEWHERE = set("Android Bionic CRT Glibc Musl WASILibc WinSDK ucrt wasi_pthread FoundationEssentials".split())


def imported(files):
    """The modules that files import, in any branch, except those of other systems."""
    found = set()
    for path in files:
        found |= set(IMPORT.findall(path.read_text()))
    return found - ELSEWHERE


class Modules:
    """The modules of one platform."""

    def __init__(self, platform, packages, prepared, with_tests=False):
        self.platform = platform
        self.packages = packages
        self.prepared = prepared
        self.with_tests = with_tests
        self.folder = platform.work / "modules"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.stamps = Stamps(platform.work / "stamps")
        self.outputs = {}  # what each module is: two that are the same need nothing above them to be compiled again
        self.compiled = []  # the names of what was compiled this time
        self.seen = set()  # the files of ours that are compiled
        self.left_out = set(self._left_out())

    def _left_out(self):
        """The files of targets that are not for this platform."""
        wanted = set(sources.targets(self.packages, self.platform, self.with_tests))
        for target in self.packages.targets.values():
            if target.ours and target.kind == "swift" and target.name not in wanted:
                yield from target.sources()

    def can(self, target):
        """Whether all dependencies of a target were compiled."""
        return all(inner.name in self.outputs for inner in self.packages.all_beneath(target, self.platform))

    def c_flags(self, target):
        """The importer's flags for the C modules below a target."""
        told = []
        for inner in self.packages.all_beneath(target, self.platform):
            if inner.kind != "c":
                continue
            include = inner.folder / "include"
            given = include / "module.modulemap"
            if not given.exists():
                given = self.platform.work / f"maps/{inner.name}/module.modulemap"
                header = include / f"{inner.name}.h"
                umbrella = f'umbrella header "{header}"' if header.exists() else f'umbrella "{include}"'
                mirror(None, given, f"module {inner.name} {{\n    {umbrella}\n    export *\n}}\n")
            told += ["-Xcc", f"-fmodule-map-file={given}", "-Xcc", "-I", "-Xcc", include]
        return told

    def below(self, files):
        """The digest of the system's modules that the files import. Those of the modules below are in their own digests."""
        needed = imported(files) - set(self.packages.targets) - set(toolchain.STANDARD_LIBRARY) - {"Builtin"}
        if not needed:
            return self.prepared.library
        return self.prepared.lowest if needed <= {"os", *sdk.LOWEST} else self.prepared.whole

    def c_digest(self, target):
        include = target.folder / "include"
        return files_digest([path for path in include.rglob("*") if path.is_file()], include) if include.is_dir() else ""

    def readable(self, target, files):
        """The files as the compiler reads them. Third-party packages specify the minimum iOS; the corresponding visionOS comes
        from a table in Apple's SDK, which is missing here, so it is written into copies of their files."""
        if target.ours or self.platform.system != "visionos":
            return files
        folder = self.platform.work / "sources" / target.name
        copies = []
        for path in files:
            copies.append(folder / path.relative_to(target.folder))
            mirror(None, copies[-1], toolchain.with_visionos(path.read_text()))
        prune(folder, copies)
        return copies

    def command(self, target, files):
        command = [
            toolchain.swiftc(), "-frontend", "-emit-sil", "-o", "/dev/null", "-module-name", target.module, "-Onone",
            *sdk.flags(self.platform), "-I", self.folder, *self.c_flags(target), *target.flags(self.platform), *self.readable(target, files),
            "-emit-module-path", self.folder / f"{target.module}.swiftmodule"]
        if not (target.executable and any(path.name == "main.swift" for path in files)):
            command.append("-parse-as-library")
        if target.ours:
            command += ["-warnings-as-errors", "-emit-objc-header-path", self.platform.work / f"maps/{target.name}-Swift.h"]
            command += ["-enable-testing"]
        else:
            command.append("-suppress-warnings")
        return command

    def check_c(self, target):
        """Compiles the C files of a target of ours, unless they are unchanged. What lies outside of Sources is not ours to mend: its
        warnings are not shown."""
        files = target.c_sources()
        settings = target.c_settings(self.platform)
        for inner in [target, *self.packages.all_beneath(target, self.platform)]:
            settings += ["-I", inner.folder / "include"]
        settings.append("-Werror" if target.folder.is_relative_to(ROOT / "Sources") else "-w")
        read = [path for path in target.folder.rglob("*") if path.suffix in (".c", ".h", ".inc")]
        inputs = digest(self.prepared.lowest, *settings, files_digest(files, ROOT), files_digest(read, ROOT))
        if self.stamps.read(f"c-{target.name}", inputs) is not None:
            return
        for path in files:
            status, words = cache.run([
                toolchain.swiftc().parent / "clang", "-target", self.platform.target, "-isysroot", self.platform.work / "sdk",
                *settings, "-c", path, "-o", "/dev/null"])
            if status:
                raise Failed(f"{target.name}'s {path.name} does not compile for {self.platform.name}", words)
        self.stamps.write(f"c-{target.name}", inputs, "")
        self.compiled.append(target.name)

    def check(self, target):
        """Compiles a target, unless it and its dependencies are unchanged."""
        if target.kind == "c":
            if target.ours:
                self.check_c(target)
            self.outputs[target.name] = self.c_digest(target)
            return
        files = target.sources()
        if target.ours:
            self.seen.update(files)
        beneath = [self.outputs[inner.name] for inner in self.packages.all_beneath(target, self.platform)]
        inputs = digest(
            self.below(files), *beneath, *target.flags(self.platform), target.ours,
            files_digest(self.readable(target, files), ROOT))
        made = self.folder / f"{target.module}.swiftmodule"
        output = self.stamps.read(f"module-{target.name}", inputs) if made.exists() else None
        if output is None:
            (self.platform.work / "maps").mkdir(exist_ok=True)
            made.unlink(missing_ok=True)
            status, words = cache.run(self.command(target, files))
            if status:
                raise Failed(f"{target.name} does not compile for {self.platform.name}", words)
            output = file_digest(made)
            self.stamps.write(f"module-{target.name}", inputs, output)
            self.compiled.append(target.name)
        self.outputs[target.name] = output
