"""What is measured, of whom, in which order."""
from dataclasses import dataclass
from typing import Callable

import programs

SIZES = [1024, 16_384, 65_536]
CODECS = ["VP8", "VP9", "H264"]
PEERS = ["duet", "libdatachannel", "pion", "chromium", "aiortc"]
IN_BATCHES = "duet in batches"
NETWORKS = ["steady-2000", "rfc8867-5.1", "rfc8867-5.3", "fall-and-rise", "bloat"]
"""Schedules of Tests/Networks, of which the table and the curves are made."""
DATA_NETWORKS = ["gigabit-100", "lossy-20"]
"""Those that data channels have to themselves."""


@dataclass
class Measurement:
    benchmark: str
    peer: str
    work: Callable[[], dict]
    of: object = None
    """The size of the messages, or the codec."""

    def __str__(self):
        return f"{self.benchmark} of {self.peer}" + (f", {self.of}" if self.of else "")

    def sample(self):
        return self.work() | {"benchmark": self.benchmark, "peer": self.peer, "of": self.of}


def data(options, peers):
    """Data channels: throughput with each size, set-up, memory."""
    for size in SIZES:
        for peer in peers:
            if peer == "duet":
                yield Measurement("throughput", peer, lambda size=size: programs.duet_throughput(
                    size, options.seconds, ["--one-by-one"]), size)
                yield Measurement("throughput", IN_BATCHES, lambda size=size: programs.duet_throughput(
                    size, options.seconds), size)
            else:
                yield Measurement("throughput", peer, lambda peer=peer, size=size: programs.throughput(
                    peer, size, options.seconds), size)
    for peer in peers:
        runs = {"aiortc": 40, "libdatachannel": 40}.get(peer, 100)
        yield Measurement("setup", peer, lambda peer=peer, runs=runs: programs.inside("setup", peer, runs))
    # One of libdatachannel's set-ups waits a second for a lost handshake now and then.
    pairs = {"duet": 500, "pion": 300, "libdatachannel": 60}
    for peer in filter(pairs.get, peers):
        yield Measurement("memory", peer, lambda peer=peer: programs.inside("memory", peer, pairs[peer], "--pairs"))


def relay(options, peers, server):
    """Data channels through coturn, and beside it directly."""
    for peer in peers:
        if peer not in ("duet", "pion"):
            continue
        direct = (lambda: programs.duet_throughput(programs.RELAYED_SIZE, options.seconds)) if peer == "duet" else (
            lambda: programs.throughput("pion", programs.RELAYED_SIZE, options.seconds))
        yield Measurement("direct throughput", peer, direct)
        yield Measurement("relayed throughput", peer, lambda peer=peer: programs.relayed_throughput(
            peer, server, options.seconds))
        # pion gives a relay two seconds before it uses it.
        more = ("--relay", server) if peer == "duet" else ()
        runs = 50 if peer == "duet" else 5
        yield Measurement("relayed setup", peer, lambda peer=peer, runs=runs, more=more: programs.inside(
            "setup", peer, runs, "--runs", *more, DUET_BENCH_RELAY=server))


def media(options, peers):
    """Sound and picture."""
    peers = [peer for peer in peers if peer in ("duet", "chromium", "aiortc")]
    for peer in peers:
        yield Measurement("firstFrame", peer, lambda peer=peer: programs.first_frame(peer, 20))
    for peer in peers:
        yield Measurement("call", peer, lambda peer=peer: programs.call(peer, 2 * options.seconds))
    if "duet" in peers:
        for codec in CODECS:
            yield Measurement("delay", "duet", lambda codec=codec: programs.inside(
                "delay", "duet", codec, "--codec", "--seconds", str(options.seconds)), codec)
        yield Measurement("packets", "duet", lambda: programs.last_object(programs.program("duet") + ["packets"], 300))


def network(options, peers):
    """Calls across narrow links: those of a kind among themselves, and each with the other, judged is what the first one sends."""
    peers = [peer for peer in peers if peer in ("duet", "chromium")]
    pairs = [(peer, peer) for peer in peers] + [(one, other) for one in peers for other in peers if one != other]
    for name in options.networks.split(",") if options.networks else NETWORKS + DATA_NETWORKS:
        if name in DATA_NETWORKS:
            for peer in peers:
                yield Measurement("narrow throughput", peer, lambda name=name, peer=peer: programs.network_throughput(name, peer), name)
            continue
        for one, other in pairs:
            yield Measurement("network", f"{one} to {other}", lambda name=name, one=one, other=other: programs.network_call(
                name, one, other, options.limit), name)
