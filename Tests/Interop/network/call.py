"""A call across a link, and what is judged of it.

    python -m network.call steady-2000 duet chromium --film FILM.y4m     (within Scripts/in-namespace)
"""
import argparse
import contextlib
import json
import re
import socket
import tempfile
import threading
import time
from pathlib import Path

from peers import waiting
from peers.coturn import Authority, Coturn

from . import film as films
from . import judge, schedule, sound
from .ends import ChromiumEnd, DuetEnd, connect
from .link import NarrowNetwork
from .watch import Stalls

ROOT = Path(__file__).resolve().parents[3]
FILM = ROOT / ".build/network/film.y4m"


def video_ssrc(description):
    """The SSRC of the video that the side of a description sends."""
    section = re.split(r"^m=", description["sdp"], flags=re.M)
    video = next(part for part in section if part.startswith("video"))
    group = re.search(r"^a=ssrc-group:FID (\d+)", video, re.M)
    return int((group or re.search(r"^a=ssrc:(\d+)", video, re.M))[1])


def download(network, begins, ends, stop, received=None):
    """A TCP connection with CUBIC from left to right, as fast as it can. Arrivals are added to `received`, as times and sizes."""
    listener = network.right.socket(socket.SOCK_STREAM)
    listener.bind((network.right.address, 0))
    listener.listen()
    sender = network.left.socket(socket.SOCK_STREAM)
    # The default differs between machines.
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")

    def send():
        if stop.wait(max(0.0, network.began + begins - time.monotonic())):
            return
        sender.settimeout(1)
        with contextlib.suppress(OSError):
            sender.connect(listener.getsockname())
            while time.monotonic() < network.began + ends and not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    sender.send(bytes(65_536))
        sender.close()

    def receive():
        with contextlib.suppress(OSError):
            connection, _ = listener.accept()
            connection.settimeout(1)
            data = None
            while data != b"" and not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    data = connection.recv(1 << 20)
                    if received is not None:
                        received.append((time.monotonic(), len(data)))
            connection.close()
    return [threading.Thread(target=work, daemon=True) for work in (send, receive)], [listener, sender]


class Relay:
    """A TURN server at the right end of the link. The left end offers only its relay, so all packets between the two cross the
    link, to the server by UDP, TCP or TLS; the right end is beside the server."""

    def __init__(self, side, transport, folder):
        self.transport, self.address, authority = transport, side.address, Authority(folder)
        self.server = Coturn((side.address,), tls=authority.sign("turn", f"IP:{side.address}"), within=side.within)
        self.certificate, self.close = authority.certificate, self.server.close

    @property
    def options(self):
        """The options of `duet peer`."""
        place = f"turns:{self.address}:{self.server.tls_port}" if self.transport == "tls" \
            else f"turn:{self.address}:{self.server.port}?transport={self.transport}"
        return "--policy", "relay", "--ice-server", f"{place},alice,secret", "--ca", str(self.certificate)


def last(reports):
    """The newest value of everything that an end said of itself."""
    return {name: value for said in reports for name, value in said.items() if value is not None}


class Call:
    """Two ends on a link, from the first signal to the end."""

    def __init__(self, network, plan, flow, number, kinds, ending, folder, options, relay=None):
        self.network, self.plan, self.flow = network, plan, flow
        self.descriptions, self.connected, self.watched = None, None, None
        film, tone, codec, maximum, playwright, limit, more = options
        self.film, self.end = film, min(limit, flow.ends)
        # The first call also sends a file, if the schedule says so.
        self.file = next((flow for flow in plan.flows if flow.kind == "data"), None) if number == 0 else None
        self.sent_file = None
        self.ends = []
        for kind, side, role in zip(kinds, (network.left, network.right), ("offer", "answer")):
            # Media flows have addresses of their own, by which the link distinguishes them; a single one needs none.
            address = side.host(number) if sum(flow.kind == "media" for flow in plan.flows) > 1 else None
            own = {"role": role, "address": address, "options": more} if kind == "duet" else {"playwright": playwright}
            if relay and side is network.left:
                own["options"] = *more, *relay.options
            make = {"duet": DuetEnd, "chromium": ChromiumEnd}[kind]
            self.ends.append(ending.enter_context(contextlib.closing(
                make(side, film, tone, folder / f"{side.name}{number}", codec=codec, maximum=maximum, **own))))

    def step(self):
        """Does what is due."""
        now = time.monotonic() - self.network.began
        if self.connected is None and now >= self.flow.begins:
            self.descriptions = connect(*self.ends)
            self.connected = time.monotonic() - self.network.began
        elif self.connected is not None and self.file and now >= self.file.begins:
            # A quarter more than the rate of the link.
            rate = (self.plan.rate("forward", now) or 8_000) * 125 * 1.25
            self.ends[0].send_file(rate, self.network.began + min(self.end, self.file.ends) - 1)
            self.file, self.sent_file = None, self.file
        elif self.connected is not None and self.watched is None and now >= self.end:
            self.watched = [one.finish() for one in self.ends]
        elif self.connected is not None and self.watched is None:
            for one in self.ends:
                one.poll()

    def judged(self, packets, skip):
        """The figures and curves of both directions."""
        assert self.connected is not None and self.end - self.connected > skip + 2, f"connected after {self.connected} of {self.end} s"
        found = {}
        for index, direction in enumerate(("forward", "backward")):
            sender, receiver = self.ends[index], self.ends[1 - index]
            fec = next((said["fecBytes"] for said in reversed(receiver.reports) if said.get("fecBytes")), 0)
            call = judge.Direction(
                self.plan, direction, [packet for packet in packets if packet.direction == direction],
                video_ssrc(self.descriptions[index]), self.watched[1 - index], self.film, self.network.began, self.connected, self.end,
                fec_bytes=fec)
            figures = judge.judge(call, skip)
            found[direction] = {
                "sender": sender.kind, "figures": {name: value if value is None else round(value, 4) for name, value in figures.items()},
                "curves": judge.curves(call, sender.reports), "unreadable": sum(one.number is None for one in call.watched.shown),
                "shown": len(call.watched.shown), "errors": call.watched.errors,
                "said": {"sender": last(sender.reports), "receiver": last(receiver.reports)}}
        if self.sent_file:
            begin, end = self.sent_file.begins + 2, min(self.end, self.sent_file.ends) - 1
            total = sum(size for at, size in self.ends[1].received() if begin <= at - self.network.began < end)
            found["forward"]["figures"]["dataKbps"] = round(total * 8 / 1000 / (end - begin), 1)
        return found


def run(plan, left, right, film, folder, seconds=None, codec="VP8", maximum=4_000_000, playwright=None, skip=5.0, seed=1, calls=1,
        relay=None, duet=()):
    """Runs calls between two kinds of ends: one call per media flow of the schedule, its TCP flows, and a file that the left end
    of the first call sends over a data channel. Each call is bidirectional.

    `relay` is "udp", "tcp" or "tls" if the left end, which then is `duet`, uses a TURN server behind the link. The link then sees
    no RTP, so there is no goodput. `duet` are more options of `duet peer`, for each end that is one.

    Returns the figures and curves of each call by direction: "forward" is what the left end sends.
    """
    folder = Path(folder)
    seconds = min(seconds or plan.seconds, plan.seconds)
    tone = sound.make(folder / "tone.wav")
    with contextlib.ExitStack() as ending:
        network = ending.enter_context(contextlib.closing(NarrowNetwork(plan, folder, seed=seed)))
        flows = [flow for flow in plan.flows if flow.kind == "media" and flow.begins < seconds - skip][:calls]
        options = film, tone, codec, maximum, playwright, seconds, tuple(duet)
        turn = ending.enter_context(contextlib.closing(Relay(network.right, relay, folder))) if relay else None
        made = [Call(network, plan, flow, number, (left, right), ending, folder, options, turn) for number, flow in enumerate(flows)]
        stop = threading.Event()
        began, stalls = network.start(), Stalls()
        for flow in plan.flows:
            if flow.kind == "tcp" and flow.begins < seconds:
                threads, sockets = download(network, flow.begins, min(flow.ends, seconds), stop)
                for thread in threads:
                    thread.start()
                    ending.callback(waiting.stop, thread, *sockets)
        ending.callback(stop.set)
        while time.monotonic() < began + seconds:
            for call in made:
                call.step()
            time.sleep(0.1)
        stop.set()
        machine = stalls.end()
        for call in made:
            call.step()
        late = network.stop()
        packets = network.packets()
        found = [call.judged(packets, skip) for call in made]
        for way in (way for call in found for way in call.values() if relay):
            way["figures"] |= {"goodputKbps": None, "sentKbps": None}
    return {"schedule": plan.name, "left": left, "right": right, "seconds": seconds, "connectedAfter": round(made[0].connected, 2),
            "link": late, "machine": machine, "directions": found[0], "calls": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("schedule")
    parser.add_argument("left", choices=("duet", "chromium"))
    parser.add_argument("right", choices=("duet", "chromium"))
    parser.add_argument("--film", default=str(FILM), help="what network.film has made")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--codec", default="VP8")
    parser.add_argument("--calls", type=int, default=1, help="how many of the schedule's media flows (1)")
    parser.add_argument("--relay", choices=("udp", "tcp", "tls"), help="through a TURN server behind the link, which the left end uses")
    parser.add_argument("--duet", metavar="OPTION", action="append", default=[],
                        help="one more option of `duet peer`, such as --duet=--no-fec")
    parser.add_argument("--seed", type=int, default=1, help="of the link's losses (1)")
    parser.add_argument("--json", help="where to write everything")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="where to leave the link's counts and trace")
    options = parser.parse_args()
    if options.relay and options.left != "duet":
        parser.error("it is duet that uses a relay: on the left")
    film = films.load(options.film) if Path(options.film) != FILM else films.make(FILM)
    with contextlib.ExitStack() as ending:
        playwright = None
        if "chromium" in (options.left, options.right):
            from playwright.sync_api import sync_playwright
            playwright = ending.enter_context(sync_playwright())
        folder = options.keep or ending.enter_context(tempfile.TemporaryDirectory())
        Path(folder).mkdir(parents=True, exist_ok=True)
        result = run(schedule.load(options.schedule), options.left, options.right, film, folder, options.seconds, options.codec,
                     playwright=playwright, seed=options.seed, calls=options.calls, relay=options.relay, duet=options.duet)
    if options.json:
        Path(options.json).write_text(json.dumps(result) + "\n")
    print(f"connected after {result['connectedAfter']} s; link: {result['link']}; machine: {result['machine']}")
    for direction, found in (entry for call in result["calls"] for entry in call.items()):
        print(direction, found["sender"], found["shown"], "shown", found["unreadable"], "unreadable", found["errors"])
        print("  ", found["figures"])
        for end, said in found["said"].items():
            print("  ", end, said)


if __name__ == "__main__":
    main()
