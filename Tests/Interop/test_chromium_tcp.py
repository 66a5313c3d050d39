"""Duet and Chromium where nothing but TCP gets through: ICE over TCP (RFC 6544). Chromium connects, and never listens."""
import hashlib

import pytest


def over_tcp_alone(peer):
    """Whatever `peer` is told of candidates over UDP is lost on the way."""
    accept = peer.accept

    def pass_on(signal):
        if "sdp" in signal:
            lines = [line for line in signal["sdp"].split("\r\n")
                     if not line.startswith("a=candidate:") or " tcp " in line.lower()]
            signal = signal | {"sdp": "\r\n".join(lines)}
        elif signal.get("candidate") and " tcp " not in signal["candidate"].lower():
            return
        accept(signal)

    peer.accept = pass_on
    return peer


@pytest.mark.parametrize("trickle", [True, False], ids=["trickle", "no-trickle"])
@pytest.mark.parametrize("role", ["offer", "answer"])
def test_a_call_over_tcp(ring, role, trickle):
    options = ["--tcp", "listen", "--bind", "10.77.0.1", "--echo", "--content", "--audio", "tone"]
    options += [] if trickle else ["--no-trickle"]
    page = over_tcp_alone(ring.chromium(trickle=trickle, polite=role == "offer"))
    if role == "offer":
        duet = over_tcp_alone(ring.duet("offer", "--channel", "data", *options))
    else:
        duet = over_tcp_alone(ring.duet("answer", *options))
        page.open("data")
    session = ring.session(duet, page)
    session.connect("data")
    # Chromium sends over a pair that works before the other side has nominated one.
    pair = session.pump(lambda: next((pair for pair in page.stats("candidate-pair")
                                      if pair.get("nominated") and pair["state"] == "succeeded"), None), what="a nominated pair")
    local = next(s for s in page.stats("local-candidate") if s["id"] == pair["localCandidateId"])
    remote = next(s for s in page.stats("remote-candidate") if s["id"] == pair["remoteCandidateId"])
    assert (local["protocol"], remote["protocol"], remote["address"]) == ("tcp", "tcp", "10.77.0.1")
    messages = ["text", "", b"\x00\x01\xff", hashlib.sha256(b"duet").digest() * 2_048, "after"]
    for message in messages:
        page.send("data", message)
    assert session.wait_for_messages(page, "data", len(messages)) == messages
    session.wait_for_content(page, "audio", frequency=440)


def test_a_call_over_tcp_starts_anew(ring):
    """An ICE restart with the same two peers: another connection, and no message is lost."""
    page = over_tcp_alone(ring.chromium(polite=True))
    duet = over_tcp_alone(
        ring.duet("offer", "--channel", "data", "--tcp", "listen", "--bind", "10.77.0.1", "--echo"))
    session = ring.session(duet, page)
    session.connect("data")
    page.send_numbers("data", 500)
    page.restart_ice()
    session.wait_for_messages(page, "data", 500)
    session.pump(lambda: page.state == duet.state == "connected", what="the connection after the restart")
    page.send("data", "after")
    session.pump(lambda: page.received("data")[-1] == "after", what="a message after the restart")
