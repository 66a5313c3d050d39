"""Sound and picture between Duet and Chromium: every codec, every SRTP profile, both roles, and changes in mid-call.

Both send the test picture, whose number is read at the other end, and a tone, of 440 hertz from Duet and 1,000 from
Chromium.
"""
import time

import pytest

from test_chromium import ROLES, ice_credentials

KINDS = ["audio", "video"]
FREQUENCY = {"duet": 440, "page": 1000}


def call(ring, role, *options, kinds=KINDS, trickle=True, browser="browser", **peer):
    """A call in which both sides send tracks of `kinds`. `role` is Duet's."""
    page = ring.page(browser, trickle=trickle, polite=role == "offer", waits=role == "offer", **peer)
    page.add_track(*kinds)
    media = [word for kind in kinds for word in (f"--{kind}", {"audio": "tone", "video": "test:320x180"}[kind])]
    duet = ring.duet(role, "--content", *media, *options, *([] if trickle else ["--no-trickle"]))
    session = ring.session(duet, page)
    session.pump(lambda: duet.state == page.state == "connected", what="the connection")
    return duet, page, session


def exchange(session, duet, page, kinds=KINDS):
    """Waits until both sides see and hear each other."""
    for kind in kinds:
        session.wait_for_content(page, kind, FREQUENCY["duet"])
        session.wait_for_content(duet, kind, FREQUENCY["page"])


def add_and_remove_video(duet, page, session, who):
    """Twice: the second time over another transceiver, as W3C's addTrack has it."""
    exchange(session, duet, page, ["audio"])
    sender, receiver = (duet, page) if who == "duet" else (page, duet)
    for round in range(2):
        sender.add_track("video")
        session.wait_for_content(receiver, "video")
        sender.remove_track("video")
        if receiver is page:
            session.pump(lambda: page.content("video")["muted"], what="the end of the track")
        else:
            session.pump(lambda: [e for e in duet.events("trackState") if e["kind"] == "video"][-1]["state"] == "muted",
                         what="the end of the track")
    # What goes on all the time is the sound.
    exchange(session, duet, page, ["audio"])
    assert page.look()["errors"] == [] and not duet.events("error")


def restart_ice_twice(duet, page, session, who):
    exchange(session, duet, page)
    current = "peer.connection.currentLocalDescription?.sdp ?? ''"
    for _ in range(2):
        before = ice_credentials(page.page.evaluate(current))
        {"duet": duet, "page": page}[who].restart_ice()
        session.pump(lambda: page.page.evaluate("peer.connection.signalingState === 'stable'")
                     and not before & ice_credentials(page.page.evaluate(current)), what="new credentials")
        exchange(session, duet, page)
    session.pump(lambda: duet.state == page.state == "connected", what="a connection that goes on")
    assert page.look()["errors"] == [] and not duet.events("error")


@pytest.mark.parametrize("role", ROLES)
def test_a_call(ring, role):
    duet, page, session = call(ring, role)
    exchange(session, duet, page)
    assert {event["kind"] for event in duet.events("track")} == {"audio", "video"}
    assert len(duet.events("firstFrame")) == 1 and len(duet.events("firstAudio")) == 1
    first = duet.events("firstFrame")[0]
    assert (first["width"], first["height"]) == (320, 180) and 0 < first["ms"] < 20_000
    assert page.look()["errors"] == []
    # One exchange says it all.
    assert [signal["type"] for _, signal in session.log if "type" in signal] == ["offer", "answer"]


@pytest.mark.parametrize("codec", ["vp8", "vp9", "h264"])
@pytest.mark.parametrize("role", ROLES)
def test_video_codecs(ring, role, codec):
    duet, page, session = call(ring, role, "--codec", codec, kinds=["video"])
    exchange(session, duet, page, ["video"])
    assert page.codec("video", "inbound") == page.codec("video", "outbound") == codec


def smooth(session, seconds, count):
    """Whether `count()` grows as fast as pictures come, over some seconds."""
    session.pump(lambda: count() > 10, what="the first pictures")
    before, start = count(), time.monotonic()
    session.pump(lambda: time.monotonic() - start >= seconds, what="some seconds", timeout=seconds + 10)
    return (count() - before) / (time.monotonic() - start)


@pytest.mark.parametrize("mode", ["L1T2", "L1T3"])
@pytest.mark.parametrize("codec", ["vp8", "vp9"])
def test_chromium_plays_temporal_layers(ring, codec, mode):
    duet, page, session = call(ring, "offer", "--codec", codec, "--scalability-mode", mode, "--stats", kinds=["video"])
    exchange(session, duet, page, ["video"])
    inbound = lambda: next(s for s in page.stats("inbound-rtp") if s["kind"] == "video")
    rate = smooth(session, 5, lambda: inbound().get("framesDecoded", 0))
    assert rate > 20, inbound()
    assert page.codec("video", "inbound") == codec
    # All layers are decoded, without further key frames.
    last = inbound()
    assert last["keyFramesDecoded"] <= 3 and last["pliCount"] <= 1 and last["framesReceived"] - last["framesDecoded"] <= 10, last
    outbound = [s for s in duet.events("stats")[-1]["outboundRTP"] if s["kind"] == "video"][0]
    assert outbound["scalabilityMode"] == mode
    assert page.look()["errors"] == [] and not duet.events("error")


@pytest.mark.parametrize("mode", ["L1T2", "L1T3"])
@pytest.mark.parametrize("codec", ["vp8", "vp9"])
def test_duet_plays_chromiums_temporal_layers(ring, codec, mode):
    duet, page, session = call(ring, "answer", "--codec", codec, "--stats", kinds=["video"])
    exchange(session, duet, page, ["video"])
    page.set_layers(mode)
    outbound = lambda: next(s for s in page.stats("outbound-rtp") if s["kind"] == "video")
    session.pump(lambda: outbound().get("scalabilityMode") == mode, what="the layers")
    decoded = lambda: duet.events("stats")[-1]["inboundRTP"][0].get("framesDecoded", 0)
    rate = smooth(session, 5, decoded)
    assert rate > 20, duet.events("stats")[-1]
    inbound = duet.events("stats")[-1]["inboundRTP"][0]
    # A layer that was misread would cost a quarter or half of the frames.
    assert inbound["pliCount"] <= 2 and inbound["framesDropped"] <= 0.1 * inbound["framesDecoded"], inbound
    assert page.look()["errors"] == [] and not duet.events("error")


@pytest.mark.parametrize("codec", ["opus", "pcmu", "pcma"])
@pytest.mark.parametrize("role", ROLES)
def test_audio_codecs(ring, role, codec):
    duet, page, session = call(ring, role, "--codec", codec, kinds=["audio"])
    exchange(session, duet, page, ["audio"])
    assert page.codec("audio", "inbound") == page.codec("audio", "outbound") == codec


@pytest.mark.parametrize("profile", ["AES128_CM_HMAC_SHA1_80", "AEAD_AES_128_GCM", "AEAD_AES_256_GCM"])
@pytest.mark.parametrize("role", ROLES)
def test_srtp_profiles(ring, role, profile):
    duet, page, session = call(ring, role, "--srtp-profile", profile)
    exchange(session, duet, page)
    assert profile.removesuffix("_HMAC_SHA1_80") in page.srtp_profile()


@pytest.mark.parametrize("policy", ["balanced", "max-compat", "max-bundle"])
@pytest.mark.parametrize("role", ROLES)
def test_bundle_policies(ring, role, policy):
    duet, page, session = call(ring, role, configuration={"bundlePolicy": policy})
    exchange(session, duet, page)


@pytest.mark.parametrize("role", ROLES)
def test_without_trickle(ring, role):
    duet, page, session = call(ring, role, trickle=False)
    exchange(session, duet, page)


@pytest.mark.parametrize("role", ROLES)
def test_one_side_only_receives(ring, role):
    """A peer without tracks takes what is offered."""
    page = ring.chromium(polite=role == "offer")
    if role == "answer":
        page.add_track(*KINDS)
        duet = ring.duet("answer", "--content")
        receiver, frequency = duet, FREQUENCY["page"]
    else:
        duet = ring.duet("offer", "--video", "test", "--audio", "tone")
        receiver, frequency = page, FREQUENCY["duet"]
    session = ring.session(duet, page)
    for kind in KINDS:
        session.wait_for_content(receiver, kind, frequency)
    assert page.look()["errors"] == []


@pytest.mark.parametrize("who", ["duet", "page"])
@pytest.mark.parametrize("role", ROLES)
def test_video_is_added_and_removed_in_mid_call(ring, role, who):
    add_and_remove_video(*call(ring, role, kinds=["audio"]), who)


@pytest.mark.parametrize("role", ROLES)
def test_both_add_video_at_once(ring, role):
    duet, page, session = call(ring, role, kinds=["audio"])
    exchange(session, duet, page, ["audio"])
    duet.add_track("video")
    page.add_track("video")
    exchange(session, duet, page)
    assert page.look()["errors"] == [] and not duet.events("error")


@pytest.mark.parametrize("role", ROLES)
def test_duet_mutes(ring, role):
    duet, page, session = call(ring, role)
    exchange(session, duet, page)
    for _ in range(2):
        for kind in KINDS:
            duet.set_muted(kind, True)
        session.pump(lambda: page.content("audio")["frequency"] is None, what="silence")
        session.pump(lambda: page.content("video")["brightness"] < 10, what="a black picture")
        for kind in KINDS:
            duet.set_muted(kind, False)
        exchange(session, duet, page)


@pytest.mark.parametrize("role", ROLES)
def test_chromium_mutes(ring, role):
    duet, page, session = call(ring, role)
    exchange(session, duet, page)
    for _ in range(2):
        for kind in KINDS:
            page.set_muted(kind, True)
        session.pump(lambda: "frequency" not in duet.content("audio"), what="silence")
        session.pump(lambda: "number" not in duet.content("video"), what="a black picture")
        for kind in KINDS:
            page.set_muted(kind, False)
        exchange(session, duet, page)


@pytest.mark.parametrize("who", ["duet", "page"])
@pytest.mark.parametrize("role", ROLES)
def test_ice_restart_in_a_running_call(ring, role, who):
    restart_ice_twice(*call(ring, role), who)


def test_chromium_that_changes_the_size_is_followed(ring):
    duet, page, session = call(ring, "answer", kinds=["video"])
    exchange(session, duet, page, ["video"])
    page.page.evaluate("peer.resize(640, 360)")
    session.pump(lambda: duet.content("video")["width"] == 640, what="the new size")
    session.wait_for_content(duet, "video")
