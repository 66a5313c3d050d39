"""Duet and GStreamer's webrtcbin, which has an ICE agent, DTLS, SRTP and SCTP of its own again."""
import pytest

ROLES = ["offer", "answer"]  # Duet's
KINDS = ["audio", "video"]


def meet(ring, role, *kinds):
    other = "answer" if role == "offer" else "offer"
    media = [word for kind in kinds for word in (f"--{kind}", {"audio": "tone", "video": "test:320x180"}[kind])]
    webrtcbin = ring.webrtcbin(other, *kinds)
    # A processor that cannot keep up lowers the frame rate, not the size, which is compared.
    duet = ring.duet(role, "--echo", "--content", "--content-hint", "detail", *media, *(["--channel", "data"] if role == "offer" else []))
    session = ring.session(duet, webrtcbin)
    session.connect("data")
    return duet, webrtcbin, session


@pytest.mark.parametrize("role", ROLES)
def test_a_channel(ring, role):
    duet, webrtcbin, session = meet(ring, role)
    messages = ["hello", "grüße 🎉", "x" * 50_000]
    for message in messages:
        webrtcbin.send("data", message)
    assert session.wait_for_messages(webrtcbin, "data", len(messages)) == messages
    assert duet.received("data") == messages


@pytest.mark.parametrize("role", ROLES)
def test_a_call(ring, role):
    duet, webrtcbin, session = meet(ring, role, *KINDS)
    for peer, hertz in ((duet, 1000), (webrtcbin, 440)):
        session.wait_for_content(peer, "audio", hertz)
        # Its own pictures carry no number, and it reads none: they are counted as they come out of the decoders.
        session.pump(lambda: (peer.content("video") or {}).get("frames", 0) >= 60, what="sixty pictures")
        size = peer.content("video")
        assert (size["width"], size["height"]) == (320, 180)
    assert duet.state == "connected" and not duet.events("error") and not webrtcbin.events("error")
    webrtcbin.send("data", "beside it")
    assert session.wait_for_messages(webrtcbin, "data", 1) == ["beside it"]
