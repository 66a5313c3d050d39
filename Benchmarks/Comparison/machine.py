"""Whether a measurement had the machine to itself, and measuring again where it had not.

Of all the processor time that /proc/stat counts, what the run's own processes used is taken off, and what the kernel's
threads did, which carry our packets. What is left, and what the hypervisor gave to others, is theirs.
"""
import os
import time

LIMIT = 0.1
"""Cores that others may use during a measurement."""
TRIES = 3
TICKS = os.sysconf("SC_CLK_TCK")


def stat_fields(text):
    """Of a line of /proc/PID/stat: the parent, and the seconds that the process and its ended children have used."""
    fields = text.rsplit(")", 1)[1].split()
    return int(fields[1]), sum(map(int, fields[11:15])) / TICKS


def machine_seconds(text):
    """Of /proc/stat: the seconds that all cores together have worked, and those that the hypervisor kept from them."""
    fields = [int(field) / TICKS for field in text.splitlines()[0].split()[1:]]
    user, nice, system, _, _, irq, softirq, steal = fields[:8]
    return user + nice + system + irq + softirq, steal


def descendants(parents, root):
    """`root` and all that it started; `parents` has the parent of each process."""
    found = set()
    for process in parents:
        path, ancestor = [], process
        while ancestor in parents and ancestor != root and ancestor not in found:
            path.append(ancestor)
            ancestor = parents[ancestor]
        if ancestor == root or ancestor in found:
            found.update(path, [root])
    return found


class Machine:
    """`proc` is a descriptor of a folder like /proc that shows the whole machine, `root` the run's process in there.

    Within a namespace of its own the run would see nobody but itself, and take the time of the kernel's threads for
    that of others: Scripts/bench hands in both.
    """

    def __init__(self, proc=None, root=None):
        self.proc = os.open("/proc", os.O_RDONLY) if proc is None else proc
        self.root = os.getpid() if root is None else root

    def read(self, path):
        with open(os.open(path, os.O_RDONLY, dir_fd=self.proc)) as file:
            return file.read()

    def snapshot(self):
        """The time, and the seconds of the processor: all, the hypervisor's, our own and the kernel threads'."""
        parents, used = {}, {}
        for name in os.listdir(self.proc):
            if name.isdigit():
                try:
                    parents[int(name)], used[int(name)] = stat_fields(self.read(f"{name}/stat"))
                except (FileNotFoundError, ProcessLookupError):
                    continue
        busy, steal = machine_seconds(self.read("stat"))
        ours = sum(used[process] for process in descendants(parents, self.root) if process in used)
        kernel = sum(seconds for process, seconds in used.items() if process == 2 or parents[process] == 2)
        return {"time": time.monotonic(), "busy": busy, "steal": steal, "ours": ours, "kernel": kernel}

    def wait_for_quiet(self, seconds):
        """Waits for a second in which others leave the machine alone, at most this long; returns how long it took."""
        start = time.monotonic()
        while time.monotonic() < start + seconds:
            before = self.snapshot()
            time.sleep(1)
            if others(before, self.snapshot()) <= LIMIT:
                break
        return time.monotonic() - start


def others(before, after):
    """Cores that neither we nor the kernel's threads used, from one snapshot to another."""
    def grown(member):
        return after[member] - before[member]

    used = grown("busy") + grown("steal") - grown("ours") - grown("kernel")
    return max(0.0, used / grown("time"))


class Quiet:
    """Runs measurements, again where others disturbed them, while there are seconds left for it."""

    def __init__(self, machine, budget, wait=15):
        self.machine, self.budget, self.wait = machine, budget, wait
        self.repeated = 0

    def measure(self, work):
        """What `work` returns, of the try that others disturbed least, with how much and how often it was tried."""
        best, tries = None, 0
        while True:
            before = self.machine.snapshot()
            sample = dict(work())
            after = self.machine.snapshot()
            tries += 1
            sample["othersCores"] = round(others(before, after), 3)
            if best is None or sample["othersCores"] < best["othersCores"]:
                best = sample
            if best["othersCores"] <= LIMIT or tries == TRIES or self.budget <= 0:
                return best | {"tries": tries, "disturbed": best["othersCores"] > LIMIT}
            self.repeated += 1
            self.budget -= after["time"] - before["time"]
            self.budget -= self.machine.wait_for_quiet(min(self.wait, max(1, self.budget)))
