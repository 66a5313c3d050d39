"""What strangers at two nodes can do to honest clients of servers that share their clients: what one says reaches another at the other
node in time, and each node's memory stays within what it may keep."""
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from peers import attack
from peers.nats import NATSServer
from peers.page import Server
from peers.patience import wait_until
from peers.process import percentile, resident
from test_attack import ATTACKER, HONEST, IDLE, LONGEST, MOST, Client, Honest, Idle

# Those of which the nodes share something: what is refused at a socket, nobody else hears of.
WAYS = ["watches", "fans", "absent", "late-devices", "half-calls", "farewells", "churn", "renewals"]


class Talk(Honest):
    """A client that says something to one at another node, and measures how long that takes to arrive there."""

    def __init__(self, node, other, number):
        self._name = f"hears-{number}"
        self._listener = Client(HONEST, other.port, self._name)
        super().__init__(HONEST, node.port, f"talks-{number}")

    def ask(self, number):
        self.say(type="signal", seq=number, to={"user": self._name}, data="QUJD")
        message = self._listener.wait_for("signal")
        self._listener.say(type="ack", ack=message["seq"])

    def close(self):
        super().close()
        self._listener.close()


def withstand(ways, seconds, count, folder):
    broker = NATSServer("newer", folder)
    nodes, attackers, idle = [], [], None
    try:
        nodes += [Server("--host", "::", "--metrics", "--nats", broker.url) for _ in range(2)]
        idle = Idle(HONEST)
        for node in nodes:
            own = node.metric("sockets_accepted_total")
            attackers += [subprocess.Popen(
                [sys.executable, "-m", "peers.attack", way, ATTACKER, str(node.port), str(count)],
                cwd=Path(__file__).parent, stdin=subprocess.DEVNULL, preexec_fn=lambda: os.nice(10)) for way in ways]
            # To ask takes a socket, too.
            wait_until(lambda: node.metric("sockets_accepted_total") - own > count / 2 + 40, 30, "an attack", node.describe, step=0.1)
        idle.delays.clear()
        talks = [Talk(nodes[number % 2], nodes[(number + 1) % 2], number) for number in range(4)]
        asks = [Honest(HONEST, node.port, f"asks-{number}") for number, node in enumerate(nodes)]
        most, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.2)
            most = max(most, *(resident(node.process) for node in nodes))
        answers = sorted(delay for client in asks for delay in client.stop())
        signals = sorted(delay for client in talks for delay in client.stop())
        usual = percentile(idle.delays, 99)
        assert all(attacker.poll() is None for attacker in attackers), "an attacker gave up"
        print(f"{', '.join(ways)} at two nodes: {len(signals)} signals, median {percentile(signals, 50) * 1000:.1f} ms, 99 % "
              f"{percentile(signals, 99) * 1000:.1f} ms, longest {signals[-1] * 1000:.1f} ms; {len(answers)} answers, 99 % "
              f"{percentile(answers, 99) * 1000:.1f} ms; of an idle server 99 % {usual * 1000:.1f} ms; {most / 1024:.0f} MiB")
        for what, delays in (("a signal", signals), ("an answer", answers)):
            slow = percentile(delays, 99)
            assert slow < LONGEST + (usual if usual >= IDLE else 0), \
                f"{what} took {slow * 1000:.0f} ms, at an idle server {usual * 1000:.0f} ms"
        assert most < MOST, f"a node had {most / 1024:.0f} MiB"
    finally:
        for attacker in attackers:
            attacker.kill()
            attacker.wait()
        if idle:
            idle.stop()
        for it in [*nodes, broker]:
            it.close()


@pytest.mark.parametrize("way", WAYS)
def test_an_attack_at_two_nodes_is_not_felt_by_others(way, tmp_path):
    assert way in attack.WAYS
    withstand([way], seconds=4, count=150, folder=tmp_path)


@pytest.mark.timeout(300)
def test_all_attacks_at_once_at_two_nodes(tmp_path):
    withstand(WAYS, seconds=45, count=50, folder=tmp_path)
