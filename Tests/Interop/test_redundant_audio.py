"""Redundant audio (RED, RFC 2198) between Duet and Chromium: what either makes of the other's, and of a path that loses packets."""
import contextlib
import time

import pytest

from network import film, schedule, sound
from network import call as calls
from network.ends import ChromiumEnd, DuetEnd, connect
from network.link import NarrowNetwork
from peers.patience import wait_until
from test_chromium_media import FREQUENCY

NAMES = "packetsReceived", "packetsDiscarded", "fecPacketsReceived", "fecPacketsDiscarded"
RED_FIRST = """() => {
    peer.addTrack('audio');
    const [transceiver] = peer.connection.getTransceivers();
    const { codecs } = RTCRtpReceiver.getCapabilities('audio'), red = codecs.filter(({ mimeType }) => mimeType === 'audio/red');
    transceiver.setCodecPreferences([...red, ...codecs.filter(({ mimeType }) => mimeType !== 'audio/red')]);
    return red.length;
}"""


def audio_formats(description):
    line = next(line for line in description["sdp"].splitlines() if line.startswith("m=audio"))
    return line.split()[3:]


def received(duet):
    """Copies of packets that Duet got, and those that were of no use."""
    reports = [report for entry in duet.events("stats") for report in entry["inboundRTP"] if report["kind"] == "audio"]
    return (reports[-1].get("fecPacketsReceived", 0), reports[-1].get("fecPacketsDiscarded", 0)) if reports else (0, 0)


def test_chromium_sends_redundant_sound(ring):
    """Chromium sends it when it is first in the answer, and it is where Chromium's offer has it first."""
    page = ring.page("browser", polite=False)
    duet = ring.duet("answer", "--content", "--stats", "--audio", "tone")
    session = ring.session(duet, page)
    assert page.page.evaluate(RED_FIRST) == 1
    session.pump(lambda: duet.state == page.state == "connected", what="the connection")
    session.wait_for_content(duet, "audio", FREQUENCY["page"])
    session.wait_for_content(page, "audio", FREQUENCY["duet"])
    offer, answer = (next(signal for _, signal in session.log if signal.get("type") == kind) for kind in ("offer", "answer"))
    assert audio_formats(offer)[0] == audio_formats(answer)[0] == "63"
    session.pump(lambda: received(duet)[0] > 50, what="copies of packets")
    # Nothing gets lost here.
    got, discarded = received(duet)
    assert got - discarded <= 5
    session.wait_for_content(duet, "audio", FREQUENCY["page"])


@pytest.mark.parametrize("role", ["offer", "answer"])
def test_both_name_it_behind_opus(ring, role):
    page = ring.page("browser", polite=role == "offer", waits=role == "offer")
    page.add_track("audio")
    duet = ring.duet(role, "--content", "--stats", "--audio", "tone")
    session = ring.session(duet, page)
    session.wait_for_content(duet, "audio", FREQUENCY["page"])
    session.wait_for_content(page, "audio", FREQUENCY["duet"])
    for kind in ("offer", "answer"):
        description = next(signal for _, signal in session.log if signal.get("type") == kind)
        assert audio_formats(description)[:2] == ["111", "63"] and "a=fmtp:63 111/111" in description["sdp"]
    # On a clean path nobody sends it.
    assert received(duet)[0] == 0
    assert page.page.evaluate("peer.stats()") and not any(
        entry.get("fecPacketsReceived") for entry in page.page.evaluate("peer.stats()") if entry["type"] == "inbound-rtp")


@pytest.mark.timeout(120)
def test_chromium_hears_what_duet_repeats(tmp_path, playwright):
    """A tenth of all packets gets lost: Duet repeats its sound, and Chromium plays what it would have made up."""
    with contextlib.ExitStack() as ending:
        network = ending.enter_context(contextlib.closing(NarrowNetwork(schedule.load("loss-10"), tmp_path, trace=False)))
        small = film.make(calls.FILM.with_name("small.y4m"), width=320, height=180, rate=15, pictures=300)
        tone = sound.make(tmp_path / "tone.wav")
        ends = [ending.enter_context(contextlib.closing(DuetEnd(network.left, small, tone, tmp_path / "left", role="offer"))),
                ending.enter_context(contextlib.closing(
                    ChromiumEnd(network.right, small, tone, tmp_path / "right", playwright=playwright)))]
        connect(*ends)
        network.start()

        def sent():
            reports = [one for entry in ends[0].peer.events("stats") for one in entry["outboundRTP"] if one["kind"] == "audio"]
            return reports[-1].get("redundantPacketsSent", 0) if reports else 0

        def heard():
            return next(one for one in ends[1].page.evaluate("call.statistics()")["inbound"] if one["kind"] == "audio")

        wait_until(lambda: sent() > 300, 25, "sound that is repeated", lambda: f"{sent()} packets", step=0.2)
        before, copies = heard(), sent()
        time.sleep(10)
        after = heard()
        # Two in each of 500 packets, or one at times.
        assert sent() - copies > 400
    lost, concealed, played = (
        after[name] - before[name] for name in ("packetsLost", "concealedSamples", "totalSamplesReceived"))
    print(f"{lost} packets lost, {concealed / played:.4f} concealed", {name: after.get(name) for name in NAMES})
    assert lost > 20 and concealed / played < 0.03, (lost, concealed, played)
