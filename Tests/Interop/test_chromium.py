"""Duet and Chromium: both roles, every kind of message and channel, and what changes in mid-call."""
import hashlib

import pytest

ROLES = ["offer", "answer"]
LARGEST = 262_144  # what both announce as max-message-size


def connect(ring, role, *options, trickle=True, browser="browser", channel="data", channel_options=None, **peer):
    """A connected pair. `role` is Duet's; whoever offers opens the channel."""
    options = list(options) + ([] if trickle else ["--no-trickle"])
    page = ring.page(browser, trickle=trickle, polite=role == "offer", **peer)
    if role == "offer":
        duet = ring.duet("offer", "--channel", channel, *options)
    else:
        duet = ring.duet("answer", *options)
        page.open(channel, **(channel_options or {}))
    session = ring.session(duet, page)
    session.connect(channel)
    return duet, page, session


def bytes_of(size):
    """Bytes that are all different from their neighbours, and from those of any other size."""
    block = hashlib.sha256(str(size).encode()).digest()
    return (block * (size // len(block) + 1))[:size]


@pytest.mark.parametrize("dtls", ["1.3", "1.2"])
@pytest.mark.parametrize("trickle", [True, False], ids=["trickle", "no-trickle"])
@pytest.mark.parametrize("role", ROLES)
def test_connects_and_talks(ring, role, trickle, dtls):
    duet, page, session = connect(ring, role, "--echo", "--dtls-max", dtls, trickle=trickle)
    assert page.dtls_version() == dtls
    page.send("data", "grüße 🎉")
    assert session.wait_for_messages(page, "data", 1) == ["grüße 🎉"]
    assert session.wait_for_messages(duet, "data", 1) == ["grüße 🎉"]
    if not trickle:
        assert not session.candidates(duet) and not session.candidates(page)


@pytest.mark.parametrize("role", ROLES)
def test_every_kind_of_message_arrives_as_it_was(ring, role):
    duet, page, session = connect(ring, role, "--echo")
    messages = ["text", "", b"\x00\x01\xff", b"", "ü" * 5_000, bytes_of(1_200), bytes_of(65_536), bytes_of(LARGEST)]
    for message in messages:
        page.send("data", message)
    # The echo comes back in its kind and unharmed, in order: so it arrived that way.
    assert session.wait_for_messages(page, "data", len(messages)) == messages
    said = session.wait_for_messages(duet, "data", len(messages))
    assert said == [m if isinstance(m, str) else len(m) for m in messages]


@pytest.mark.parametrize("role", ROLES)
def test_duet_sends_every_kind_of_message(ring, role):
    duet, page, session = connect(ring, role)
    messages = ["text", "", b"\x00\x01\xff", b"", bytes_of(LARGEST), "after"]
    for message in messages:
        duet.send("data", message)
    assert session.wait_for_messages(page, "data", len(messages)) == messages


def test_thousands_of_messages_stay_in_order(ring):
    duet, page, session = connect(ring, "answer", "--echo")
    page.send_numbers("data", 5_000)
    assert session.wait_for_messages(page, "data", 5_000) == [str(i) for i in range(5_000)]


def test_a_message_before_the_channel_is_open_waits(ring):
    page = ring.chromium()
    duet = ring.duet("offer")
    duet.send("data", "early")
    session = ring.session(duet, page)
    session.connect("data")
    assert session.wait_for_messages(page, "data", 1) == ["early"]


@pytest.mark.parametrize("reliability", [{}, {"maxRetransmits": 0}, {"maxRetransmits": 3}, {"maxPacketLifeTime": 500}],
                         ids=["reliable", "never-again", "three-times", "half-a-second"])
@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "unordered"])
def test_channels_of_every_reliability_from_chromium(ring, ordered, reliability):
    duet, page, session = connect(
        ring, "answer", "--echo", channel_options={"ordered": ordered, **reliability})
    messages = [f"message {i}" for i in range(20)] + [bytes_of(50_000)]
    received = session.echoes(page, "data", messages, may_lose=bool(reliability))
    # Nothing is lost on a loopback, but what is unordered may come in any order.
    key = lambda m: m if isinstance(m, bytes) else m.encode()
    assert sorted(received, key=key) == sorted(messages, key=key)
    if ordered:
        assert received == messages


@pytest.mark.parametrize("reliability", [{}, {"ordered": False, "maxRetransmits": 0}, {"maxPacketLifeTime": 500}],
                         ids=["reliable", "never-again", "half-a-second"])
@pytest.mark.parametrize("role", ROLES)
def test_a_negotiated_channel(ring, role, reliability):
    duet, page, session = connect(ring, role, "--echo")
    options = {"negotiated": True, "id": 101, "protocol": "chess", **reliability}
    # The labels differ: nobody announces them.
    duet.open("ours", **options)
    page.open("theirs", **options)
    session.pump(lambda: duet.is_open("ours") and page.is_open("theirs"), what="the negotiated channel")
    channel = page.channel("theirs")
    assert (channel["negotiated"], channel["id"], channel["protocol"]) == (True, 101, "chess")
    page.send("theirs", "e4")
    assert session.wait_for_messages(page, "theirs", 1) == ["e4"]
    assert session.wait_for_messages(duet, "ours", 1) == ["e4"]
    duet.send("ours", b"\x01\x02")
    assert session.wait_for_messages(page, "theirs", 2) == ["e4", b"\x01\x02"]
    # Neither side saw a channel that was announced.
    assert not duet.events("dataChannel", "theirs") and not page.is_open("ours")
    duet.close_channel("ours")
    session.pump(lambda: page.closings("theirs") == 1 and not duet.is_open("ours"), what="the end of it")


@pytest.mark.parametrize("role", ROLES)
def test_a_negotiated_channel_is_there_from_the_start(ring, role):
    """Opened before the connection is, without any that is announced."""
    page = ring.chromium(polite=role == "offer")
    options = {"negotiated": True, "id": 0}
    page.open("chat", **options)
    duet = ring.duet(role, "--echo", *(["--channel", "other"] if role == "offer" else []))
    duet.open("chat", **options)
    session = ring.session(duet, page)
    session.connect("chat")
    page.send("chat", "hello")
    assert session.wait_for_messages(page, "chat", 1) == ["hello"]


def test_an_unordered_unreliable_channel_from_duet(ring):
    duet, page, session = connect(ring, "offer", "--unordered", "--max-retransmits", "2", "--echo")
    channel = page.channel("data")
    assert (channel["ordered"], channel["maxRetransmits"], channel["maxPacketLifeTime"]) == (False, 2, None)
    page.send("data", "there and back")
    assert session.wait_for_messages(page, "data", 1) == ["there and back"]


@pytest.mark.parametrize("opener", ["duet", "page"])
@pytest.mark.parametrize("role", ROLES)
def test_channels_close_and_open_again(ring, role, opener):
    duet, page, session = connect(ring, role, "--echo")
    peers = {"duet": duet, "page": page}
    for round in range(3):
        peers[opener].open("second")
        session.pump(lambda: duet.is_open("second") and page.is_open("second"), what="the second channel")
        page.send("second", f"round {round}")
        session.wait_for_messages(page, "second", round + 1)
        closer = peers[["duet", "page"][round % 2]]
        closer.close_channel("second")
        session.pump(lambda: not duet.is_open("second") and page.closings("second") == round + 1,
                     what=f"the end of the second channel, round {round}")
    assert page.received("second") == ["round 0", "round 1", "round 2"]
    page.send("data", "still there")
    assert session.wait_for_messages(page, "data", 1) == ["still there"]


def test_many_channels(ring):
    duet, page, session = connect(ring, "offer", "--echo")
    mine, yours = [f"duet {i}" for i in range(30)], [f"page {i}" for i in range(30)]
    for a, b in zip(mine, yours):
        duet.open(a)
        page.open(b)
    session.connect(*mine, *yours)
    for label in mine + yours:
        page.send(label, label)
    for label in mine + yours:
        assert session.wait_for_messages(page, label, 1) == [label]
    ids = [channel["id"] for channel in page.look()["channels"].values()]
    assert len(set(ids)) == 61


def ice_credentials(sdp):
    return {line for line in sdp.splitlines() if line.startswith("a=ice-ufrag:")}


@pytest.mark.parametrize("who", ["duet", "page"])
@pytest.mark.parametrize("role", ROLES)
def test_ice_restart(ring, role, who):
    """New credentials, new addresses on the page's side, a new pair, and not a message lost; several times over."""
    duet, page, session = connect(ring, role, "--echo")
    current = "peer.connection.currentLocalDescription?.sdp ?? ''"
    selected = lambda: page.stats("transport")[0].get("selectedCandidatePairId")
    expected = []
    for round in range(4):
        before, pair_before = ice_credentials(page.page.evaluate(current)), selected()
        {"duet": duet, "page": page}[who].restart_ice()
        session.pump(lambda: page.page.evaluate("peer.connection.signalingState === 'stable'")
                     and not before & ice_credentials(page.page.evaluate(current)), what="new credentials")
        # Where Duet nominates, Chromium moves to the new pair with the first packet that comes that way.
        ticks = 0
        while selected() in (None, pair_before) and ticks < 150:
            duet.send("data", "tick")
            expected += ["tick"]
            session.wait_for_messages(page, "data", len(expected))
            ticks += 1
            session.settle(0.1)
        assert selected() not in (None, pair_before), f"no new pair in round {round}\n{duet.describe()}"
        page.send("data", f"round {round}")
        expected += [f"round {round}"]
        session.wait_for_messages(page, "data", len(expected))
    assert page.received("data") == expected
    session.pump(lambda: duet.state == page.state == "connected", what="a connection that goes on")
    assert page.look()["errors"] == []


@pytest.mark.parametrize("role", ROLES)
def test_both_restart_at_once(ring, role):
    """Both offer in the same moment: one side gives way, and both come to one agreement."""
    duet, page, session = connect(ring, role, "--echo")
    offers = lambda: sum(line.get("type") == "offer" for line in duet.lines)
    for round in range(3):
        before = offers()
        duet.restart_ice()
        page.restart_ice()
        # Each has offered before it hears of the other's offer.
        duet.wait_for(lambda d: offers() > before)
        page.page.wait_for_function("peer.connection.signalingState === 'have-local-offer'")
        session.pump(lambda: page.page.evaluate("peer.connection.signalingState") == "stable", what="an agreement")
        page.send("data", f"round {round}")
        session.wait_for_messages(page, "data", round + 1)
    assert page.received("data") == ["round 0", "round 1", "round 2"]
    assert page.look()["errors"] == []


def test_both_offer_first(ring):
    """Glare from the first moment: two peers that both believe to be the caller."""
    page = ring.chromium(polite=True)
    page.open("from page")
    duet = ring.duet("offer", "--echo")
    duet.wait_for(lambda d: d.lines and d.lines[0].get("type") == "offer")
    page.page.wait_for_function("peer.connection.signalingState === 'have-local-offer'")
    session = ring.session(duet, page)
    session.connect("data", "from page")
    page.send("from page", "both are here")
    assert session.wait_for_messages(page, "from page", 1) == ["both are here"]


@pytest.mark.parametrize("role", ROLES)
def test_mdns_candidates_are_resolved(ring, role):
    """Chromium hides its addresses behind names that only multicast DNS knows."""
    duet, page, session = connect(ring, role, "--echo", browser="browser_with_mdns")
    # They may have met by Duet's candidates alone.
    session.pump(lambda: any(s["candidate"] for s in session.candidates(page)), what="a candidate of the page")
    named = [s["candidate"] for s in session.candidates(page) if s["candidate"]]
    assert all(".local " in candidate for candidate in named if " udp " in candidate)
    page.send("data", "found")
    assert session.wait_for_messages(page, "data", 1) == ["found"]


@pytest.mark.parametrize("role", ROLES)
def test_candidates_may_come_before_the_description(ring, role):
    page = ring.chromium(polite=role == "offer")
    duet = ring.duet(role, *(["--channel", "data"] if role == "offer" else []))
    if role == "answer":
        page.open("data")
    session = ring.session(duet, page)
    if role == "answer":
        # All of the page's words are there before Duet hears the first, and the description comes last.
        page.page.wait_for_function("peer.connection.iceGatheringState === 'complete'")
        words = page.signals()
        assert any("type" in w for w in words) and any("candidate" in w for w in words)
    else:
        duet.wait_for(lambda d: d.lines)
        session_words = duet.signals()
        for word in session_words:
            page.accept(word)
        page.page.wait_for_function(
            "peer.connection.iceGatheringState === 'complete' && peer.connection.signalingState === 'stable'")
        words = page.signals()
    for word in sorted(words, key=lambda w: "type" in w):
        duet.accept(word)
    session.connect("data")


def test_chromium_that_closes_is_noticed(ring):
    duet, page, session = connect(ring, "offer")
    page.page.evaluate("peer.connection.close()")
    duet.wait_for(lambda d: not d.is_open("data"), what="the end of the channel")


def test_duet_that_closes_is_noticed(ring):
    duet, page, session = connect(ring, "offer")
    duet.command("close")
    assert duet.wait() == 0
    session.one = ring.chromium()  # nobody answers any more
    session.pump(lambda: page.closings("data") == 1, what="the end of the channel")


def test_chromium_learns_the_largest_message(ring):
    duet, page, session = connect(ring, "offer")
    assert page.look()["maxMessageSize"] >= LARGEST


def test_a_wrong_fingerprint_fails_and_passes_nothing(ring):
    """The certificate is not the one that the description announced: nothing may be read from it."""
    page = ring.chromium()
    duet = ring.duet("offer")
    session = ring.session(duet, page)
    accept = duet.accept

    def forge(signal):
        if "sdp" in signal:
            lines = signal["sdp"].split("\r\n")
            for i, line in enumerate(lines):
                if line.startswith("a=fingerprint:sha-256 "):
                    digit = "0" if line[-1] != "0" else "1"
                    lines[i] = line[:-1] + digit
            signal = signal | {"sdp": "\r\n".join(lines)}
        accept(signal)

    duet.accept = forge
    session.pump(lambda: duet.state == "failed", what="the refusal of the certificate")
    assert not duet.is_open("data") and duet.received("data") == []
    reason = next(line["reason"] for line in duet.lines if line.get("value") == "failed")
    assert "fingerprint" in reason, reason
