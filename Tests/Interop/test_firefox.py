"""Duet and Firefox: what it does in its own way, in both roles, with and without media, and in the call page."""
import random

import pytest

from peers.call import Caller
from peers.page import CallPage, Server
from test_chromium import ROLES, bytes_of, connect
from test_chromium_media import add_and_remove_video, call, exchange, restart_ice_twice

FIREFOX = {"browser": "firefox"}


# Data channels

@pytest.mark.parametrize(("trickle", "dtls"), [(True, "1.3"), (False, "1.2")], ids=["trickle-1.3", "no-trickle-1.2"])
@pytest.mark.parametrize("role", ROLES)
def test_connects_and_talks(ring, role, trickle, dtls):
    duet, page, session = connect(ring, role, "--echo", "--dtls-max", dtls, trickle=trickle, **FIREFOX)
    assert page.dtls_version() == dtls
    page.send("data", "grüße 🎉")
    assert session.wait_for_messages(page, "data", 1) == ["grüße 🎉"]
    assert session.wait_for_messages(duet, "data", 1) == ["grüße 🎉"]


@pytest.mark.parametrize("role", ROLES)
def test_every_kind_of_message_arrives_as_it_was(ring, role):
    """The largest is what we announce, and less than what Firefox does."""
    duet, page, session = connect(ring, role, "--echo", **FIREFOX)
    messages = ["text", "", b"\x00\x01\xff", b"", "ü" * 5_000, bytes_of(65_536), bytes_of(262_144)]
    for message in messages:
        page.send("data", message)
    assert session.wait_for_messages(page, "data", len(messages)) == messages


@pytest.mark.parametrize("opener", ["duet", "page"])
def test_channels_are_opened_and_closed_in_mid_call(ring, opener):
    duet, page, session = connect(ring, "offer", "--echo", **FIREFOX)
    one, other = (duet, page) if opener == "duet" else (page, duet)
    for label in ("second", "third"):
        one.open(label, ordered=False, maxRetransmits=2)
        session.pump(lambda: duet.is_open(label) and page.is_open(label), what="the channel")
        other.close_channel(label)
        session.pump(lambda: not duet.is_open(label) and page.closings(label) == 1, what="the end of it")


# Sound and picture

@pytest.mark.parametrize("role", ROLES)
def test_a_call(ring, role):
    duet, page, session = call(ring, role, **FIREFOX)
    exchange(session, duet, page)
    assert page.look()["errors"] == [] and not duet.events("error")


@pytest.mark.parametrize(("role", "codec", "profile"), [
    ("offer", "vp9", "AES128_CM_HMAC_SHA1_80"), ("answer", "vp8", "AEAD_AES_128_GCM"), ("answer", "vp9", "AEAD_AES_256_GCM"),
])
def test_codecs_and_srtp_profiles(ring, role, codec, profile):
    duet, page, session = call(ring, role, "--codec", codec, "--srtp-profile", profile, **FIREFOX)
    exchange(session, duet, page)
    assert page.codec("video", "inbound") == page.codec("video", "outbound") == codec
    assert profile.removesuffix("_HMAC_SHA1_80") in page.srtp_profile()


@pytest.mark.parametrize(("role", "who"), [("offer", "page"), ("answer", "duet")])
def test_video_is_added_and_removed_in_mid_call(ring, role, who):
    add_and_remove_video(*call(ring, role, kinds=["audio"], **FIREFOX), who)


@pytest.mark.parametrize("who", ["duet", "page"])
@pytest.mark.parametrize("role", ROLES)
def test_ice_restart_in_a_running_call(ring, role, who):
    """An offer that Firefox makes after its answer gives a payload type two meanings."""
    restart_ice_twice(*call(ring, role, **FIREFOX), who)


# The call page

@pytest.mark.parametrize("caller", ["duet", "page"])
def test_a_call_with_the_page(firefox, caller):
    number = random.randrange(10**9)
    server = Server()
    page = CallPage(firefox, server, f"fox.{number}")
    options = ["--as", f"duet.{number}"]
    duet = Caller(server, *(["call", page.name, *options] if caller == "duet" else ["answer", *options]))
    try:
        if caller == "duet":
            page.accept()
        else:
            duet.wait_for("waiting")
            page.call(f"duet.{number}")
        page.wait_for("running")
        page.wait_for_picture()
        duet.wait_for_picture()
        # From the certificates of the descriptions: this Firefox does not tell those that DTLS has verified.
        shown = page.wait_for_code()[0]
        digits = duet.wait_for("verification", lambda line: line["status"] == "code")["digits"]
        assert digits == "".join(filter(str.isdigit, shown))
        page.hang_up()
        page.wait_for_end("hungUp")
        assert duet.wait() == 0 and duet.outcome == "theyHungUp", duet.describe()
    finally:
        duet.close()
        page.close()
        server.close()
