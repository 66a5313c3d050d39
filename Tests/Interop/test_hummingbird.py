"""The example of a Hummingbird application, with calls through it. The part "hummingbird" of make soak builds it, and says by
DUET_SERVE that it is the server."""
import random
import socket
import urllib.request

import pytest

from peers.call import Caller
from peers.page import Server
from peers.patience import at_most


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def callers():
    made = []
    yield made
    for caller in made:
        caller.close()


def get(server, path):
    with urllib.request.urlopen(server.url + path, timeout=at_most(10)) as answer:
        return answer.status, answer.read().decode()


def answer(server, callers):
    name = f"bob.{random.randrange(10**9)}"
    callers.append(Caller(server, "answer", "--as", name))
    callers[-1].wait_for("waiting")
    return name, callers[-1]


def test_two_callers_meet_and_routes_are_the_applications(server, callers):
    assert get(server, "") == (200, "An application with calls.\n")
    assert get(server, "readyz")[0] == 200
    name, bob = answer(server, callers)
    alice = Caller(server, "call", name, "--as", f"alice.{random.randrange(10**9)}", "--chat", "hello", "--duration", "3")
    callers.append(alice)
    assert bob.wait_for("chat")["text"] == "hello"
    bob.wait_for_picture()
    assert alice.wait(30) == 0, alice.describe()
    assert alice.outcome == "hungUp", alice.describe()
    assert get(server, "")[0] == 200


def test_a_page_of_another_origin_is_refused(server):
    for origin, status in [("https://evil.example", b" 403 "), (server.url.rstrip("/"), b" 101 ")]:
        with socket.create_connection(("127.0.0.1", server.port), timeout=at_most(10)) as connection:
            connection.sendall(
                f"GET /signal HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            assert status in connection.recv(65_536).partition(b"\r\n")[0]


def test_who_asks_for_another_upgrade_is_answered_without_it(server):
    for path, protocol, status in [("/", "h2c", b" 200 "), ("/other", "websocket", b" 404 "), ("/", "websocket", b" 200 ")]:
        with socket.create_connection(("127.0.0.1", server.port), timeout=at_most(10)) as connection:
            connection.sendall(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: {protocol}\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            stream = connection.makefile("rb")
            # It ends after the answer.
            assert status in stream.readline() and stream.read().endswith(b"application with calls.\n") == (path == "/")


def test_it_ends_while_a_connection_has_sent_nothing(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=at_most(10)) as idle:
        # The server has accepted the connection before this one.
        assert get(server, "")[0] == 200
        server.stop()
        assert idle.recv(1) == b""


def test_it_ends_while_clients_are_connected(server, callers):
    answer(server, callers)
    server.stop()
