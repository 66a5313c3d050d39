"""A call of two hosts with two ways between them, as of a phone that leaves the Wi-Fi: what reaches each, with real sockets."""
import time

import pytest

from peers.two_ways import TwoWays

SOUND, PICTURE = 0.3, 1.0
MEDIA = ("--audio", "tone", "--video", "test:640x360@30", "--content")


@pytest.fixture
def ways():
    ways = TwoWays()
    yield ways
    ways.close()


def payload_types(session):
    """Those that the descriptions prefer for sound and pictures."""
    description = next(signal["sdp"] for _, signal in session.log if signal.get("type") == "answer")
    lines = description.splitlines()
    return [int(next(line for line in lines if line.startswith(f"m={kind} ")).split()[3]) for kind in ("audio", "video")]


def call(ring, ways):
    phone, desk = ways.duet(ring, "phone", "offer", *MEDIA), ways.duet(ring, "desk", "answer", *MEDIA)
    session = ring.session(phone, desk)
    session.pump(lambda: all(peer.content("video") for peer in (phone, desk)), what="pictures")
    end = time.monotonic() + 4
    session.pump(lambda: time.monotonic() > end)
    return session


def link_in_use(ways, host, payload_type):
    links = [packet[3] for packet in ways.arrivals[host].of(payload_type, time.monotonic() - 0.5)]
    assert links and set(links) == {links[-1]}, links
    return links[-1]


def back(ways, host, payload_type, died):
    """How long after `died` the longest silence was over."""
    times = [packet[0] for packet in ways.arrivals[host].of(payload_type, died - 0.3)]
    assert len(times) > 10, times
    return max((later - earlier, later) for earlier, later in zip(times, times[1:]))[1] - died


def timeline(ways, died):
    """What arrived around `died`, for whoever has to understand a failure: per host, milliseconds, kind and link."""
    return {host: [f"{(when - died) * 1000:.0f} {kind} {link}" for when, _, kind, link in arrivals.packets if -0.5 < when - died < 1]
            for host, arrivals in ways.arrivals.items()}


@pytest.mark.parametrize("deaf", [("phone", "desk"), ("desk",), ("phone",)], ids=["both", "to the desk", "to the phone"])
def test_a_way_that_falls_silent(ring, ways, deaf):
    session = call(ring, ways)
    sound, picture = payload_types(session)
    link = link_in_use(ways, "desk", sound)
    assert link_in_use(ways, "phone", sound) == link
    died = ways.silence(link, *deaf)
    end = time.monotonic() + 4
    session.pump(lambda: time.monotonic() > end)
    for host in deaf:
        assert back(ways, host, sound, died) < SOUND, timeline(ways, died)
        assert back(ways, host, picture, died) < PICTURE, timeline(ways, died)
    # Where one direction lives, what goes the other way may take another link there and this one back.
    for host in deaf:
        assert link_in_use(ways, host, picture) != link
    for peer in (session.one, session.other):
        assert "disconnected" not in [line["value"] for line in peer.events("connectionState")]
        frames = peer.content("video")["frames"]
        session.pump(lambda: peer.content("video")["frames"] > frames + 30, what="pictures that move")


def test_stalls_move_nothing(ring, ways):
    session = call(ring, ways)
    sound, picture = payload_types(session)
    link = link_in_use(ways, "desk", picture)
    for stall in (0.2, 0.5, 1.0):
        ways.silence(link, "phone", "desk")
        end = time.monotonic() + stall
        session.pump(lambda: time.monotonic() > end)
        ways.revive(link, "phone", "desk")
        end = time.monotonic() + 2
        session.pump(lambda: time.monotonic() > end)
        assert link_in_use(ways, "desk", picture) == link_in_use(ways, "phone", picture) == link
