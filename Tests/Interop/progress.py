"""A pytest plugin: ends a test that hangs, and writes down what each test does as it does it, so that whoever started the run
knows which test hung, or took its process down, and what the others came to.

A test may take `patience.LIMIT` seconds in all, or what `@pytest.mark.timeout(SECONDS)` says. Then all stacks are printed and the
process ends: what hangs in C or in a lock hears nothing else. The waits within a test end before, by themselves (peers/patience.py).

    pytest --progress FILE

writes one JSON object a line: {"test", "limit"} when a test begins, and {"test", "outcome", "message", "seconds", "processor"}
when it is over. `processor` counts every process of the namespace (Scripts/in-namespace).
"""
import faulthandler
import json
import os
import time

import pytest
from peers import patience

TICKS = os.sysconf("SC_CLK_TCK")


def pytest_addoption(parser):
    parser.addoption("--progress", metavar="FILE", help="writes down what each test does, as JSON lines")


def pytest_configure(config):
    config.addinivalue_line("markers", f"timeout(seconds): how long a test may take in all, if not {patience.LIMIT:.0f} s")
    path = config.getoption("--progress")
    # Standard error is redirected during tests; this is the original.
    config.pluginmanager.register(Progress(open(path, "a", buffering=1) if path else None, os.dup(2)))


def processor_time():
    """The time of all processes in this namespace, including those that have ended, which is added to their parents'."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    total += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has just ended
    return total / TICKS


class Progress:
    def __init__(self, file, standard_error):
        self._file, self._standard_error = file, standard_error
        self._reports = []

    def _write(self, **line):
        if self._file:
            self._file.write(json.dumps(line) + "\n")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        self._reports = []
        name = item.nodeid.removeprefix("Tests/Interop/")
        limit = patience.limit_of(item)
        began, processor = time.monotonic(), processor_time()
        self._write(test=name, limit=limit)
        faulthandler.dump_traceback_later(limit, exit=True, file=self._standard_error)
        yield
        faulthandler.cancel_dump_traceback_later()
        troubles = [report for report in self._reports if report.outcome != "passed"]
        self._write(
            test=name, outcome="failed" if troubles or not self._reports else "passed",
            message="\n".join(str(report.longrepr) for report in troubles)[-20_000:],
            seconds=round(time.monotonic() - began, 3), processor=round(processor_time() - processor, 3))

    def pytest_runtest_logreport(self, report):
        self._reports.append(report)
