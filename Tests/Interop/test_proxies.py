"""`duet serve` behind nginx, HAProxy and Caddy: each client has limits of its own, and none can take another's address."""
import json
import signal
import socket
import time

import pytest

from peers import attack
from peers.page import Server
from peers.patience import Wait, at_most
from peers.proxies import KINDS, Proxy

ONE, OTHER = "127.0.0.5", "127.0.0.6"  # clients
MOST = 3  # connections of an address


class Behind:
    """A server, and a proxy of one kind in front of it."""

    def __init__(self, kind, folder, *options):
        is_tcp = kind.startswith("haproxy-v")
        self.proxy_address = "127.0.0.2" if is_tcp else "127.0.0.1"
        self.log = folder / "access.log"
        trust = ["--trusted-proxy", self.proxy_address]
        if is_tcp:
            trust += ["--proxy-header", "none", "--proxy-protocol", "required"]
        self.server = Server(
            "--metrics", "--access-log", str(self.log), "--limit", f"sockets-per-address={MOST}", *trust, *options)
        try:
            self.proxy = Proxy(kind, self.server.port)
        except BaseException:
            self.server.close()
            raise
        self.sockets = []

    def connect(self, source=ONE):
        connection = socket.create_connection(
            ("127.0.0.1", self.proxy.port), timeout=at_most(10), source_address=(source, 0))
        self.sockets.append(connection)
        return connection

    def ask(self, text, source=ONE):
        """Sends any bytes, and returns what comes first; nothing if the connection is closed."""
        connection = self.connect(source)
        try:
            connection.sendall(text if isinstance(text, bytes) else text.encode())
            return connection.recv(65_536).decode(errors="replace")
        except OSError:
            return ""

    def open(self, source=ONE, *fields):
        """Asks for a WebSocket, and returns the first line of the answer."""
        lines = [
            "GET /signal HTTP/1.1", f"Host: 127.0.0.1:{self.proxy.port}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", *fields]
        return self.ask("\r\n".join(lines) + "\r\n\r\n", source).partition("\r\n")[0]

    def records(self, count):
        """The access log, once it has that many lines of a proxy."""
        wait = Wait(10)
        while True:
            lines = [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []
            lines = [line for line in lines if line.get("proxy") == self.proxy_address]
            if len(lines) >= count or wait.is_over:
                return lines
            time.sleep(0.05)

    def close(self):
        for connection in self.sockets:
            connection.close()
        self.proxy.close()
        self.server.close()


@pytest.fixture(params=KINDS)
def behind(request, tmp_path):
    pair = Behind(request.param, tmp_path)
    yield pair
    pair.close()


def test_each_client_has_its_limits_whatever_it_writes(behind):
    forgeries = [
        ["X-Forwarded-For: 198.51.100.1"], ["Forwarded: for=198.51.100.2", "X-Real-IP: 198.51.100.2"],
        ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: 127.0.0.2", "Forwarded: for=\""]]
    for fields in forgeries:
        assert " 101 " in behind.open(ONE, *fields), behind.proxy.words
    assert " 101 " not in behind.open(ONE, "X-Forwarded-For: 198.51.100.4")
    assert " 101 " in behind.open(OTHER)
    opened = [line["client"] for line in behind.records(4) if line.get("status") == 101]
    assert opened == [ONE, ONE, ONE, OTHER]


def test_forged_reports_of_strangers_count_for_nothing(behind):
    """To the server itself, past the proxy, from an address that is not trusted."""
    with socket.create_connection(
            ("127.0.0.1", behind.server.port), timeout=at_most(10), source_address=(OTHER, 0)) as connection:
        connection.sendall(b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.1\r\n"
                           b"Forwarded: for=198.51.100.1\r\nConnection: close\r\n\r\n")
        assert b" 404 " in connection.recv(65_536)
    lines = [json.loads(line) for line in behind.log.read_text().splitlines()]
    assert not any("198.51.100" in line.get("client", "") for line in lines)
    with socket.create_connection(
            ("127.0.0.1", behind.server.port), timeout=at_most(10), source_address=(OTHER, 0)) as connection:
        connection.sendall(b"PROXY TCP4 198.51.100.1 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " not in connection.recv(65_536)


@pytest.mark.parametrize("line", [
    "GET //signal HTTP/1.1", "GET /signal/../healthz HTTP/1.1", "GET /%73ignal%00 HTTP/1.1", "GET /signal\x00 HTTP/1.1",
    "GET http://127.0.0.1/signal HTTP/1.1", "GET /..%2f..%2fetc/passwd HTTP/1.1", "GET /signal HTTP/1.0", "PRI * HTTP/2.0",
    "PROXY TCP4 198.51.100.1 127.0.0.1 1 2", "CONNECT localhost:1 HTTP/1.1",
    "GET / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked", "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
    "GET / HTTP/1.1\r\nX-Forwarded-For : 198.51.100.1", "GET / HTTP/1.1\r\nX_Forwarded_For: 198.51.100.1",
    "GET / HTTP/1.1\r\nX-Forwarded-For:\r\n 198.51.100.1"])
def test_tricks_with_paths_and_fields(behind, line):
    answer = behind.ask(f"{line}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    assert " 101 " not in answer.partition("\r\n")[0] and "root:" not in answer
    assert " 101 " in behind.open(OTHER), "the server still serves others"
    assert not any("198.51.100" in line.get("client", "") for line in behind.records(1))


def test_a_drained_server_says_so_and_goes(tmp_path):
    pair = Behind("haproxy", tmp_path, "--drain-notice", "1", "--drain-over", "1")
    try:
        connection = pair.connect()
        connection.sendall(
            f"GET /signal HTTP/1.1\r\nHost: 127.0.0.1:{pair.proxy.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        assert b" 101 " in connection.recv(65_536)
        connection.sendall(attack.text(type="hello", version=1, user="alice", device="d"))
        assert b"welcome" in connection.recv(65_536)
        pair.server.process.send_signal(signal.SIGTERM)
        received = b""
        while chunk := connection.recv(65_536):
            received += chunk
            if b"goingAway" in received:
                break
        assert b"goingAway" in received
        connection.close()
        assert pair.server.process.wait(at_most(20)) == 0
    finally:
        pair.close()


def test_a_hangup_reads_tokens_again_and_drops_nobody(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("alice 0123456789abcdef\n")
    server = Server("--auth", f"token={tokens}", "--metrics")

    def sign_in(token):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=at_most(10))
        connection.sendall(
            b"GET /signal HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        assert b" 101 " in connection.recv(65_536)
        connection.sendall(attack.text(type="hello", version=1, device="d", token=token))
        return connection, b"welcome" in connection.recv(65_536)

    try:
        alice, is_welcome = sign_in("0123456789abcdef")
        assert is_welcome
        tokens.write_text("bob fedcba9876543210\n")
        server.process.send_signal(signal.SIGHUP)
        wait = Wait(10)
        while True:
            bob, is_welcome = sign_in("fedcba9876543210")
            if is_welcome or wait.is_over:
                break
            bob.close()
            time.sleep(0.1)
        assert is_welcome
        assert server.metric("sessions") == 2
        alice.sendall(attack.text(type="ping", id=1))
        assert b"pong" in alice.recv(65_536)
        # A file that cannot be used changes nothing.
        tokens.write_text("nonsense\n")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert sign_in("fedcba9876543210")[1]
    finally:
        server.close()
