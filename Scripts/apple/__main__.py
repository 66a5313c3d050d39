"""The check's command line, and the order of its steps."""
import argparse
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from . import branches, cache, faults, sdk, sources
from .cache import Failed
from .modules import Modules
from .packages import Packages
from .platforms import every


def say(words):
    print(f"check-apple: {words}", flush=True)


def check(platform, packages, with_tests):
    """Compiles everything for one platform; returns the summary line."""
    prepared = sdk.prepare(platform)
    modules = Modules(platform, packages, prepared, with_tests)
    refused = faults.check(platform, prepared)
    failed = []
    for target in [*packages.order(sources.targets(packages, platform, with_tests), platform), *sources.apps(with_tests)]:
        if not modules.can(target):
            continue
        try:
            modules.check(target)
        except Failed as problem:
            print(cache.problems(problem.words), flush=True)
            say(f"FAILED: {problem}")
            failed.append(target.name)
    if failed:
        raise Failed(f"{platform.name}: {', '.join(failed)}, and what stands on them")
    missing, counted = branches.uncompiled(platform, modules)
    for path, line in missing[:20]:
        print(f"{path}:{line}: active on {platform.name}, and not compiled")
    if missing:
        raise Failed(f"{platform.name}: {len(missing)} lines of active branches that nothing compiled")
    done = ", ".join(modules.compiled) if modules.compiled else "nothing has changed"
    return (f"{platform.name}: {done}; {refused} faults refused; {counted} lines in branches, "
            f"{len(missing)} that nothing compiled")


def one(platform, packages, with_tests):
    started = time.monotonic()
    try:
        return True, f"{check(platform, packages, with_tests)} ({time.monotonic() - started:.0f} s)"
    except Failed as failed:
        words = f"\n{cache.problems(failed.words)}" if failed.words else ""
        return False, f"FAILED: {failed}{words}"


def main():
    parser = argparse.ArgumentParser(prog="Scripts/check-apple")
    parser.add_argument("--all", action="store_true", help="compile everything again")
    parser.add_argument("--tests", action="store_true", help="compile the tests and the caller for the command line as well")
    parser.add_argument("--platform", action="append", choices=[platform.folder for platform in every()])
    parser.add_argument("--jobs", type=int, default=2, help="platforms at a time")
    asked = parser.parse_args()
    platforms = [platform for platform in every() if not asked.platform or platform.folder in asked.platform]
    if asked.all:
        for platform in platforms:
            shutil.rmtree(platform.work, ignore_errors=True)
    problems = sources.isolated_deinits()
    for problem in problems:
        print(problem)
    try:
        packages = Packages()
        sdk.c_headers()
    except Failed as failed:
        print(failed.words)
        say(f"FAILED: {failed}")
        return 1
    good = not problems
    with ThreadPoolExecutor(asked.jobs) as pool:
        for passed, words in pool.map(lambda platform: one(platform, packages, asked.tests), platforms):
            say(words)
            good = good and passed
    say(f"{cache.spent:.0f} s of processor time")
    return 0 if good else 1


sys.exit(main())
