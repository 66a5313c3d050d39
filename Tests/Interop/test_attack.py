"""What strangers can do to a signalling server: an honest client elsewhere waits for no answer for long, and the server's memory
stays within what it may keep, whatever they say and however fast."""
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from peers import attack
from peers.page import Server, free_port
from peers.patience import Wait, at_most
from peers.process import percentile, resident
from peers.provider import AUDIENCE, Provider

# The interface of Scripts/in-namespace: the server counts what comes from there, and leaves loopback alone, where proxies are.
ATTACKER, HONEST = "10.77.0.1", "fd77::1"
LONGEST = 0.1  # seconds, at the 99th percentile
# On a machine that is busy by itself, by as much more as a server that does nothing takes.
IDLE = 0.02
# What may wait is 128 MiB; the rest is the program, its sockets, and what the allocator has not given back.
MOST = 192 * 1024  # KiB


class Client:
    """A client that has signed in."""

    def __init__(self, address, port, user, is_secure=False, token=None):
        self._socket = socket.create_connection((address, port), timeout=at_most(10))
        if is_secure:
            trust = ssl._create_unverified_context()
            self._socket = trust.wrap_socket(self._socket)
        self._stream = self._socket.makefile("rb")
        host = f"[{address}]" if ":" in address else address
        self._socket.sendall(
            f"GET /signal HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        assert b" 101 " in self._stream.readline()
        while self._stream.readline() != b"\r\n":
            pass
        self._socket.sendall(attack.text(type="hello", version=1, user=user, **({"token": token} if token else {})))
        self.wait_for("welcome")

    def say(self, **members):
        self._socket.sendall(attack.text(**members))

    def wait_for(self, kind):
        while True:
            head, size = self._stream.read(2)
            size = int.from_bytes(self._stream.read(2), "big") if size == 126 else size
            payload = self._stream.read(size)
            if head == 0x81 and (message := json.loads(payload))["type"] == kind:
                return message

    def close(self):
        self._socket.close()


class Honest(Client):
    """A client that asks something seventeen times a second, which is less than it may, and measures how long the answers take."""

    def __init__(self, *arguments, pause=0.06, **options):
        super().__init__(*arguments, **options)
        self.delays = []
        self._pause = pause
        self._over = threading.Event()
        self._failure = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ask(self, number):
        self.say(type="ping", id=number)
        self.wait_for("pong")

    def _run(self):
        number = 0
        try:
            while not self._over.wait(self._pause):
                number += 1
                began = time.monotonic()
                self.ask(number)
                self.delays.append(time.monotonic() - began)
        except (OSError, ValueError) as error:
            self._failure = error

    def stop(self):
        self._over.set()
        self._thread.join(at_most(30))
        assert not self._thread.is_alive(), "the server does not answer"
        assert not self._failure, f"an honest client lost its connection: {self._failure!r}"
        self.close()
        return self.delays


class Idle:
    """A server that does nothing, and a client of it: what an answer takes because the machine has other things to do."""

    def __init__(self, address):
        port = free_port()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "peers.attack", "echo", address, str(port), "0"], cwd=Path(__file__).parent,
            stdin=subprocess.DEVNULL)
        wait = Wait(30)
        while True:
            try:
                self._socket = socket.create_connection((address, port), timeout=at_most(10))
                break
            except ConnectionRefusedError:
                assert self._process.poll() is None and not wait.is_over
                time.sleep(0.05)
        self.delays = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        stream = self._socket.makefile("rb")
        while not self._over.wait(0.02):
            began = time.monotonic()
            self._socket.sendall(b"\n")
            stream.readline()
            self.delays.append(time.monotonic() - began)

    def stop(self):
        self._over.set()
        self._thread.join(at_most(30))
        self._socket.close()
        self._process.kill()
        self._process.wait()
        return self.delays


def withstand(ways, seconds, count, sources=(ATTACKER,), options=(), environment=None, token=None):
    server = Server("--host", "::", "--metrics", *options)
    # One processor is the server's, as far as that can be had.
    attackers = [
        subprocess.Popen(
            [sys.executable, "-m", "peers.attack", way, source, str(server.port), str(count)],
            cwd=Path(__file__).parent, stdin=subprocess.DEVNULL, preexec_fn=lambda: os.nice(10),
            env={**os.environ, **(environment or {})})
        for way in ways for source in sources]
    idle = Idle(HONEST)
    try:
        wait, own = Wait(30), 2  # to ask takes a socket, too
        while server.metric("sockets_accepted_total") - own < count / 2:
            assert not wait.is_over, "there was no attack"
            own += 1
            time.sleep(0.1)
        idle.delays.clear()
        clients = [
            Honest(HONEST, server.port, f"honest-{number}", is_secure="--certificate" in options,
                   token=token and token(f"honest-{number}")) for number in range(6)]
        most, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.2)
            most = max(most, resident(server.process))
        delays = sorted(delay for client in clients for delay in client.stop())
        usual = percentile(idle.delays, 99)
        assert all(attacker.poll() is None for attacker in attackers), "an attacker gave up"
        accepted = server.metric("sockets_accepted_total")
        slow = percentile(delays, 99)
        median = percentile(delays, 50)
        print(f"{', '.join(ways)}: {len(delays)} answers, median {median * 1000:.1f} ms, 99 % {slow * 1000:.1f} ms, longest "
              f"{delays[-1] * 1000:.1f} ms, of an idle server 99 % {usual * 1000:.1f} ms; {most / 1024:.0f} MiB; "
              f"{accepted:.0f} sockets")
        assert slow < LONGEST + (usual if usual >= IDLE else 0), f"an honest client waited {slow * 1000:.0f} ms, at an idle server {usual * 1000:.0f} ms"
        assert most < MOST, f"the server had {most / 1024:.0f} MiB"
    finally:
        for attacker in attackers:
            attacker.kill()
            attacker.wait()
        idle.stop()
        server.close()


@pytest.mark.parametrize("way", attack.WAYS)
def test_an_attack_is_not_felt_elsewhere(way):
    withstand([way], seconds=3.5, count=200)


@pytest.mark.parametrize("way", attack.TLS_WAYS)
def test_an_attack_on_handshakes_is_not_felt_elsewhere(way, tmp_path):
    # RSA is what costs a server most, and what many have.
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key,
         "-out", certificate], check=True, capture_output=True)
    withstand([way], seconds=4, count=200, options=("--certificate", str(certificate), "--private-key", str(key)))


def test_an_attack_with_forged_tokens_is_not_felt_elsewhere():
    provider = Provider()
    now = int(time.time())

    def token(user):
        return provider.signed(
            {"iss": provider.issuer, "aud": AUDIENCE, "sub": user, "exp": now + 300, "iat": now}, typ="at+jwt")
    try:
        withstand(["forged-tokens"], seconds=4, count=100, options=("--auth", f"issuer={provider.issuer},{AUDIENCE}"),
                  environment={"ISSUER": provider.issuer, "AUDIENCE": AUDIENCE}, token=token)
    finally:
        provider.close()


@pytest.mark.timeout(300)
def test_an_address_with_all_that_it_may_have_is_not_felt_elsewhere():
    withstand(["absent-1200"], seconds=90, count=500)


@pytest.mark.timeout(300)
def test_all_attacks_at_once_from_two_addresses_and_through_a_proxy():
    withstand(attack.WAYS, seconds=60, count=60, sources=(ATTACKER, "127.0.0.1"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", attack.WAYS)
def test_a_long_attack_is_not_felt_elsewhere(way):
    withstand([way], seconds=45, count=500)


@pytest.mark.parametrize("way", ["pings", "watches"])
def test_neighbours_of_an_attacker_are_served_too(way):
    """They share what their address may say, and get their turns."""
    server = Server("--host", "::")
    attacker = subprocess.Popen(
        [sys.executable, "-m", "peers.attack", way, ATTACKER, str(server.port), "100"],
        cwd=Path(__file__).parent, stdin=subprocess.DEVNULL)
    try:
        time.sleep(2)
        # It says less than its share: mostly it is served at once. Where what it had saved is spent it waits for some messages
        # of the others, whatever they cost; not for all of them, which would be five seconds of what the address may say.
        neighbour = Honest(ATTACKER, server.port, "neighbour", pause=0.5)
        time.sleep(12)
        delays = neighbour.stop()
        assert len(delays) > 10 and sorted(delays)[len(delays) * 3 // 4] < 0.5 and max(delays) < 3, sorted(delays)
    finally:
        attacker.kill()
        attacker.wait()
        server.close()
