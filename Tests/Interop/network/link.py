"""Two network namespaces, connected only by a link that follows a schedule."""
import csv
import ctypes
import hashlib
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from peers.nat import Spaces
from peers.patience import Wait

from .schedule import Schedule

ROOT = Path(__file__).resolve().parents[3]
SOURCE = Path(__file__).with_name("link.c")
ADDRESSES = {"left": "10.78.0.1", "right": "10.78.0.2"}
CLONE_NEWNET = 0x40000000


def program():
    """The link's program, compiled if it has changed: a third of a second."""
    source = SOURCE.read_bytes()
    target = ROOT / f".build/network/link-{hashlib.sha256(source).hexdigest()[:12]}"
    if not target.exists():
        compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "clang", "gcc")), "cc")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            made = Path(folder) / "link"
            subprocess.run([compiler, "-O2", "-Wall", "-o", str(made), str(SOURCE)], check=True)
            made.rename(target)
    return target


class Side:
    """One end of the link: a namespace with an address."""

    def __init__(self, space, name):
        self.name, self.space, self.address = name, space, ADDRESSES[name]
        self.within = ("ip", "netns", "exec", space)

    def host(self, number):
        """The address of a media flow of the schedule, from 0 on, by which the link knows its delay."""
        return f"10.78.0.{(11 if self.name == 'left' else 111) + number}"

    def run(self, *command):
        return subprocess.run([*self.within, *command], check=True, capture_output=True, text=True).stdout

    def socket(self, kind=socket.SOCK_DGRAM):
        """A socket of this process in the namespace."""
        made = []

        def enter():
            with open(f"/run/netns/{self.space}") as place:
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.setns(place.fileno(), CLONE_NEWNET):
                    return made.append(OSError(ctypes.get_errno(), "setns"))
            made.append(socket.socket(socket.AF_INET, kind))
        # The namespace is set for a thread only, which then ends.
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        if isinstance(made[0], OSError):
            raise made[0]
        return made[0]

    def dropped(self):
        """Packets that the kernel dropped before the link read them, or after it wrote them."""
        return sum(int(self.run("cat", f"/sys/class/net/narrow/statistics/{name}")) for name in ("tx_dropped", "rx_dropped"))


class NarrowNetwork(Spaces):
    """`left` and `right`, and the link between them, with the first conditions of its schedule until `start()`."""

    def __init__(self, schedule: Schedule, folder, trace=True, seed=1, interval=100):
        self.schedule, self.folder = schedule, Path(folder)
        self.counts_path, self.trace_path = self.folder / "counts.csv", self.folder / "packets.trace" if trace else None
        self._seed, self._interval = seed, interval
        self.process = None
        self.began = None
        self.lateness = None
        super().__init__(0)

    def _build(self):
        self.left, self.right = (Side(self._space(name), name) for name in ("left", "right"))
        command = [str(program()), *(f"/run/netns/{side.space}" for side in (self.left, self.right)), str(self.schedule.path),
                   str(self.counts_path), "--seed", str(self._seed), "--interval", str(self._interval)]
        if self.trace_path:
            command += ["--trace", str(self.trace_path)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise AssertionError(f"the link did not begin: status {self.process.wait()}")
        for side in (self.left, self.right):
            side.run("sysctl", "-q", "-w", "net.ipv6.conf.all.disable_ipv6=1")
            side.run("ip", "address", "add", f"{side.address}/24", "dev", "narrow")
            media = [flow for flow in self.schedule.flows if flow.kind == "media"]
            for number in range(len(media) if len(media) > 1 else 0):
                side.run("ip", "address", "add", f"{side.host(number)}/24", "dev", "narrow")
            # Packets wait in the link's own queue; this one is for moments in which its program does not run.
            side.run("ip", "link", "set", "dev", "narrow", "mtu", "1500", "txqueuelen", "10000", "up")
            # Browsers need a default route to find the interface.
            side.run("ip", "route", "add", "default", "dev", "narrow")

    def start(self):
        """Starts the schedule's clock and the counters. Returns the time of `time.monotonic()`."""
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.began = int(self.process.stdout.readline().split()[1]) / 1e9
        return self.began

    def stop(self):
        """Ends the link, completes the files, and returns how late it was. "dropped" is what the kernel dropped: a call with such
        packets was subject to more than the schedule."""
        if self.lateness is None:
            dropped = self.left.dropped() + self.right.dropped()
            self.process.stdin.close()
            words = self.process.stdout.read()
            assert self.process.wait(Wait(10).left) == 0, f"the link ended with {self.process.returncode}"
            self.lateness = json.loads(words) | {"dropped": dropped}
        return self.lateness

    def counts(self):
        """A dict for each interval and direction; see docs/network-tests.md."""
        with open(self.counts_path) as file:
            return [{key: value if key == "direction" else float(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]

    def packets(self):
        return read_trace(self.trace_path)

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process:
            for pipe in (self.process.stdin, self.process.stdout):
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass
        super().close()


@dataclass(slots=True)
class Packet:
    """A packet that entered the link. Times are seconds, `entered` since the start."""
    entered: float
    wait: float
    """Until the bottleneck had sent it."""
    way: float
    """Until it arrived; 0 if it did not."""
    size: int
    direction: str
    fate: str
    protocol: int
    is_marked: bool
    source: tuple
    destination: tuple
    is_rtp: bool
    payload_type: int
    sequence_number: int
    payload_size: int
    timestamp: int
    ssrc: int


RECORD = struct.Struct("<QIIHBBBBHHBBBBHHII")
FATES = ("delivered", "queueFull", "lost", "policed")


def read_trace(path):
    data = Path(path).read_bytes()
    data = data[:len(data) // RECORD.size * RECORD.size]
    return [Packet(entered / 1e9, wait / 1e6, way / 1e6, size, ("forward", "backward")[direction], FATES[fate], protocol,
                   bool(marked), (source_host, source), (destination_host, destination), bool(is_rtp), payload_type, sequence,
                   payload, timestamp, ssrc)
            for (entered, wait, way, size, direction, fate, protocol, marked, source, destination, source_host, destination_host,
                 is_rtp, payload_type, sequence, payload, timestamp, ssrc) in RECORD.iter_unpack(data)]
