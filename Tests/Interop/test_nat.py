"""Two processes behind real NATs: who meets directly, and who needs the relay."""
import contextlib
import time

import pytest

from conftest import Ring
from peers.coturn import Coturn
from peers.nat import Hairpin, Host


@pytest.fixture(scope="module")
def coturn():
    server = Coturn()
    yield server
    server.close()


@pytest.fixture
def hosts():
    hosts = []

    def make(kind):
        hosts.append(Host(len(hosts) + 1, kind))
        return hosts[-1]
    yield make
    for host in hosts:
        host.close()


def connect(ring, coturn, one, other, with_relay):
    server = f"turn:10.77.0.1:{coturn.port},alice,secret" if with_relay else f"stun:10.77.0.1:{coturn.port}"
    offer = one.duet(ring, "offer", "--channel", "data", "--stats", "--ice-server", server)
    answer = other.duet(ring, "answer", "--echo", "--stats", "--ice-server", server)
    return offer, answer, ring.session(offer, answer)


@pytest.fixture(scope="module")
def hopeless(request, coturn):
    """Two that cannot meet. They look for a way for 30 s, while the other tests run: it has to be begun before them."""
    with contextlib.ExitStack() as ending:
        hosts = [ending.enter_context(contextlib.closing(Host(number, "symmetric"))) for number in (8, 9)]
        ring = ending.enter_context(contextlib.closing(Ring(request.getfixturevalue)))
        offer, answer, session = connect(ring, coturn, *hosts, with_relay=False)
        session.pump(lambda: all("srflx" in str(peer.lines) for peer in (offer, answer)), what="their external addresses")
        # Each is told the other's.
        end = time.monotonic() + 1
        session.pump(lambda: time.monotonic() > end)
        yield offer, session


def selected_types(session, peer):
    """The types of the selected pair's candidates, its own first."""
    before = len(peer.events("stats"))
    session.pump(lambda: len(peer.events("stats")) > before + 1, what="statistics")
    stats = peer.events("stats")[-1]
    chosen = stats["transport"]["selectedCandidatePairId"]
    pair = next(pair for pair in stats["candidatePairs"] if pair["id"] == chosen)

    def type_of(candidates, id):
        return next(candidate["candidateType"] for candidate in candidates if candidate["id"] == id)
    return (type_of(stats["localCandidates"], pair["localCandidateId"]),
            type_of(stats["remoteCandidates"], pair["remoteCandidateId"]))


def wait_for_way(session, peer, needs_relay):
    """The relay may be the first that is found where another way is, and is left for that."""
    session.pump(lambda: ("relay" in selected_types(session, peer)) == needs_relay,
                 what="the relay" if needs_relay else "a way without the relay")


@pytest.mark.parametrize("one,other,needs_relay", [
    ("cone", "cone", False), ("cone", "double", False), ("double", "double", False), ("cone", "symmetric", True),
    ("symmetric", "cone", True), ("symmetric", "symmetric", True), ("double", "symmetric", True),
])
def test_pairs_of_nats(ring, coturn, hosts, hopeless, one, other, needs_relay):
    offer, answer, session = connect(ring, coturn, hosts(one), hosts(other), with_relay=True)
    session.connect("data")
    offer.send("data", "hello")
    assert session.wait_for_messages(offer, "data", 1) == ["hello"]
    wait_for_way(session, offer, needs_relay)


@pytest.mark.parametrize("hairpins", [True, False], ids=["hairpinning", "without"])
def test_two_hosts_behind_one_nat(ring, coturn, hairpins):
    """Neither sees the other's own address. By that of their NAT they meet if it sends back what comes from inside."""
    house = Hairpin(1, hairpins)
    try:
        server = f"turn:10.77.0.1:{coturn.port},alice,secret"
        offer = house.duet(ring, 0, "offer", "--channel", "data", "--stats", "--ice-server", server)
        answer = house.duet(ring, 1, "answer", "--echo", "--stats", "--ice-server", server)
        session = ring.session(offer, answer)
        session.connect("data")
        offer.send("data", "hello")
        assert session.wait_for_messages(offer, "data", 1) == ["hello"]
        wait_for_way(session, offer, not hairpins)
    finally:
        house.close()


@pytest.mark.timeout(90)
def test_two_symmetric_nats_never_meet_without_a_relay(hopeless):
    offer, session = hopeless
    session.pump(lambda: offer.state == "failed", timeout=60, what="the failure")
    assert not any(line["value"] == "connected" for line in offer.lines if line.get("event") == "connectionState")
