"""Sound and picture between Duet and aiortc, which has no transport-wide feedback and no VP9."""
import pytest

from test_chromium import ROLES

KINDS = ["audio", "video"]


def call(ring, role, *options, kinds=KINDS):
    media = [word for kind in kinds for word in (f"--{kind}", {"audio": "tone", "video": "test:320x180"}[kind])]
    if role == "offer":
        python = ring.aiortc(tracks=kinds)
        duet = ring.duet("offer", "--content", *media, *options)
    else:
        python = ring.aiortc(offers=True, tracks=kinds)
        duet = ring.duet("answer", "--content", *media, *options)
    session = ring.session(duet, python)
    session.pump(lambda: duet.state == python.state == "connected", what="the connection")
    return duet, python, session


def exchange(session, duet, python, kinds=KINDS):
    for kind in kinds:
        session.wait_for_content(python, kind, 440)
        session.wait_for_content(duet, kind, 1000)
    assert python.errors == []


@pytest.mark.parametrize("role", ROLES)
def test_a_call(ring, role):
    duet, python, session = call(ring, role)
    exchange(session, duet, python)
    assert {event["kind"] for event in duet.events("track")} == {"audio", "video"}


@pytest.mark.parametrize("codec", ["vp8", "h264", "opus", "pcmu", "pcma"])
@pytest.mark.parametrize("role", ROLES)
def test_codecs(ring, role, codec):
    kind = "video" if codec in ("vp8", "h264") else "audio"
    duet, python, session = call(ring, role, "--codec", codec, kinds=[kind])
    exchange(session, duet, python, [kind])
    assert python.codec(kind) == codec


@pytest.mark.parametrize("profile", ["AES128_CM_HMAC_SHA1_80", "AEAD_AES_128_GCM", "AEAD_AES_256_GCM"])
@pytest.mark.parametrize("role", ROLES)
def test_srtp_profiles(ring, role, profile):
    duet, python, session = call(ring, role, "--srtp-profile", profile)
    exchange(session, duet, python)


@pytest.mark.parametrize("who", ["duet", "python"])
@pytest.mark.parametrize("role", ROLES)
def test_video_is_added_in_mid_call(ring, role, who):
    duet, python, session = call(ring, role, kinds=["audio"])
    exchange(session, duet, python, ["audio"])
    sender, receiver = (duet, python) if who == "duet" else (python, duet)
    sender.add_track("video")
    session.wait_for_content(receiver, "video")
    exchange(session, duet, python, ["audio"])


@pytest.mark.parametrize("role", ROLES)
def test_mute(ring, role):
    duet, python, session = call(ring, role)
    exchange(session, duet, python)
    for kind in KINDS:
        duet.set_muted(kind, True)
        python.set_muted(kind, True)
    session.pump(lambda: python.content("audio")["frequency"] is None and "frequency" not in duet.content("audio"),
                 what="silence")
    session.pump(lambda: python.content("video")["number"] is None and "number" not in duet.content("video"),
                 what="black pictures")
    for kind in KINDS:
        duet.set_muted(kind, False)
        python.set_muted(kind, False)
    exchange(session, duet, python)


@pytest.mark.parametrize("role", ROLES)
def test_duet_removes_video(ring, role):
    duet, python, session = call(ring, role)
    exchange(session, duet, python)
    answers = lambda: sum(signal.get("type") == "answer" for _, signal in session.log)
    before = answers()
    duet.remove_track("video")
    session.pump(lambda: answers() > before, what="an agreement")
    # What was on its way is still shown.
    frames = []

    def stands_still():
        frames.append(python.content("video")["frames"])
        session.settle(0.5)
        return python.content("video")["frames"] == frames[-1]
    session.pump(stands_still, what="the end of the pictures")
    session.settle(0.5)
    assert python.content("video")["frames"] == frames[-1]
    session.wait_for_content(python, "audio", 440)
    session.wait_for_content(duet, "video")
