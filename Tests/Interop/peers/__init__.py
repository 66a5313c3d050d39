"""Peers that a test can connect to each other, whatever they are made of.

Every peer has the same face:

    signals()                    what it has said since the last call: descriptions and candidates, as `duet` prints them
    accept(signal)               hands it what the other one said
    state                        its connection state, in the W3C's words
    open(label, …)               opens a data channel
    is_open(label)               whether a channel of that name is open
    send(label, text or bytes)   sends one message
    received(label)              the messages that arrived so far: str for text, bytes for binary; from `duet`, which
                                 prints no content of binary messages, an int, their size
    close_channel(label)
    restart_ice()
    add_track(kind)              sends the test picture ("video") or a tone ("audio"); remove_track(kind)
    set_muted(kind, muted)       sends no content of it
    content(kind)                what it sees or hears of the other side: {"number": …, "frames": …}, {"frequency": …}
    close()                      ends it; may be called twice
    describe()                   what a person wants to see when a test fails

`Session` carries the signals between two of them.
"""
import os
import time

from .pace import Delays
from .patience import Wait

# Seconds. A message may be abandoned 400 ms after it was sent, at the earliest; arrivals are acknowledged within 200 ms.
ACKNOWLEDGEMENT = 0.2


def written(file):
    """The content of a file that a process writes to. The file position is shared with that process, so it must not be moved."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors="replace")


class Session:
    """Two peers and the signalling between them."""

    def __init__(self, one, other):
        self.one, self.other = one, other
        self.log = []

    def pump(self, until, timeout=20.0, what="the condition"):
        """Carries signals both ways until `until()` is true, and returns its value; fails after `timeout` seconds."""
        wait = Wait(timeout)
        while True:
            busy = False
            for sender, receiver in ((self.one, self.other), (self.other, self.one)):
                for signal in sender.signals():
                    self.log.append((type(sender).__name__, signal))
                    receiver.accept(signal)
                    busy = True
            if value := until():
                return value
            if wait.is_over:
                raise AssertionError(
                    f"{what} did not come true within {wait}\n{self.one.describe()}\n{self.other.describe()}")
            if not busy:
                time.sleep(0.005)

    def connect(self, *labels, timeout=20.0):
        """Waits until both are connected and the channels are open on both sides."""
        self.pump(
            lambda: all(p.state == "connected" and all(p.is_open(label) for label in labels)
                        for p in (self.one, self.other)),
            timeout, f"the connection with the channels {list(labels)}")

    def wait_for_messages(self, peer, label, count, timeout=20.0):
        self.pump(lambda: len(peer.received(label)) >= count, timeout, f"the arrival of {count} messages on {label}")
        return peer.received(label)

    def echoes(self, peer, label, messages, may_lose=False, timeout=20.0):
        """Sends messages, and returns their echoes, all of them.

        No packet is lost here. But a channel with a limit abandons a message whose acknowledgement is late, because one of the
        two processes was not scheduled. Only then the messages are sent again."""
        for left in (3, 2, 1, 0):
            before, delays, wait = len(peer.received(label)), Delays(), Wait(timeout / 4)
            for message in messages:
                peer.send(label, message)
            self.pump(lambda: len(peer.received(label)) >= before + len(messages) or may_lose and wait.is_over,
                      timeout, f"what comes back on {label}")
            received = peer.received(label)[before:]
            if len(received) == len(messages):
                return received
            assert left and delays.longest >= ACKNOWLEDGEMENT, (
                f"of {len(messages)} messages on {label} {len(received)} came back, and no thread was kept waiting for "
                f"more than {delays.longest:.3f} s")

    def wait_for_content(self, peer, kind, frequency=None, timeout=20.0):
        """Waits until `peer` receives moving video of the other side, or a tone of this frequency."""
        if kind == "audio":
            def heard():
                content = peer.content("audio")
                # The browser's spectrum has steps of 3 hertz.
                return content and content.get("frequency") and abs(content["frequency"] - frequency) < 8
            return self.pump(heard, timeout, f"a tone of {frequency} hertz")
        tracks = {}

        def moves():
            content = peer.content("video")
            number = content.get("number") if content else None
            if number is None:
                return False
            # The last number of another track, which counts separately, may still be reported.
            numbers = tracks.setdefault(content.get("mid", content.get("track")), [])
            if not numbers or number != numbers[-1]:
                # Numbers only rise, unless another track has replaced it, which begins with 0.
                assert not numbers or number > numbers[-1] or number < 60, f"pictures go back: {numbers}, {number}"
                numbers[:] = [n for n in numbers if n < number] + [number]
            return len(numbers) >= 3
        self.pump(moves, timeout, "pictures that move")

    def settle(self, seconds):
        """Continues for a while, to show that something does *not* happen."""
        end = time.monotonic() + seconds
        self.pump(lambda: time.monotonic() >= end, seconds + 1)

    def candidates(self, sender):
        return [s for name, s in self.log if name == type(sender).__name__ and "candidate" in s]
