"""`duet doctor`, against coturn and against servers that are not well."""
import base64
import contextlib
import hashlib
import hmac
import json
import os
import pty
import socket
import struct
import subprocess
import threading
import time

import pytest

from peers import waiting
from peers.coturn import Authority, Coturn, free_port
from peers.duet import BINARY
from peers.patience import Wait, at_most


def doctor(*arguments, timeout=40):
    return subprocess.run(
        [BINARY, "doctor", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=at_most(timeout))


def report(*arguments, status=0):
    """The report in JSON."""
    result = doctor("--json", *arguments)
    assert result.returncode == status, result.stdout + result.stderr
    assert not result.stderr, result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["event"] for line in lines].count("report") == 1 and lines[-1]["event"] == "report"
    return lines[-1]


def check(server, transport, address="10.77.0.1"):
    found = [check for check in server["checks"] if check["transport"] == transport and address in check["server"]]
    assert len(found) == 1, server
    return found[0]


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def coturn(authority):
    """With a second address, as RFC 5780 asks for, and IPv6."""
    subprocess.run(["ip", "address", "add", "10.77.0.2/24", "dev", "duet0"], check=True)
    server = Coturn(("10.77.0.1", "10.77.0.2", "fd77::1"), tls=authority.sign("good", "IP:10.77.0.1", "DNS:turn.example"))
    yield server
    server.close()
    subprocess.run(["ip", "address", "delete", "10.77.0.2/24", "dev", "duet0"], check=True)


def test_all_is_well(coturn, authority):
    turn = f"turn:10.77.0.1:{coturn.port},alice,secret"
    turns = f"turns:10.77.0.1:{coturn.tls_port},alice,secret"
    found = report("--ice-server", turn, "--ice-server", turns, "--ca", str(authority.certificate))
    assert found["isHealthy"]
    first, second = found["servers"]
    udp, tcp = check(first, "udp"), check(first, "tcp")
    assert udp["isStated"] and udp["isSuccess"] and udp["answerMilliseconds"] > 0
    assert udp["relayed"][0].startswith("10.77.0.1:") and udp["mapped"].startswith("10.77.0.")
    assert not tcp["isStated"] and tcp["isSuccess"] and tcp["setupMilliseconds"] > 0
    tls = check(second, "tls")
    assert tls["isStated"] and tls["isSuccess"] and tls["relayed"]
    assert {route["kind"]: route["isPossible"] for route in found["routes"]} == {
        "local": True, "direct": True, "relay": True}
    # Nothing is left at the server, which says so a moment later.
    wait = Wait(20)
    while (words := coturn.words).count("ALLOCATE processed, success") > words.count("lifetime=0"):
        assert not wait.is_over, words[-3_000:]
        time.sleep(0.1)


def test_the_kind_of_nat(coturn):
    found = report("--ice-server", f"stun:10.77.0.1:{coturn.port}")
    nat, = found["nats"]
    assert nat["kind"] == "none" and nat["mapping"] == "untranslated"
    assert nat["filtering"] in ("endpointIndependent", "unknown")


@pytest.mark.parametrize("url", ["turn:10.77.0.1:{port}?transport=tcp", "turn:[fd77::1]:{port}", "stun:[fd77::1]:{port}"])
def test_other_transports_and_families(coturn, url):
    url = url.format(port=coturn.port)
    found = report("--ice-server", f"{url},alice,secret")
    stated, = [check for check in found["servers"][0]["checks"] if check["isStated"]]
    assert stated["isSuccess"] and stated["transport"] == ("tcp" if "tcp" in url else "udp")
    assert bool(stated["relayed"]) == url.startswith("turn:")


class Home:
    """A host behind a router of its own, outside of which this namespace is, at 10.88.0.1 and 10.88.0.2."""

    def __init__(self, translation):
        self._spaces = [self._space(), self._space()]
        router, self.inside = (str(space.pid) for space in self._spaces)
        ip = ["ip", "link", "add"]
        self._run(*ip, "out0", "type", "veth", "peer", "name", "out1", "netns", router)
        for address in ("10.88.0.1/24", "10.88.0.2/24"):
            self._run("ip", "address", "add", address, "dev", "out0")
        self._run("ip", "link", "set", "out0", "up")
        self._run(*ip, "in0", "type", "veth", "peer", "name", "in1", "netns", self.inside, space=router)
        for space, link, address in ((router, "out1", "10.88.0.9/24"), (router, "in0", "192.168.9.1/24"),
                                     (self.inside, "in1", "192.168.9.2/24")):
            self._run("ip", "address", "add", address, "dev", link, space=space)
            self._run("ip", "link", "set", link, "up", space=space)
        self._run("ip", "route", "add", "default", "via", "192.168.9.1", space=self.inside)
        self._run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward", space=router)
        self._run("nft", "table ip home { chain c { type nat hook postrouting priority 100; "
                  f"oifname out1 {translation}; }}; }};", space=router)

    @staticmethod
    def _space():
        process = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        while os.readlink(f"/proc/{process.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        return process

    @staticmethod
    def _run(*command, space=None):
        subprocess.run([*(["nsenter", "--target", space, "--net"] if space else []), *command], check=True)

    def close(self):
        for space in self._spaces:
            space.kill()
            space.wait()
        subprocess.run(["ip", "link", "delete", "out0"], capture_output=True)


@pytest.mark.parametrize("translation,kind", [("masquerade", "portRestricted"), ("masquerade random", "symmetric")])
def test_a_nat_of_linux(translation, kind):
    home = Home(translation)
    server = None
    try:
        server = Coturn(("10.88.0.1", "10.88.0.2"))
        result = subprocess.run(
            ["nsenter", "--target", home.inside, "--net", BINARY, "doctor", "--json",
             "--ice-server", f"stun:10.88.0.1:{server.port}"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=at_most(40))
        assert result.returncode == 0, result.stdout
        nat, = json.loads(result.stdout.splitlines()[-1])["nats"]
        assert nat["kind"] == kind, nat
        assert nat["local"] == "192.168.9.2" and nat["hairpins"] is False
        assert all(mapped["address"].startswith("10.88.0.9:") for mapped in nat["mapped"])
    finally:
        if server:
            server.close()
        home.close()


def test_a_network_without_ipv4(tmp_path):
    """The name server says by which prefix IPv4 is reached (RFC 7050), and the network translates (NAT64). Here the
    translator is the address itself: the server listens where an IPv4 address stands behind the prefix."""
    hosts = tmp_path / "hosts"
    hosts.write_text("2001:db8:64::c000:aa ipv4only.arpa\n2001:db8:64::c000:ab ipv4only.arpa\n")
    space = subprocess.Popen(["unshare", "--net", "--mount", "sleep", "infinity"])
    while any(os.readlink(f"/proc/{space.pid}/ns/{kind}") == os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "mnt")):
        time.sleep(0.01)
    within = ["nsenter", "--target", str(space.pid), "--net", "--mount"]
    server = None
    try:
        for command in (
            f"mount --bind {hosts} /etc/hosts", "ip link set lo up", "ip link add six type veth peer name far", "ip link set far up",
            "ip address add fd64::1/64 dev six nodad", "ip address add 2001:db8:64::a4d:1/128 dev six nodad",
            "ip link set six up", "ip route add default dev six",
        ):
            subprocess.run([*within, *command.split()], check=True)
        server = Coturn(("2001:db8:64::a4d:1",), within=within)
        result = subprocess.run(
            [*within, BINARY, "doctor", "--json", "--ice-server", f"turn:10.77.0.1:{server.port},alice,secret"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=at_most(40))
        assert result.returncode == 0, result.stdout
        found = json.loads(result.stdout.splitlines()[-1])
        assert not any("." in address["address"] for address in found["addresses"] if address["isUsed"])
        tried = check(found["servers"][0], "udp", "2001:db8:64::a4d:1")
        assert tried["isSuccess"] and tried["relayed"]
    finally:
        if server:
            server.close()
        space.kill()
        space.wait()


def rest_credentials(secret, user, lifetime):
    username = f"{int(time.time()) + lifetime}:{user}"
    digest = hmac.new(secret.encode(), username.encode(), hashlib.sha1).digest()
    return username, base64.b64encode(digest).decode()


def test_rest_credentials_and_those_that_have_expired():
    server = Coturn(secret="north")
    try:
        url = f"turn:10.77.0.1:{server.port}"
        username, credential = rest_credentials("north", "alice", 60)
        assert report("--ice-server", f"{url},{username},{credential}")["isHealthy"]
        username, credential = rest_credentials("north", "alice", -60)
        found = report("--ice-server", f"{url},{username},{credential}", status=1)
        failure = check(found["servers"][0], "udp")["failure"]
        assert failure["code"] == "credentials" and "expire" in failure["advice"]
    finally:
        server.close()


@pytest.mark.parametrize("credentials,code", [
    (",alice,wrong", "credentials"), (",bob,secret", "credentials"), ("", "credentialsMissing"),
    (",alice", "credentialsMissing"),
])
def test_wrong_credentials(coturn, credentials, code):
    result = doctor("--json", "--ice-server", f"turn:10.77.0.1:{coturn.port}{credentials}")
    assert result.returncode == 1 and "wrong" not in result.stdout + result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert check(found["servers"][0], "udp")["failure"]["code"] == code
    assert [route["isPossible"] for route in found["routes"] if route["kind"] == "relay"] == [False]


def test_certificates(coturn, authority, tmp_path):
    """Trusted by nobody, for another name, run out."""
    url = f"turns:10.77.0.1:{coturn.tls_port},alice,secret"
    assert check(report("--ice-server", url, status=1)["servers"][0], "tls")["failure"]["code"] == "untrusted"
    ca = ["--ca", str(authority.certificate)]
    for files, code in [
        (authority.sign("name", "DNS:other.example"), "wrongName"),
        (authority.sign("expired", "IP:10.77.0.1", days=0), "expired"),
    ]:
        time.sleep(1.1)  # what is good for no day runs out with the second
        server = Coturn(tls=files)
        try:
            found = report("--ice-server", f"turns:10.77.0.1:{server.tls_port},alice,secret", *ca, status=1)
            failure = check(found["servers"][0], "tls")["failure"]
            assert failure["code"] == code and failure["advice"]
        finally:
            server.close()


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_a_server_that_sends_its_clients_elsewhere(coturn, transport):
    """What a load balancer does (300): followed, as a call would."""
    server = Coturn(options=[f"--alternate-server=10.77.0.1:{coturn.port}"])
    try:
        found = report("--ice-server", f"turn:10.77.0.1:{server.port}?transport={transport},alice,secret")
        tried = check(found["servers"][0], transport)
        assert tried["isSuccess"] and tried["relayed"]
        assert tried["redirectedTo"] == f"10.77.0.1:{coturn.port}"
        words = doctor("--ice-server", f"turn:10.77.0.1:{server.port}?transport={transport},alice,secret").stdout
        assert f"sends its clients to 10.77.0.1:{coturn.port}" in words
    finally:
        server.close()


def test_a_server_that_leads_to_nobody():
    port = free_port()
    server = Coturn(options=[f"--alternate-server=10.77.0.1:{port}"])
    try:
        found = report("--ice-server", f"turn:10.77.0.1:{server.port}?transport=tcp,alice,secret", status=1)
        tried = check(found["servers"][0], "tcp")
        assert tried["redirectedTo"] == f"10.77.0.1:{port}" and tried["failure"]["code"] == "refused"
        assert str(port) in tried["failure"]["reason"]
    finally:
        server.close()


class SlowRelay:
    """A TURN server over UDP that asks for credentials at once, and answers with nothing more in any reasonable time."""

    ALLOCATE, REFRESH = 0x0003, 0x0004
    REALM_AND_NONCE = struct.pack("!HH8sHH8s", 0x0014, 8, b"test.loc", 0x0015, 8, b"abcdefgh")

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("10.77.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.releases = 0
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()

    def _serve(self):
        while True:
            try:
                data, source = self.socket.recvfrom(2_000)
            except OSError:
                return
            if not data:
                return  # it was shut down
            kind, _, cookie, transaction = struct.unpack("!HHI12s", data[:20])
            attributes = dict(self._attributes(data[20:]))
            if kind == self.REFRESH and attributes.get(0x000D) == bytes(4):
                self.releases += 1
            elif kind == self.ALLOCATE and 0x0008 not in attributes:
                body = struct.pack("!HHI", 0x0009, 4, 0x0401) + self.REALM_AND_NONCE
                self.socket.sendto(struct.pack("!HHI12s", 0x0113, len(body), cookie, transaction) + body, source)

    @staticmethod
    def _attributes(data):
        while len(data) >= 4:
            kind, size = struct.unpack("!HH", data[:4])
            yield kind, data[4:4 + size]
            data = data[4 + (size + 3) // 4 * 4:]

    def close(self):
        waiting.stop(self._serving, self.socket)


def test_nothing_is_left_at_a_server_that_is_slow():
    """It may make the allocation after all; then it hears at once that nobody wants it."""
    server = SlowRelay()
    try:
        found = report("--ice-server", f"turn:10.77.0.1:{server.port},alice,secret", status=1)
        assert check(found["servers"][0], "udp")["failure"]["code"] == "noAnswer"
        wait = Wait(20)
        while not server.releases:  # it is there, and has to be read
            assert not wait.is_over, "the server was told nothing"
            time.sleep(0.05)
    finally:
        server.close()


def test_a_server_without_tls():
    server = Coturn()
    try:
        found = report("--ice-server", f"turns:10.77.0.1:{server.port},alice,secret", status=1)
        assert check(found["servers"][0], "tls")["failure"]["code"] in ("noTLS", "closed", "noAnswer")
    finally:
        server.close()


def test_nobody_is_there():
    port = free_port()
    began = time.monotonic()
    found = report("--ice-server", f"turn:10.77.0.1:{port}?transport=tcp,alice,secret", status=1)
    assert check(found["servers"][0], "tcp")["failure"]["code"] == "refused"
    assert check(found["servers"][0], "udp")["failure"]["code"] == "noAnswer"
    assert time.monotonic() - began < 20


def test_a_server_that_has_stopped_answering(authority):
    server = Coturn()
    try:
        server.freeze()
        began = time.monotonic()
        found = report("--ice-server", f"turn:10.77.0.1:{server.port},alice,secret", status=1)
        assert check(found["servers"][0], "udp")["failure"]["code"] == "noAnswer"
        assert check(found["servers"][0], "tcp")["failure"]["code"] == "noAnswer"
        assert time.monotonic() - began < 25
    finally:
        server.close()


def test_udp_is_blocked(coturn):
    table = f"table inet doctor {{ chain c {{ type filter hook input priority 0; udp dport {coturn.port} drop; }}; }};"
    subprocess.run(["nft", table], check=True)
    try:
        found = report("--ice-server", f"turn:10.77.0.1:{coturn.port},alice,secret", status=1)
        failure = check(found["servers"][0], "udp")["failure"]
        assert failure["code"] == "udpBlocked" and "transport=tcp" in failure["advice"]
        assert check(found["servers"][0], "tcp")["isSuccess"]
        assert found["nats"][0]["kind"] == "blocked"
    finally:
        subprocess.run(["nft", "delete table inet doctor"], check=True)


def test_a_name_that_nobody_knows():
    found = report("--ice-server", "stun:no-such-host.invalid", status=1)
    assert found["servers"][0]["failure"]["code"] in ("notFound", "noNameServer")


class Babbler:
    """Answers everything with something that is no STUN."""

    def __init__(self):
        self.listener = socket.create_server(("10.77.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):  # who has heard enough hangs up
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 1000)

    def close(self):
        waiting.stop(self._serving, self.listener)


def test_something_else_listens_there():
    babbler = Babbler()
    try:
        found = report("--ice-server", f"turn:10.77.0.1:{babbler.port}?transport=tcp,alice,secret", status=1)
        assert check(found["servers"][0], "tcp")["failure"]["code"] in ("noSTUN", "closed")
    finally:
        babbler.close()


def test_without_servers():
    found = report()
    assert found["isHealthy"] and found["servers"] == [] and found["nats"] == []
    used = {address["address"] for address in found["addresses"] if address["isUsed"]}
    assert {"10.77.0.1", "fd77::1"} <= used and "127.0.0.1" not in used


def test_what_a_person_reads(coturn):
    result = doctor("--ice-server", f"turn:10.77.0.1:{coturn.port},alice,secret",
                    "--ice-server", "turns:10.77.0.1:9,alice,secret")
    assert result.returncode == 1 and result.stderr == ""
    words = result.stdout
    assert "secret" not in words
    for part in ("Addresses", "duet0", "NAT", "no NAT", "Servers", "relays after", "nobody listens", "→ ", "What a call can use",
                 "Not usable: turns:10.77.0.1:9"):
        assert part.lower() in words.lower(), words
    assert all(len(line) <= 160 for line in words.splitlines()), words


def test_progress_on_a_terminal():
    """What is waited for stands in the last line while it runs, and is gone at the end."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [BINARY, "doctor", "--ice-server", "turn:10.77.0.254,alice,secret"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=slave, text=True, env=os.environ | {"TERM": "xterm"})
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    words = process.stdout.read()
    assert process.wait(timeout=at_most(40)) == 1
    assert b"asking 10.77.0.254 over" in seen and seen.endswith(b"\x1b[K")
    assert "nothing answers" in words
    os.close(master)


@pytest.mark.parametrize("options", [
    ["--ice-server", "banana"], ["--ice-server", "turn://h,user,hunter2"], ["--ca", "/nowhere"], ["--banana"],
], ids=" ".join)
def test_options_that_make_no_sense(options):
    result = doctor(*options)
    assert result.returncode not in (0, 1) and result.stdout == "" and result.stderr
    assert "hunter2" not in result.stderr
