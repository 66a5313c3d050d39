"""How each benchmark of each peer is run: a function that returns one sample as a dict."""
import ctypes.util
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import ROOT

sys.path[:0] = [str(ROOT / "Tests/Interop"), str(ROOT / "Benchmarks/Peers")]

from measuring import call_figures, processes  # noqa: E402
from peers import Session  # noqa: E402
from peers.duet import DuetPeer  # noqa: E402

WORK = ROOT / ".build/bench"
FILM = WORK / "film.y4m"
RELAYED_SIZE = 16_384
# pion's data channel reads into a buffer of 65,535 bytes, and loses a message of one byte more.
LARGEST = {"pion": 65_535}


def libdatachannel():
    """The library that is measured: the one that is named, else the system's, else the one that the wheel carries.

    The wheel's is compiled without optimization, and takes nearly twice the processor time.
    """
    named = os.environ.get("DUET_BENCH_LIBDATACHANNEL")
    if named:
        return named
    system = ctypes.util.find_library("datachannel")
    if system:
        return system
    wheel = importlib.util.find_spec("pylibdatachannel")
    carried = sorted(Path(wheel.origin).parent.parent.glob("pylibdatachannel.libs/libdatachannel*")) if wheel else []
    if not carried:
        raise FileNotFoundError("there is no libdatachannel: Tests/Interop/requirements.txt has a wheel with one")
    return str(carried[0])


def program(peer):
    return {
        "duet": lambda: [str(ROOT / ".build/release/duet-benchmarks")],
        "libdatachannel": lambda: [str(WORK / "libdatachannel-bench"), libdatachannel()],
        "pion": lambda: [str(WORK / "pion-bench")],
        "chromium": lambda: [sys.executable, "Benchmarks/Peers/chromium_bench.py"],
        "aiortc": lambda: [sys.executable, "Benchmarks/Peers/aiortc_bench.py"],
    }[peer]()


def last_object(command, timeout, **environment):
    """Runs a program and returns the last JSON object that it printed."""
    if command[0].endswith("libdatachannel-bench") and Path(command[1]).is_absolute():
        # The library in the wheel finds those beside it by this alone.
        environment["LD_LIBRARY_PATH"] = str(Path(command[1]).parent)
    result = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=timeout,
                            env=os.environ | environment)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {result.returncode}: {result.stderr[-800:]}")
    return json.loads(result.stdout.strip().splitlines()[-1])


def throughput(peer, size, seconds, **environment):
    """From one process to another."""
    size = min(size, LARGEST.get(peer, size))
    return last_object(program(peer) + ["throughput", str(size), str(seconds)], seconds * 4 + 60, **environment)


def duet_throughput(size, seconds, ways=(), *options):
    """`ways` is what both ends are told, `options` what the sender is."""
    sender, receiver = DuetPeer("offer", "--bench", str(size), str(seconds), *ways, *options), DuetPeer("answer", *ways)
    try:
        Session(sender, receiver).pump(lambda: sender.events("bench"), timeout=seconds * 4 + 60, what="duet's result")
        return sender.events("bench")[-1]
    finally:
        sender.close()
        receiver.close()


def largest_packet():
    """The largest SCTP packet that duet sends, read off its own dump: the others' limits are 1,228 and 1,200."""
    from test_dump import SCTP, packets
    dump = WORK / "packets.pcap"
    duet_throughput(65_536, 1, (), "--dump", str(dump))
    size = max(len(payload) for _, protocol, payload in packets(dump) if protocol == SCTP)
    dump.unlink()
    return {"largestPacket": size}


def relayed_throughput(peer, relay, seconds):
    """The sender shows nothing but its relay at coturn; the receiver is reached directly."""
    if peer == "duet":
        return duet_throughput(RELAYED_SIZE, seconds, (), "--policy", "relay", "--ice-server", relay)
    return throughput(peer, RELAYED_SIZE, seconds, DUET_BENCH_RELAY=relay)


def inside(what, peer, count, option="--runs", *more, **environment):
    """Two ends in one process."""
    arguments = [what, option, str(count), *more] if peer == "duet" else [what, str(count)]
    return last_object(program(peer) + arguments, 300, **environment)


def first_frame(peer, runs):
    return inside("first-frame" if peer == "duet" else "firstFrame", peer, runs)


def call(peer, seconds):
    """A call of 1280 × 720 pixels at 30 frames a second in VP8, with sound, both ways, between two processes."""
    if peer != "duet":
        return last_object(program(peer) + ["call", str(seconds), str(FILM)], seconds + 120)
    options = ["--video", str(FILM), "--audio", "tone", "--codec", "vp8", "--stats"]
    ends = DuetPeer("offer", *options), DuetPeer("answer", *options)
    try:
        session = Session(*ends)
        session.pump(lambda: all(end.events("firstFrame") for end in ends), what="frames both ways")
        session.settle(8)
        before, start, used = [received(end) for end in ends], time.monotonic(), used_by(ends)
        session.settle(seconds)
        after, passed = [received(end) for end in ends], time.monotonic() - start
        return call_figures(before, after, passed, used_by(ends) - used)
    finally:
        for end in ends:
            end.close()


def network_call(name, one, other, limit=None):
    """A call across a link that follows a schedule; the figures of what `one` sends, with the curves."""
    from network import call as calls
    from network import film, schedule
    from playwright.sync_api import sync_playwright
    made = film.make(calls.FILM)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory(dir=WORK) as folder:
        result = calls.run(schedule.load(name), one, other, made, folder, limit, playwright=playwright)
    if result["link"]["dropped"] or result["link"]["lateP99Ms"] > 2:
        raise RuntimeError(f"the link was late: {result['link']}")
    found = result["directions"]["forward"]
    return found["figures"] | {"curves": found["curves"], "link": result["link"],
                               "machine": result["machine"], "back": result["directions"]["backward"]["figures"]}


def network_throughput(name, peer, seconds=12):
    """A data channel across a link that follows a schedule."""
    from network import data, schedule
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright, tempfile.TemporaryDirectory(dir=WORK) as folder:
        return data.throughput(schedule.load(name), peer, seconds, folder, playwright)


def received(peer):
    """What a `duet peer` said last of the video that it receives."""
    video = next(stream for stream in peer.events("stats")[-1]["inboundRTP"] if stream["kind"] == "video")
    return {"frames": video["framesDecoded"], "bytes": video["bytesReceived"], "width": video["frameWidth"],
            "height": video["frameHeight"]}


def used_by(peers):
    found = processes()
    return sum(found[peer.process.pid][1] for peer in peers)
