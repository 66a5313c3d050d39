"""Three nodes and NATS in a cluster of three, with fifty calls: each of the six is killed in turn, in mid-call."""
import base64
import contextlib
import time

import pytest

from peers.nats import cluster
from peers.nodes import come_back, skip_peer_states
from peers.page import Server
from peers.patience import Wait, wait_until
from peers.push import Device

CALLS = 50
# Seconds without a message after which somebody connects again, and after which the test fails.
SILENCE, PATIENCE = 5, 90
LIMITS = ["sockets-per-address=1000", "new-sockets-per-address=1000/1000", "messages-per-address=4000/20000"]


class Person:
    """A client that goes to another node when its own has gone, and says again there what the log has not got."""

    def __init__(self, name, nodes, place):
        self.token, self.nodes, self.place = f"{name}-0123456789abcdef", nodes, place
        self.device = Device(nodes[place], self.token, "phone")
        # What was said, by its number.
        self.said = {}

    def say(self, **members):
        with contextlib.suppress(OSError):  # it will be said again
            self.device.say(**members)
        self.said[self.device._seq] = members

    def hear(self, other):
        """The next message of the call. Where none comes, both connect again: each may have been sent away by its node, and
        `other` notices that its words went into a closed connection only when it looks."""
        wait = Wait(PATIENCE)
        while True:
            self.device.wait_at_most(SILENCE)
            with contextlib.suppress(OSError, ValueError):  # the connection has ended
                message = skip_peer_states(self.device)
                if message["type"] != "error":
                    self.device.tell(type="ack", ack=self.device.received)
                    return message
            assert not wait.is_over, f"{self.token} heard nothing within {wait}\n{self.describe()}\n{other.describe()}"
            for person in (self, other):
                with contextlib.suppress(OSError):
                    person.move(person.place)

    def move(self, place):
        self.place = place
        self.device = come_back(self.nodes[place], self.token, "phone", self.device)
        assert self.device.has_resumed, self.device.welcome
        self.device._seq = self.device.welcome["received"]
        for number in range(self.device._seq + 1, max(self.said, default=0) + 1):
            self.device.say(**self.said[number])

    def describe(self):
        return f"{self.token} said {len(self.said)} and received {self.device.received}; {self.nodes[self.place].describe()}"


class Call:
    def __init__(self, number, nodes):
        self.identifier = f"call-{number:04}-0123456789"
        self.caller, self.callee = Person(f"caller{number}", nodes, number % 3), Person(f"callee{number}", nodes, (number + 1) % 3)
        alice, bob = self.caller, self.callee
        alice.say(type="invite", call=self.identifier, to={"user": f"callee{number}"}, lifetime=60, media=["audio"],
                  description={"type": "offer", "sdp": "v=0\r\n"})
        assert bob.hear(alice)["call"] == self.identifier
        bob.say(type="answer", call=self.identifier, description={"type": "answer", "sdp": "v=0\r\n"})
        assert alice.hear(bob)["type"] == "answer"
        self.number = 0

    def says(self, person):
        self.number += 1
        person.say(type="signal", call=self.identifier, data=base64.b64encode(str(self.number).encode()).decode())

    def hears(self, person, number):
        message = person.hear(self.caller if person is self.callee else self.callee)
        assert message["type"] == "signal" and base64.b64decode(message["data"]).decode() == str(number), message

    def exchange(self):
        """Both say something, and each hears exactly what the other has said since the last time."""
        for one, other in ((self.caller, self.callee), (self.callee, self.caller)):
            self.says(one)
            self.hears(other, self.number)


@pytest.mark.timeout(400)
def test_fifty_calls_go_on_while_each_node_and_each_server_of_nats_is_killed(tmp_path):
    users = tmp_path / "users"
    users.write_text("".join(f"{name}{number} {name}{number}-0123456789abcdef\n" for name in ("caller", "callee")
                             for number in range(CALLS)))
    brokers = cluster("newer", tmp_path)
    options = ["--auth", f"token={users}", "--nats-replicas", "3", "--metrics"]
    for broker in brokers:
        options += ["--nats", broker.url]
    for limit in LIMITS:
        options += ["--limit", limit]
    nodes = []
    try:
        wait_until(lambda: is_ready(brokers), 30, "a cluster of NATS", lambda: brokers[0].words)
        for _ in range(3):
            nodes.append(Server(*options))
        calls = [Call(number, nodes) for number in range(CALLS)]
        for call in calls:
            call.exchange()
        for dead, node in enumerate(nodes):
            node.kill()
            # What is said to those who are away waits for them.
            waiting = []
            for call in calls:
                for one, other in ((call.caller, call.callee), (call.callee, call.caller)):
                    if other.place == dead and one.place != dead:
                        call.says(one)
                        waiting.append((call, other, call.number))
            for call in calls:
                for person in (call.caller, call.callee):
                    if person.place == dead:
                        person.move((dead + 1) % 3)
            for call, person, number in waiting:
                call.hears(person, number)
            for call in calls:
                call.exchange()
            node.start()
        for broker in brokers:
            broker.kill()
            for call in calls:
                call.exchange()
            broker.start()
            wait_until(lambda: is_ready(brokers), 60, "a whole cluster of NATS", lambda: broker.words)
        for call in calls:
            call.caller.say(type="hangup", call=call.identifier)
            assert call.callee.hear(call.caller)["type"] == "hangup"
    finally:
        for it in [*nodes, *brokers]:
            it.close()


def is_ready(brokers):
    """Whether each server answers, with all replicas of what it leads up to date."""
    time.sleep(1)
    for broker in brokers:
        with broker.connect() as connection:
            connection.sendall(b"SUB inbox 1\r\nPUB $JS.API.INFO inbox 0\r\n\r\n")
            connection.settimeout(5)
            received = b""
            try:
                while b"}\r\n" not in received:
                    received += connection.recv(65_536)
            except TimeoutError:
                return False
            if b'"error"' in received:
                return False
    return True
