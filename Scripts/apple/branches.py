"""Which lines of conditional branches are active on a platform by Apple's rules, and which of them were compiled.

Both are computed from the same text: once with the modules of Apple's SDK (`canImport` by the table in `present`), once with what
the check compiled (`canImport` as the compiler answered it, and only compiled targets). A line in the first set and not in the
second was seen by no compiler.
"""
import re

from . import cache, sdk, sources, toolchain
from .cache import Failed, digest
from .platforms import ROOT

HERE = sdk.HERE


def table():
    """For each module in a `canImport`: the systems that have it."""
    rows = {}
    for line in (HERE / "present").read_text().splitlines():
        fields = line.split("#")[0].split()
        if fields:
            rows[fields[0]] = set(fields[1:])
    return rows


def conditions(path):
    """For each line in a branch: its number and the conditions above it, each as ([previous branches], this branch)."""
    stack, found = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("//")[0].strip()
        directive = re.match(r"#(if|elseif|else|endif)\b(.*)", words)
        if not directive:
            if stack and words:
                found.append((number, [(tuple(before), own) for before, own in stack]))
        elif directive[1] == "if":
            stack.append(([], directive[2].strip()))
        elif directive[1] == "endif":
            stack.pop()
        else:
            before, own = stack.pop()
            stack.append((before + [own], directive[2].strip() if directive[1] == "elseif" else "true"))
    return found


def holds(condition, platform, importable):
    """Whether a condition is true on a platform."""
    def term(match):
        name, argument = match[1], match[2].strip()
        if name == "os":
            return str(argument.lower() == platform.system)
        if name == "canImport":
            return str(importable(argument))
        if name == "targetEnvironment":
            return str(argument == "simulator" and platform.folder.endswith("simulator"))
        if name == "arch":
            return str(argument == "arm64")
        if name in ("swift", "compiler", "hasFeature"):
            return "True"
        raise Failed(f"a condition that the check cannot read: {condition}")

    words = re.sub(r"(\w+)\(([^()]*)\)", term, condition)
    words = words.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    names = set(re.findall(r"[A-Za-z_]\w*", words)) - {"True", "False", "and", "or", "not", "true", "false"}
    values = {name: False for name in names} | {"true": True, "false": False}
    return eval(words, {"__builtins__": {}}, values)


def active(levels, platform, importable):
    return all(
        holds(own, platform, importable) and not any(holds(other, platform, importable) for other in before)
        for before, own in levels)


def answered(platform, names, prepared):
    """The compiler's answers to `canImport`."""
    stamps = cache.Stamps(platform.work / "stamps")
    inputs = digest(prepared, *names)
    found = stamps.read("importable", inputs)
    if found is None:
        question = platform.work / "importable.swift"
        question.write_text("".join(f'#if canImport({name})\n#warning("has {name}")\n#endif\n' for name in names))
        _, words = cache.run([toolchain.swiftc(), "-frontend", "-typecheck", *sdk.flags(platform), question])
        found = sorted(set(re.findall(r"warning: has (\w+)", words)))
        stamps.write("importable", inputs, found)
    return set(found)


def uncompiled(platform, modules):
    """The active lines that were not compiled, and the number of active lines."""
    present = table()
    files, compiled = [], set(modules.seen)
    apps = [ROOT / folder for _, folder in sources.APPS]
    for folder in [ROOT / "Sources", ROOT / "Examples", *apps, *([ROOT / "Tests"] if modules.with_tests else [])]:
        files += sorted(path for path in folder.rglob("*.swift") if ".docc" not in str(path))
    lines = {path: conditions(path) for path in files}
    asked = sorted({name for found in lines.values() for _, levels in found for before, own in levels
                    for name in re.findall(r"canImport\((\w+)", " ".join([*before, own]))})
    unknown = [name for name in asked if name not in present]
    if unknown:
        raise Failed(f"Scripts/apple/present does not say which systems have {', '.join(unknown)}")
    importable = answered(platform, asked, modules.prepared.whole)
    missing, counted = [], 0
    for path, found in lines.items():
        if path in modules.left_out:
            continue
        for number, levels in found:
            if not active(levels, platform, lambda name: platform.system in present[name]):
                continue
            counted += 1
            if path not in compiled or not active(levels, platform, lambda name: name in importable):
                missing.append((path.relative_to(ROOT), number))
    return missing, counted
