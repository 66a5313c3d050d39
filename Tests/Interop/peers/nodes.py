"""Clients of servers that share their clients."""
import contextlib
import time

from .push import Device


def come_back(server, token, device, after, seconds=30):
    """Continues a session at a server that may still have to learn of it."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(AssertionError, OSError, ValueError):
            return Device(server, token, device, after=after)
        assert time.monotonic() < end, server.describe()
        time.sleep(0.2)


def skip_peer_states(device):
    """The next message that is not about the other side's connection."""
    while (message := device.next())["type"] == "peer":
        pass
    return message
