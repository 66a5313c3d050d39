"""The two kinds of ends that a call across a link has. Both send a marked film and a sound, and keep what they show and play:

    description(offer)   its offer, or its answer to one
    accept(answer)
    state                its connection state
    poll()               to be called often: keeps its statistics, once a second
    reports              what it said of itself: dicts with "time" and what `report` finds
    send_file(rate, end)  sends messages of 16 KiB by a data channel until a time, as fast as it may; at most so many bytes a second
    received()           what came of such: (time, bytes)
    finish()             ends it; returns what was watched
"""
import array
import base64
import json
import os
import stat
import threading
import time
from pathlib import Path

from peers import chromium
from peers.duet import DuetPeer
from peers.patience import wait_until

from .watch import PipeWatch, Shown, Watched

KINDS = ("duet", "chromium")
MESSAGE = 16_384
SCRIPT = Path(__file__).with_name("page.js").read_text()


class DuetEnd:
    kind = "duet"

    def __init__(self, side, film, sound, folder, codec="VP8", maximum=4_000_000, role="offer", address=None, options=()):
        folder.mkdir(parents=True, exist_ok=True)
        self._watch = PipeWatch(folder)
        self.role, self.reports, self._read = role, [], 0
        self.peer = DuetPeer(
            role, "--no-trickle", "--stats", "--video", str(film.path), "--audio", str(sound), "--codec", codec.lower(), "--codec",
            "opus", "--bind", address or side.address, "--record-video", str(self._watch.video_path), "--record-audio",
            str(self._watch.audio_path), "--trace", str(folder / "duet.trace"), *options, within=side.within)

    def description(self, offer=None):
        if offer:
            self.peer.accept(offer)
        wanted = "answer" if offer else "offer"
        self.peer.wait_for(lambda peer: any(line.get("type") == wanted for line in peer.lines), 15, f"its {wanted}")
        return next(line for line in self.peer.lines if line.get("type") == wanted)

    def accept(self, answer):
        self.peer.accept(answer)

    @property
    def state(self):
        return self.peer.state

    def poll(self):
        lines = self.peer.lines
        for place in range(self._read, len(lines)):
            if (entry := lines[place]).get("event") == "stats":
                self.reports.append(report(entry["inboundRTP"], entry["outboundRTP"], entry["candidatePairs"], self.peer.times[place]))
        self._read = len(lines)

    def send_file(self, rate, end):
        """The queue's length is not reported, so messages are passed at the given rate."""
        message = base64.b64encode(os.urandom(MESSAGE)).decode()
        line = json.dumps({"command": "send", "label": "data", "base64": message})

        def send():
            begin, count = time.monotonic(), 0
            while (now := time.monotonic()) < end and self.peer.process.poll() is None:
                while count * MESSAGE < (now - begin) * rate:
                    self.peer.line(line)
                    count += 1
                time.sleep(0.01)
        threading.Thread(target=send, daemon=True).start()

    def received(self):
        lines = self.peer.lines
        return [(self.peer.times[place], line.get("size", 0)) for place, line in enumerate(lines)
                if line.get("event") == "message"]

    def finish(self):
        self.poll()
        self.peer.close()
        return self._watch.finish()

    def close(self):
        self.peer.close()
        self._watch.finish()


def launch(playwright, side, folder, *more):
    """A browser in the namespace of a side. It gathers its candidates itself: there is one address."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "chromium"
    program.write_text(f"#!/bin/sh\nexec {' '.join(side.within)} {chromium.path()} \"$@\"\n")
    os.chmod(program, stat.S_IRWXU)
    flags = [flag for flag in chromium.FLAGS if not flag.startswith((
        "--allow-loopback-in-peer-connection", "--use-fake-device-for-media-stream"))]
    return playwright.chromium.launch(executable_path=str(program), headless=True, args=[*flags, chromium.PLAIN_ADDRESSES, *more])


def open_page(browser, script):
    page = browser.new_page()
    page.set_default_timeout(60_000)
    # Cameras need a secure origin. The request does not leave the machine.
    page.route("https://call.test/", lambda route: route.fulfill(body="<!doctype html>"))
    page.goto("https://call.test/")
    page.add_script_tag(content=script)
    return page


class ChromiumEnd:
    """A browser for one side, in its namespace."""
    kind = "chromium"

    def __init__(self, side, film, sound, folder, codec="VP8", maximum=4_000_000, playwright=None):
        self.reports, self._next_report, self._received = [], 0.0, []
        self._browser = launch(
            playwright, side, folder, "--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={film.path}",
            f"--use-file-for-fake-audio-capture={sound}")
        try:
            self.page = open_page(self._browser, SCRIPT)
            self.page.evaluate("options => call.prepare(options)", {
                "width": film.width, "height": film.height, "rate": film.rate, "maximum": maximum, "codec": codec})
        except BaseException:
            self._browser.close()
            raise

    def description(self, offer=None):
        return self.page.evaluate("offer => offer ? call.accept(offer) : call.offer()", offer)

    def accept(self, answer):
        self.page.evaluate("answer => call.accept(answer)", answer)

    @property
    def state(self):
        return self.page.evaluate("call.peer.connectionState")

    def poll(self):
        if (now := time.monotonic()) >= self._next_report:
            self._next_report = now + 1
            found = self.page.evaluate("call.statistics()")
            self.reports.append(report(found["inbound"], found["outbound"], found["pairs"], now))

    def send_file(self, rate, end):
        self.page.evaluate("seconds => { call.sendFile(seconds); }", end - time.monotonic())

    def received(self):
        return self._received

    def finish(self):
        # The minimum of several differences between two clocks of one machine.
        offset = min(self._clock_difference() for _ in range(10))
        found = self.page.evaluate("call.finish()")
        watched = Watched(errors=found["errors"])
        self._received = [(at / 1000 + offset, size) for at, size in found["received"]]
        watched.shown = [Shown(at / 1000 + offset, *rest) for at, *rest in found["shown"]]
        watched.moments = [(at / 1000 + offset, place, picture) for at, place, picture in found["moments"]]
        watched.pictures = [(width, height, base64.b64decode(self.page.evaluate("index => call.picture(index)", index)))
                            for index, (width, height) in enumerate(found["sizes"])]
        watched.sound = array.array("h", base64.b64decode(self.page.evaluate("call.soundBytes()")))
        watched.sound_began = (found["soundBegan"] or 0) / 1000 + offset
        self.close()
        return watched

    def _clock_difference(self):
        now = self.page.evaluate("performance.now()")
        return time.monotonic() - now / 1000

    def close(self):
        if self._browser.is_connected():
            self._browser.close()


def each(stream, total):
    """The mean time per frame that the jitter buffer has released, in milliseconds."""
    count = stream.get("jitterBufferEmittedCount")
    return round(stream[total] * 1000 / count) if count and total in stream else None


def report(inbound, outbound, pairs, time):
    """The statistics of an end, with the same names for all kinds."""
    said = {"time": time}
    for stream in outbound:
        if stream.get("kind") == "video":
            said |= {"target": stream.get("targetBitrate"), "sentWidth": stream.get("frameWidth"),
                     "sentHeight": stream.get("frameHeight"), "framesEncoded": stream.get("framesEncoded"),
                     "keyFramesEncoded": stream.get("keyFramesEncoded"), "redundant": stream.get("redundantPacketsSent")}
    for stream in inbound:
        if stream.get("kind") == "video":
            said |= {"freezes": stream.get("totalFreezesDuration"), "framesDecoded": stream.get("framesDecoded"),
                     "fecBytes": stream.get("fecBytesReceived"), "fecPackets": stream.get("fecPacketsReceived"),
                     "pli": stream.get("pliCount"), "nacks": stream.get("nackCount"), "lost": stream.get("packetsLost"),
                     "repeated": stream.get("retransmittedPacketsReceived"), "recovered": stream.get("packetsRecovered"),
                     "framesDropped": stream.get("framesDropped"), "buffered": each(stream, "jitterBufferDelay")}
    for pair in pairs:
        if pair.get("availableOutgoingBitrate"):
            said |= {"estimate": pair["availableOutgoingBitrate"], "roundTrip": pair.get("currentRoundTripTime")}
    return said


def connect(offering, answering, seconds=20):
    """Exchanges the descriptions, and waits until both are connected; returns the descriptions."""
    offer = offering.description()
    answer = answering.description(json.loads(json.dumps(offer)))
    offering.accept(answer)
    wait_until(lambda: offering.state == answering.state == "connected", seconds, "the connection",
               lambda: f"{offering.state}, {answering.state}", step=0.02)
    return offer, answer
