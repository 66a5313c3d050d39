"""Calls through coturn: every transport and family, credentials of every age, and what servers do in mid-call."""
import base64
import hashlib
import hmac
import json
import signal
import socket
import subprocess
import time

import pytest

from peers.coturn import Authority, Coturn, free_port
from peers.duet import BINARY
from peers.patience import Wait, at_most

SECRET = "north"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def coturn(authority):
    server = Coturn(
        ("10.77.0.1", "fd77::1"), tls=authority.sign("turn", "IP:10.77.0.1", "IP:fd77::1"),
        options=["--relay-ip=fd77::1"])
    yield server
    server.close()


@pytest.fixture
def own_coturn():
    """Makes servers of one test's own."""
    servers = []

    def make(*arguments, **options):
        servers.append(Coturn(*arguments, **options))
        return servers[-1]
    yield make
    for server in servers:
        server.close()


def restart(server):
    """As if the machine had been restarted: nobody says good-bye."""
    arguments = server.process.args
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    time.sleep(0.5)
    server.process = subprocess.Popen(
        arguments, stdout=server.log, stderr=subprocess.STDOUT, cwd=server.folder.name)
    server._wait_until_it_listens("10.77.0.1")


def rest(lifetime, user="alice"):
    """Credentials as coturn makes them from its secret."""
    username = f"{int(time.time()) + lifetime}:{user}"
    password = base64.b64encode(hmac.new(SECRET.encode(), username.encode(), hashlib.sha1).digest()).decode()
    return username, password


def url(server, transport="udp", family=4, credentials=("alice", "secret")):
    host = "10.77.0.1" if family == 4 else "[fd77::1]"
    if transport == "tls":
        text = f"turns:{host}:{server.tls_port}"
    else:
        text = f"turn:{host}:{server.port}?transport={transport}"
    return ",".join((text, *credentials))


def relayed(server, *arguments, authority=None, **keywords):
    """The options of a peer that shows nothing but its relay."""
    options = ["--policy", "relay", "--ice-server", url(server, *arguments, **keywords)]
    return options + (["--ca", str(authority.certificate)] if authority else [])


def pair(ring, offer, answer, connect=True, timeout=None):
    one = ring.duet("offer", "--channel", "data", *offer)
    other = ring.duet("answer", "--echo", *answer)
    session = ring.session(one, other)
    if connect:
        session.connect("data")
        talk(session, one, "first")
    return one, other, session


def talk(session, peer, *messages, timeout=15.0):
    before = len(peer.received("data"))
    for message in messages:
        peer.send("data", message)
    session.pump(lambda: len(peer.received("data")) >= before + len(messages), timeout=timeout, what="the echo")
    assert peer.received("data")[before:] == list(messages)


def candidate_types(session, peer):
    lines = [line["candidate"] for line in peer.lines if line.get("candidate")]
    return {line.split(" typ ")[1].split()[0] for line in lines}


@pytest.mark.parametrize("family", [4, 6], ids=["ipv4", "ipv6"])
@pytest.mark.parametrize("transport", ["udp", "tcp", "tls"])
def test_every_transport_and_family(ring, coturn, authority, transport, family):
    """A relay at one side; the other shows its own addresses."""
    one, other, session = pair(ring, relayed(coturn, transport, family, authority=authority), [])
    assert candidate_types(session, one) == {"relay"}
    talk(session, one, *[f"message {i}" for i in range(100)])
    one.send("data", bytes(60_000))
    session.pump(lambda: 60_000 in one.received("data"), what="a large message")


@pytest.mark.parametrize("transport", ["udp", "tcp", "tls"])
def test_a_relay_at_both_sides(ring, coturn, authority, transport):
    one, other, session = pair(
        ring, relayed(coturn, transport, authority=authority), relayed(coturn, "udp", authority=authority))
    assert candidate_types(session, one) == candidate_types(session, other) == {"relay"}
    talk(session, one, *[f"message {i}" for i in range(100)])


def test_the_answering_side_behind_the_relay(ring, coturn):
    one, other, session = pair(ring, [], relayed(coturn))
    talk(session, one, "hello")


def test_a_relay_of_the_other_family(ring, coturn):
    """The server is reached over one family, and relays for both."""
    one, other, session = pair(ring, relayed(coturn, family=6), ["--bind", "10.77.0.1"])
    talk(session, one, "to IPv4")
    three, four, session = pair(ring, relayed(coturn, family=4), ["--bind", "fd77::1"])
    talk(session, three, "to IPv6")


def test_several_servers_one_of_them_dead(ring, coturn):
    began = time.monotonic()
    options = ["--ice-server", "turn:10.77.0.254:3478,alice,secret", "--ice-server",
               "turn:10.77.0.1:9?transport=tcp,alice,secret", *relayed(coturn)]
    one, other, session = pair(ring, options, [])
    assert time.monotonic() - began < 15  # a server is asked for 39.5 s before it counts as dead


def test_certificates_are_verified(ring, coturn, tmp_path):
    other_authority = Authority(tmp_path)
    one, other, session = pair(ring, relayed(coturn, "tls", authority=other_authority), [], connect=False)
    session.pump(lambda: "turns:10.77.0.1" in one.standard_error(), what="the word of the certificate")
    session.settle(3)
    assert candidate_types(session, one) == set()


def test_a_wrong_password_is_said_and_never_shown(ring, coturn):
    options = ["--log", "trace"] + relayed(coturn, credentials=("alice", "mistake"))
    one, other, session = pair(ring, options, [], connect=False)
    wait = Wait(10)
    while "refuses the user name or password" not in one.standard_error():
        assert not wait.is_over, one.describe()
        session.pump(lambda: True)
        time.sleep(0.1)
    assert candidate_types(session, one) == set()
    assert "mistake" not in one.standard_error() and "mistake" not in str(one.lines)


def test_credentials_never_show(ring, own_coturn):
    server = own_coturn(secret=SECRET)
    username, password = rest(3_600)
    options = ["--log", "trace", "--stats"] + relayed(server, credentials=(username, password))
    one, other, session = pair(ring, options, [])
    time.sleep(2)
    said = one.standard_error() + str(one.lines) + other.standard_error() + str(other.lines)
    assert password not in said and username not in said and SECRET not in said


def ice_passwords(*peers):
    """All that they have told each other in descriptions."""
    descriptions = [line["sdp"] for peer in peers for line in list(peer.lines) if "sdp" in line]
    return {word.split(":", 1)[1] for text in descriptions for word in text.split() if word.startswith("a=ice-pwd:")}


def test_keys_never_show(ring, coturn, authority):
    """Not at the most talkative level, of ICE's keys; those of DTLS and SRTP nobody outside of the process knows."""
    options = ["--log", "trace", "--stats"]
    one, other, session = pair(ring, options + relayed(coturn, "tls", authority=authority), options)
    talk(session, one, "a word of ours")
    one.restart_ice()
    session.pump(lambda: len(ice_passwords(one, other)) >= 4, what="the restart's answer")
    talk(session, one, "and another")
    passwords = ice_passwords(one, other)
    for peer in (one, other):
        said = peer.standard_error()
        assert not any(password in said for password in passwords) and "PRIVATE KEY" not in said
        assert "secret" not in said and "a word of ours" not in said


def sign_in(port, token):
    """Says hello to `duet serve`, and returns its welcome: RFC 6455 as far as that needs it."""
    with socket.create_connection(("127.0.0.1", port), timeout=at_most(10)) as connection:
        connection.sendall(
            f"GET /signal HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        stream = connection.makefile("rb")
        assert b" 101 " in stream.readline()
        while stream.readline() != b"\r\n":
            pass
        hello = json.dumps({"type": "hello", "version": 1, "token": token}).encode()
        # A mask of zeros is one too.
        connection.sendall(bytes([0x81, 0x80 | len(hello)]) + bytes(4) + hello)
        _, size = stream.read(2)
        size = int.from_bytes(stream.read(2), "big") if size == 126 else size
        return json.loads(stream.read(size))


def test_credentials_of_duet_serve(ring, own_coturn, tmp_path):
    """What a user gets at its sign-in opens the relay, and neither the secret nor they are in any log."""
    coturn = own_coturn(secret=SECRET)
    users, port = tmp_path / "users", free_port()
    users.write_text("alice 0123456789abcdef\n")
    command = [
        BINARY, "serve", "--port", str(port), "--auth", f"token={users}", "--turn-secret", SECRET, "--log", "trace",
        "--turn-url", f"turn:10.77.0.1:{coturn.port}"]
    with open(tmp_path / "log", "w+b") as log:
        serve = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait = Wait(20)
            while b"Ctrl-C" not in (tmp_path / "log").read_bytes():
                assert serve.poll() is None and not wait.is_over
                time.sleep(0.05)
            server, = sign_in(port, "0123456789abcdef")["iceServers"]
        finally:
            serve.terminate()
            serve.wait()
    assert server["username"].endswith(":alice") and server["urls"] == [f"turn:10.77.0.1:{coturn.port}"]
    credentials = (server["username"], server["credential"])
    one, other, session = pair(ring, relayed(coturn, credentials=credentials), [])
    assert candidate_types(session, one) == {"relay"}
    said = (tmp_path / "log").read_text()
    assert SECRET not in said and server["credential"] not in said and "0123456789abcdef" not in said


def test_expired_credentials_are_renewed_before_a_restart(ring, own_coturn):
    server = own_coturn(secret=SECRET)
    one, other, session = pair(ring, relayed(server, credentials=rest(-10)), [], connect=False)
    wait = Wait(10)
    while "refuses the user name or password" not in one.standard_error():
        assert not wait.is_over, one.describe()
        session.pump(lambda: True)
        time.sleep(0.1)
    one.command("setIceServers", iceServers=[url(server, credentials=rest(3_600))])
    one.restart_ice()
    session.connect("data")
    talk(session, one, "renewed")
    # Again in mid-call: the relay that works goes on, and a restart finds its way.
    one.command("setIceServers", iceServers=[url(server, credentials=rest(7_200))])
    one.restart_ice()
    time.sleep(1)
    talk(session, one, "renewed again")


@pytest.mark.parametrize("transport", ["udp", "tcp", "tls"])
@pytest.mark.timeout(120)
def test_the_server_restarts_in_mid_call(ring, own_coturn, authority, transport):
    server = own_coturn(tls=authority.sign("restarted", "IP:10.77.0.1"))
    one, other, session = pair(ring, relayed(server, transport, authority=authority), [])
    restart(server)
    one.send("data", "after the restart")
    session.pump(lambda: "after the restart" in one.received("data"), timeout=60, what="the call's return")
    talk(session, one, "and on")


def test_a_quota(ring, own_coturn):
    """One allocation for each user: whoever is second says why, and the call comes about through the first."""
    server = own_coturn(options=["--user-quota=1"])
    one = ring.duet("offer", "--channel", "data", *relayed(server))
    one.wait_for(lambda d: any(line.get("candidate") for line in d.lines))
    other = ring.duet("answer", "--echo", "--ice-server", url(server))
    session = ring.session(one, other)
    session.connect("data")
    talk(session, one, "hello")
    session.pump(lambda: "(486)" in other.standard_error(), what="the reason")


@pytest.mark.timeout(120)
def test_a_short_lifetime_is_kept_up(ring, own_coturn):
    """Beyond its end, and over three nonces."""
    server = own_coturn(options=["--max-allocate-lifetime=20", "--stale-nonce=7"])
    one, other, session = pair(ring, relayed(server), [])
    for number in range(5):
        time.sleep(5)
        talk(session, one, f"message {number}")
    # The same one all the while.
    assert len({line["candidate"] for line in one.lines if line.get("candidate")}) == 1


def test_allocations_are_given_back(ring, own_coturn):
    server = own_coturn()
    one, other, session = pair(ring, relayed(server), relayed(server))
    for peer in (one, other):
        peer.command("close")
        peer.wait()
    wait = Wait(10)
    while server.words.count("usage:") < 2 and server.words.count("closed") < 2:
        assert not wait.is_over, server.words[-3_000:]
        time.sleep(0.1)


@pytest.mark.parametrize("transport", ["udp", "tcp"])
@pytest.mark.parametrize("role", ["offer", "answer"])
def test_a_relay_only_browser(ring, coturn, role, transport):
    configuration = {
        "iceTransportPolicy": "relay",
        "iceServers": [{"urls": url(coturn, transport).split(",")[0], "username": "alice", "credential": "secret"}],
    }
    page = ring.chromium(polite=role == "offer", configuration=configuration)
    if role == "offer":
        duet = ring.duet("offer", "--channel", "data", "--echo", *relayed(coturn))
    else:
        duet = ring.duet("answer", "--echo", *relayed(coturn))
        page.open("data")
    session = ring.session(duet, page)
    session.connect("data")
    page.send("data", "through two relays")
    assert session.wait_for_messages(page, "data", 1) == ["through two relays"]
