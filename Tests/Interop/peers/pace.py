"""Rates a measured time on a machine with other load.

Part of a measured time is work, whose duration depends on the machine: a control measures it with known work in the same minute.
The rest is waiting for timers, responses and other processes, which a busy machine does not excuse.
"""
import contextlib
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

# Two processes take turns like the measured ones: each works for a moment, and wakes the other.
TURNS, WORK = 30, 0.001
PARTNER = """
import sys, time
while sys.stdin.buffer.read(1):
    end = time.process_time() + float(sys.argv[1])
    while time.process_time() < end:
        pass
    sys.stdout.buffer.write(b".")
    sys.stdout.buffer.flush()
"""


def work_of(*processes):
    """The processor time that running processes have taken so far, in seconds. Each is named by its identifier."""
    # The clock identifiers that clock_getcpuclockid() returns for them.
    return sum(time.clock_gettime((~process << 3) | 2) for process in processes)


class Pace:
    """How many times longer than its work something takes on this machine; 1 without other load."""

    def __init__(self):
        self._partner = subprocess.Popen(
            [sys.executable, "-c", PARTNER, str(WORK)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.measure()  # by now it has begun

    def measure(self):
        began, before = time.monotonic(), self._work()
        for _ in range(TURNS):
            end = time.thread_time() + WORK
            while time.thread_time() < end:
                pass
            self._partner.stdin.write(b".")
            self._partner.stdout.read(1)
        return max(1.0, (time.monotonic() - began) / (self._work() - before))

    def _work(self):
        return time.thread_time() + work_of(self._partner.pid)

    def close(self):
        self._partner.stdin.close()
        self._partner.wait(10)
        self._partner.stdout.close()


class Delays:
    """How long threads of this process and of its children wait for a processor from now on."""

    def __init__(self):
        self._before = self._snapshot()

    @property
    def longest(self):
        """The longest total of a thread, in seconds."""
        return max(delay - self._before.get(thread, 0) for thread, delay in self._snapshot().items()) / 1e9

    @classmethod
    def _snapshot(cls):
        delays = {}
        for process in cls._family():
            for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
                with contextlib.suppress(OSError):  # it has ended
                    delays[path] = int(path.read_text().split()[1])
        return delays

    @staticmethod
    def _family():
        parents = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        family = [os.getpid()]
        for process in family:
            family += [child for child, parent in parents.items() if parent == process]
        return family


class Measured:
    """Repeated measurements, each with its work and the machine's pace; in milliseconds.

    Waiting may occur each time, or sometimes: so the upper quartile counts, and not the minimum.
    """

    def __init__(self, name):
        self.name, self.times, self.works, self.paces = name, [], [], []

    def add(self, time, work, *paces):
        self.times.append(time)
        self.works.append(work)
        self.paces.append(sum(paces) / len(paces))

    @property
    def waits(self):
        return [time - pace * work for time, work, pace in zip(self.times, self.works, self.paces)]

    def demand(self, wait, work):
        """Requires that the upper quartile of the waiting and the median of the work are below these values, in milliseconds."""
        print(self)
        assert len(self.times) >= 7, "too few to judge by"
        assert statistics.quantiles(self.waits, n=4)[2] < wait, f"it waits for too long: {self}"
        assert statistics.median(self.works) < work, f"it takes too much of the processor: {self}"

    def __str__(self):
        def row(name, values, digits=0):
            return f"{name} {', '.join(f'{value:.{digits}f}' for value in values)}"
        return f"{self.name}: {row('ms', self.times)}; {row('work', self.works)}; {row('pace', self.paces, 1)}; " \
            f"{row('waiting', self.waits)}"
