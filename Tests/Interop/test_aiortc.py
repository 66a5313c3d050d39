"""Duet and aiortc, which neither trickles nor restarts, and speaks DTLS 1.2."""
import pytest


@pytest.mark.parametrize("trickle", [True, False], ids=["trickle", "no-trickle"])
def test_duet_offers(ring, trickle):
    duet = ring.duet("offer", "--echo", *([] if trickle else ["--no-trickle"]))
    python = ring.aiortc()
    session = ring.session(duet, python)
    session.connect("data")
    messages = ["text", b"\x00\xff", "", b"", bytes(range(256)) * 1024]
    for message in messages:
        python.send("data", message)
    assert session.wait_for_messages(python, "data", len(messages)) == messages


@pytest.mark.parametrize("trickle", [True, False], ids=["trickle", "no-trickle"])
def test_duet_answers(ring, trickle):
    python = ring.aiortc(offers=True, channels={"data": {}, "loose": {"ordered": False, "maxRetransmits": 1}})
    duet = ring.duet("answer", "--echo", *([] if trickle else ["--no-trickle"]))
    session = ring.session(python, duet)
    session.connect("data", "loose")
    for label in ("data", "loose"):
        messages = ["text", b"\x00\xff", bytes(40_000)]
        received = session.echoes(python, label, messages, may_lose=label == "loose")
        assert sorted(map(repr, received)) == sorted(map(repr, messages))


def test_channels_from_both_sides(ring):
    duet = ring.duet("offer", "--echo")
    python = ring.aiortc()
    session = ring.session(duet, python)
    session.connect("data")
    python.open("from python")
    duet.open("from duet")
    session.connect("data", "from python", "from duet")
    for label in ("from python", "from duet"):
        python.send(label, label)
        assert session.wait_for_messages(python, label, 1) == [label]
    duet.close_channel("from duet")
    session.pump(lambda: not python.is_open("from duet") and not duet.is_open("from duet"), what="the closed channel")
    python.send("data", "still there")
    assert session.wait_for_messages(python, "data", 1) == ["still there"]


def test_aiortc_that_closes_is_noticed(ring):
    python = ring.aiortc(offers=True, channels={"data": {}})
    duet = ring.duet("answer")
    session = ring.session(python, duet)
    session.connect("data")
    python.close()
    duet.wait_for(lambda d: not d.is_open("data"), what="the end of the channel")
