"""Servers that share their clients over NATS: a caller at one, a callee at the other, and what happens when one of them is killed."""
import base64
import contextlib
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from peers.duet import ROOT
from peers.nats import KINDS, NATSServer
from peers.nodes import come_back, skip_peer_states
from peers.page import Server
from peers.patience import wait_until
from peers.process import resident
from peers.push import Device

ALICE, BOB = "alice-0123456789", "bob-0123456789abc"
CALL = "call-0123456789abcdef"


class World:
    """NATS, and nodes that share what it has."""

    def __init__(self, kind, folder, count=2, options=()):
        users = folder / "users"
        users.write_text(f"alice {ALICE}\nbob {BOB}\n")
        self.broker, self.nodes = NATSServer(kind, folder), []
        self._options = ["--auth", f"token={users}", "--nats", self.broker.url, "--metrics", *options]
        for _ in range(count):
            self.add()

    def add(self):
        self.nodes.append(Server(*self._options))
        return self.nodes[-1]

    def log(self):
        """The state of the log's stream at NATS."""
        with contextlib.closing(self.broker.connect()) as connection:
            connection.sendall(b"SUB inbox 1\r\nPUB $JS.API.STREAM.INFO.KV_duet-log inbox 0\r\n\r\nPING\r\n")
            received = b""
            while b"}\r\n" not in received:
                received += connection.recv(65_536)
            return json.loads(received[received.index(b"{"):received.rindex(b"}") + 1])["state"]

    def close(self):
        for it in [*self.nodes, self.broker]:
            it.close()


@pytest.fixture(params=KINDS)
def world(request, tmp_path):
    it = World(request.param, tmp_path)
    yield it
    it.close()


def signals(device, sender, *texts):
    """The device receives these signals, in this order, and of each one."""
    for text in texts:
        message = device.expect("signal")
        assert base64.b64decode(message["data"]).decode() == text and message["from"]["user"] == sender, message


def signal(device, text, **target):
    device.say(type="signal", data=base64.b64encode(text.encode()).decode(), **target)


def begin_call(alice, bob):
    alice.say(type="invite", call=CALL, to={"user": "bob"}, lifetime=60, media=["audio"],
              description={"type": "offer", "sdp": "v=0\r\n"})
    assert bob.expect("invite")["from"]["user"] == "alice"
    bob.say(type="answer", call=CALL, description={"type": "answer", "sdp": "v=0\r\n"})
    assert alice.expect("answer")["call"] == CALL


def test_a_call_between_two_nodes(world):
    alice, bob = Device(world.nodes[0], ALICE, "desk"), Device(world.nodes[1], BOB, "phone")
    begin_call(alice, bob)
    for number in range(20):
        signal(alice, f"to bob {number}", call=CALL)
        signal(bob, f"to alice {number}", call=CALL)
    signals(bob, "alice", *(f"to bob {number}" for number in range(20)))
    signals(alice, "bob", *(f"to alice {number}" for number in range(20)))
    bob.say(type="hangup", call=CALL)
    assert alice.expect("hangup")["reason"] == "normal"
    for node in world.nodes:
        wait_until(lambda: node.metric("sessions") == 2, 10, "both sessions at both nodes", node.describe)


def test_a_node_is_killed_in_mid_call(world):
    """Its client continues at the other one: nothing is lost, nothing is there twice."""
    alice, bob = Device(world.nodes[0], ALICE, "desk"), Device(world.nodes[1], BOB, "phone")
    begin_call(alice, bob)
    signal(bob, "before", call=CALL)
    signals(alice, "bob", "before")
    world.nodes[1].kill()
    for number in range(5):
        signal(alice, f"meanwhile {number}", call=CALL)
    back = come_back(world.nodes[0], BOB, "phone", bob)
    assert back.has_resumed
    signals(back, "alice", *(f"meanwhile {number}" for number in range(5)))
    signal(back, "after", call=CALL)
    message = skip_peer_states(alice)
    assert base64.b64decode(message["data"]) == b"after"
    # The node that was killed is there again, and takes the client back.
    world.nodes[1].start()
    again = come_back(world.nodes[1], BOB, "phone", back)
    assert again.has_resumed
    signal(alice, "once more", call=CALL)
    assert base64.b64decode(skip_peer_states(again)["data"]) == b"once more"
    again.say(type="hangup", call=CALL)
    assert skip_peer_states(alice)["type"] == "hangup"


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", KINDS)
def test_a_log_is_trimmed_and_a_new_node_begins_with_a_snapshot(kind, tmp_path):
    """After 2,000 entries, a node stores what they came to and removes them. A node that is started then knows the call, and so do all
    after they were killed."""
    world = World(kind, tmp_path, options=["--limit", "messages-per-socket=2000/20000", "--limit", "messages-per-address=4000/20000"])
    try:
        alice, bob = Device(world.nodes[0], ALICE, "desk"), Device(world.nodes[1], BOB, "phone")
        begin_call(alice, bob)
        number = 0
        while world.log()["first_seq"] < 500:
            assert number < 6_000, f"the log was not trimmed: {world.log()} {world.nodes[0].describe()}"
            for number in range(number, number + 100):
                signal(alice, str(number), call=CALL)
                signals(bob, "alice", str(number))
            number += 1
            for device in (alice, bob):
                device.tell(type="ack", ack=device.received)
        state = world.log()
        assert state["messages"] < state["last_seq"] - 400, state
        third = world.add()
        moved = come_back(third, ALICE, "desk", alice)
        assert moved.has_resumed
        signal(moved, "from the new one", call=CALL)
        assert base64.b64decode(skip_peer_states(bob)["data"]) == b"from the new one"
        for node in world.nodes:
            node.kill()
        for node in world.nodes:
            node.start()
        bob, alice = come_back(world.nodes[2], BOB, "phone", bob), come_back(world.nodes[1], ALICE, "desk", moved)
        assert alice.has_resumed and bob.has_resumed
        signal(bob, "still here", call=CALL)
        assert base64.b64decode(skip_peer_states(alice)["data"]) == b"still here"
    finally:
        world.close()


def test_all_nodes_are_killed_and_started_again(world):
    """What they share is at NATS."""
    alice, bob = Device(world.nodes[0], ALICE, "desk"), Device(world.nodes[1], BOB, "phone")
    begin_call(alice, bob)
    for node in world.nodes:
        node.kill()
    for node in world.nodes:
        node.start()
    alice = come_back(world.nodes[1], ALICE, "desk", alice)
    bob = come_back(world.nodes[0], BOB, "phone", bob)
    assert alice.has_resumed and bob.has_resumed
    signal(alice, "still here", call=CALL)
    assert base64.b64decode(skip_peer_states(bob)["data"]) == b"still here"


def test_nats_is_gone_and_comes_back(world):
    alice, bob = Device(world.nodes[0], ALICE, "desk"), Device(world.nodes[1], BOB, "phone")
    begin_call(alice, bob)
    assert all(readiness(node) == (200, "ready\n") for node in world.nodes)
    world.broker.kill()
    # No load balancer sends anybody there, and nobody starts them again for it.
    for node in world.nodes:
        wait_until(lambda: readiness(node) == (503, "the log of the nodes is out of reach\n"), 20, "a node that is not ready",
                   node.describe)
        assert readiness(node, "healthz")[0] == 200
    # New clients are refused, with a reason.
    wait_until(lambda: refusal(world.nodes[0]), 20, "a refusal", world.nodes[0].describe)
    world.broker.start()
    for node in world.nodes:
        wait_until(lambda: readiness(node)[0] == 200, 30, "a node that is ready again", node.describe)
    alice = come_back(world.nodes[1], ALICE, "desk", alice)
    bob = come_back(world.nodes[0], BOB, "phone", bob)
    assert alice.has_resumed and bob.has_resumed
    signal(alice, "still here", call=CALL)
    assert base64.b64decode(skip_peer_states(bob)["data"]) == b"still here"


def readiness(server, path="readyz"):
    try:
        with urllib.request.urlopen(server.url + path, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def refusal(server):
    """Whether somebody who signs in is told that this cannot be done at the moment."""
    try:
        Device(server, BOB, "other").drop()
    except AssertionError as error:
        return "cannot reach what they share" in str(error)
    return False


@pytest.mark.parametrize("is_shared", [False, True], ids=["alone", "shared"])
def test_an_idle_socket_takes_little_memory(is_shared, tmp_path):
    broker = NATSServer("newer", tmp_path) if is_shared else None
    server = Server(*(["--nats", broker.url] if broker else []))
    crowd = subprocess.Popen([sys.executable, ROOT / "Benchmarks/Nodes/clients.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        grown = []
        for count in (200, 3_000):
            before = resident(server.process)
            crowd.stdin.write(json.dumps({"do": "open", "count": count, "nodes": [server.port]}).encode() + b"\n")
            crowd.stdin.flush()
            assert json.loads(crowd.stdout.readline())["seconds"] > 0
            time.sleep(2)
            grown.append((resident(server.process) - before) / count)
        # The first ones pay for what all share.
        assert grown[1] < 6, f"{grown[1]:.1f} KiB a socket"
    finally:
        crowd.stdin.close()
        crowd.wait()
        crowd.stdout.close()
        for it in (server, broker):
            if it:
                it.close()



def test_a_server_says_why_it_cannot_start(tmp_path):
    with pytest.raises(AssertionError, match="--nats"):
        Server("--nats", "nats://127.0.0.1:9")
    with pytest.raises(AssertionError, match="1 to 5, not 9"):
        Server("--nats", "nats://127.0.0.1:9", "--nats-replicas", "9")
