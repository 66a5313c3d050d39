"""Duet and libdatachannel, a third implementation of everything."""
import pytest


@pytest.mark.parametrize("role", ["offer", "answer"])
def test_both_roles(ring, role):
    if role == "offer":
        duet, other = ring.duet("offer", "--echo"), ring.libdatachannel()
    else:
        duet, other = ring.duet("answer", "--echo"), ring.libdatachannel(channels=["data"])
    session = ring.session(duet, other)
    session.connect("data")
    messages = ["text", b"\x00\xff", bytes(200_000)]
    for message in messages:
        other.send("data", message)
    assert session.wait_for_messages(other, "data", len(messages)) == messages
    duet.open("second")
    session.connect("data", "second")
    other.send("second", "two")
    assert session.wait_for_messages(other, "second", 1) == ["two"]
    duet.close_channel("second")
    session.pump(lambda: not other.is_open("second") and not duet.is_open("second"), what="the closed channel")
