"""The contract of `duet peer`: what scripts rely on."""
import json
import os
import re
import resource
import signal
import socket
import struct
import statistics
import subprocess
import threading
import time

import pytest

from peers import waiting
from peers.duet import BINARY
from peers.patience import at_most

W3C_STATES = ["new", "connecting", "connected", "disconnected", "failed", "closed"]


def run(*arguments, timeout=20):
    """Runs duet to its end with no input."""
    return subprocess.run(
        [BINARY, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=at_most(timeout))


def pair(ring, offer=(), answer=(), connect="data"):
    one, other = ring.duet("offer", *offer), ring.duet("answer", *answer)
    session = ring.session(one, other)
    if connect:
        session.connect(connect)
    return one, other, session


def takes_less_than(seconds, attempt):
    """The median of three attempts does, each of which returns what it took: two tell, unless they differ."""
    times = [attempt(), attempt()]
    if (times[0] < seconds) != (times[1] < seconds):
        times.append(attempt())
    assert statistics.median(times) < seconds, f"{times}, and not less than {seconds} s"


def time_to_end(peer, succeeds=True):
    """What it takes from the end of its input to its own."""
    began = time.monotonic()
    peer.end_input()
    assert (peer.wait() == 0) == succeeds
    return time.monotonic() - began


def candidate_lines(peer):
    """All candidates that a peer has said so far, trickled or inside its descriptions."""
    lines = [line["candidate"] for line in peer.lines if line.get("candidate")]
    for line in peer.lines:
        lines += re.findall(r"^a=(candidate:.*?)\r?$", line.get("sdp", ""), re.M)
    return lines


# Talking

def test_two_processes_talk(ring):
    one, other, session = pair(ring, answer=["--echo"])
    one.send("data", "hello")
    one.send("data", b"\x00\x01\x02")
    one.send("data", "")
    assert session.wait_for_messages(one, "data", 3) == ["hello", 3, ""]
    assert session.wait_for_messages(other, "data", 3) == ["hello", 3, ""]


@pytest.mark.parametrize("offer", [[], ["--no-trickle"]], ids=["trickle", "no-trickle"])
@pytest.mark.parametrize("answer", [[], ["--no-trickle"]], ids=["trickle", "no-trickle"])
def test_trickle_and_not(ring, offer, answer):
    one, other, session = pair(ring, offer, answer)
    for peer, options in ((one, offer), (other, answer)):
        if options:
            assert not [line for line in peer.lines if "candidate" in line]
            assert candidate_lines(peer)


def test_the_offer_is_printed_at_once(ring):
    def attempt():
        began = time.monotonic()
        offer = ring.duet("offer")
        offer.wait_for(lambda d: d.lines)
        assert offer.lines[0]["type"] == "offer" and offer.lines[0]["sdp"].startswith("v=0\r\n")
        return time.monotonic() - began
    takes_less_than(1, attempt)


def test_without_trickle_a_dead_server_costs_three_seconds_at_most(ring):
    def attempt():
        began = time.monotonic()
        offer = ring.duet("offer", "--no-trickle", "--ice-server", "stun:10.77.0.254:3478")
        offer.wait_for(lambda d: d.lines)
        assert "a=candidate:" in offer.lines[0]["sdp"]
        return time.monotonic() - began
    takes_less_than(3.6, attempt)


def test_several_channels(ring):
    one, other, session = pair(
        ring, ["--channel", "a", "--channel", "b"], ["--channel", "c", "--echo"], connect=None)
    session.connect("a", "b", "c")
    assert not one.is_open("data")
    for label in "abc":
        one.send(label, label)
        assert session.wait_for_messages(one, label, 1) == [label]


def test_messages_wait_until_their_channel_is_open(ring):
    one, other = ring.duet("offer"), ring.duet("answer")
    for i in range(50):
        one.send("data", str(i))
    session = ring.session(one, other)
    assert session.wait_for_messages(other, "data", 50) == [str(i) for i in range(50)]


def test_channels_close_and_open_again(ring):
    one, other, session = pair(ring, answer=["--echo"])
    for round in range(3):
        one.open("second")
        session.connect("data", "second")
        one.send("second", str(round))
        session.wait_for_messages(one, "second", round + 1)
        [one, other][round % 2].close_channel("second")
        session.pump(lambda: not one.is_open("second") and not other.is_open("second"), what="the closed channel")
    states = [e["state"] for e in one.events("dataChannel", "second")]
    assert states == ["open", "closed"] * 3


def test_both_restart(ring):
    one, other, session = pair(ring, answer=["--echo"])
    for peers in ([one], [other], [one, other]):
        said = [sum("type" in line for line in p.lines) for p in (one, other)]
        for peer in peers:
            peer.restart_ice()
        session.pump(lambda: all(sum("type" in l for l in p.lines) > n for p, n in zip((one, other), said)),
                     what="an offer and its answer")
        one.send("data", "again")
        session.wait_for_messages(one, "data", len(other.received("data")))
    session.pump(lambda: one.received("data") == ["again"] * 3, what="every echo")
    session.pump(lambda: one.state == other.state == "connected", what="the connection after the restarts")


def test_connection_states(ring):
    one, other, session = pair(ring)
    one.command("close")
    assert one.wait() == 0
    for peer in (one, other):
        events = peer.events("connectionState")
        values, times = [e["value"] for e in events], [e["ms"] for e in events]
        assert set(values) <= set(W3C_STATES)
        assert values[:2] == ["connecting", "connected"]
        assert times == sorted(times) and all(isinstance(t, (int, float)) for t in times)
    assert one.events("connectionState")[-1]["value"] == "closed"


def test_statistics_come_once_a_second(ring):
    one, other, session = pair(ring, ["--stats"])
    before, times = len(one.events("stats")), []
    for number in range(1, 5):
        session.pump(lambda: len(one.events("stats")) >= before + number, what="statistics")
        times.append(time.monotonic())
    # Three seconds, of which a slow machine gives or takes a part.
    assert 2 < times[-1] - times[0] < 5, times
    assert all(len(event) > 1 for event in one.events("stats"))
    assert not other.events("stats")


def test_statistics_count_what_was_sent_and_what_was_received(ring):
    one, other, session = pair(ring, ["--stats"])
    for text in ("a", "bc", "def"):
        one.send("data", text)
    session.pump(lambda: len(other.received("data")) == 3, what="three messages")
    other.send("data", "back")
    session.pump(lambda: one.received("data") == ["back"], what="one message")
    before = len(one.events("stats"))
    session.pump(lambda: len(one.events("stats")) >= before + 2, what="statistics of all that")
    channel = one.events("stats")[-1]["dataChannels"][0]
    assert [channel[name] for name in ("messagesSent", "bytesSent", "messagesReceived", "bytesReceived")] == [3, 6, 1, 4]


# Ending

@pytest.mark.parametrize("role", ["offer", "answer"])
def test_end_of_input_before_anything_came(ring, role):
    def attempt():
        peer = ring.duet(role)
        if role == "offer":
            peer.wait_for(lambda d: d.lines)
        return time_to_end(peer, succeeds=False)
    takes_less_than(1, attempt)


def test_end_of_input_in_mid_set_up(ring):
    def attempt():
        one, other = ring.duet("offer"), ring.duet("answer")
        one.wait_for(lambda d: d.lines)
        for word in one.signals():
            if "type" in word:
                other.accept(word)
        other.wait_for(lambda d: any(l.get("type") == "answer" for l in d.lines))
        # The answer arrives, the candidates never do: both have begun and cannot finish.
        for word in other.signals():
            if "type" in word:
                word = word | {"sdp": re.sub(r"a=candidate:.*\r\n", "", word["sdp"])}
                one.accept(word)
        time.sleep(0.3)
        return max(time_to_end(peer, succeeds=False) for peer in (one, other))
    takes_less_than(1, attempt)


def test_end_of_input_after_the_connection_is_success(ring):
    takes_less_than(1, lambda: max(time_to_end(peer) for peer in pair(ring)[:2]))


def test_what_was_sent_before_the_end_of_input_arrives(ring):
    one, other, session = pair(ring)
    for i in range(20):
        one.send("data", str(i))
    one.end_input()
    assert one.wait() == 0
    # Nobody is left to carry signals to.
    other.wait_for(lambda d: len(d.received("data")) >= 20, timeout=20, what="the arrival of 20 messages")
    assert other.received("data") == [str(i) for i in range(20)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(ring, number):
    def attempt():
        one, other, session = pair(ring)
        began = time.monotonic()
        one.process.send_signal(number)
        one.wait()
        return time.monotonic() - began
    takes_less_than(1.2, attempt)


def test_a_reader_that_goes_away_ends_it():
    process = subprocess.Popen([BINARY, "peer", "offer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    process.stdout.readline()
    process.stdout.close()
    try:
        # It notices at the next line that it prints.
        process.stdin.write(b"not json\n" * 3)
        process.stdin.flush()
        assert process.wait(at_most(20)) is not None
    except BrokenPipeError:
        assert process.wait(at_most(20)) is not None
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_a_peer_that_vanishes_is_disconnected(ring):
    one, other, session = pair(ring)
    other.process.kill()
    one.wait_for(lambda d: d.state in ("disconnected", "failed"), timeout=20, what="the loss of the other peer")


# Bad input

BAD_LINES = [
    "not json", "[]", "42", "null", "\"text\"", "{}", "{", "{\"type\":\"offer\"}", "{\"type\":\"banana\",\"sdp\":\"v=0\"}",
    "{\"type\":5,\"sdp\":\"v=0\"}", "{\"command\":\"fly\"}", "{\"command\":5}", "{\"command\":\"send\"}",
    "{\"command\":\"send\",\"label\":\"data\"}", "{\"command\":\"send\",\"label\":\"data\",\"base64\":\"***\"}",
    "{\"command\":\"send\",\"label\":\"data\",\"text\":\"a\",\"base64\":\"YQ==\"}", "{\"command\":\"open\"}",
    "{\"candidate\":5}", "{\"type\":\"answer\",\"sdp\":\"garbage\"}", "{\"type\":\"offer\",\"sdp\":\"\"}",
    "{\"unknown\":true}", "\x00\x01\x02", "{\"a\":" * 2_000, "x" * 100_000,
]


def test_bad_lines_are_named_and_ignored(ring):
    one, other = ring.duet("offer"), ring.duet("answer", "--echo")
    one.wait_for(lambda d: d.lines)
    for number, line in enumerate(BAD_LINES):
        other.line(line)
        other.wait_for(lambda d: len(d.events("error")) == number + 1, timeout=5, what=f"an error for {line[:60]!r}")
        message = other.events("error")[-1]["message"]
        assert message and "\n" not in message
    session = ring.session(one, other)
    session.connect("data")
    one.send("data", "unharmed")
    assert session.wait_for_messages(one, "data", 1) == ["unharmed"]
    assert len(other.events("error")) == len(BAD_LINES)


def test_bytes_that_are_no_text(ring):
    one = ring.duet("offer")
    one.wait_for(lambda d: d.lines)
    one.process.stdin.buffer.write(b"\xff\xfe\x80{}\n")
    one.process.stdin.flush()
    one.wait_for(lambda d: d.events("error"))


def test_a_candidate_that_is_none(ring):
    one, other, session = pair(ring)
    for text in ("banana", "candidate:1 1 udp", "candidate:1 1 udp 99999999999999999999 1.2.3.4 5 typ host",
                 "candidate:" + "9" * 5_000):
        one.accept({"candidate": text, "sdpMid": "0", "sdpMLineIndex": 0})
    one.accept({"candidate": "candidate:1 1 tcp 1 10.77.0.1 9 typ host tcptype active", "sdpMid": "0"})
    one.send("data", "unharmed")
    assert session.wait_for_messages(other, "data", 1) == ["unharmed"]


@pytest.mark.parametrize("options", [
    ["--policy", "relay"],
    ["--policy", "relay", "--ice-server", "stun:10.77.0.1"],
    ["--ice-server", "turn:10.77.0.1"],
    ["--ice-server", "turns:10.77.0.1:5349?transport=tcp,secret"],
    ["--ca", "/etc/hostname"],
], ids=["policy", "policy-stun", "turn", "turns", "ca"])
@pytest.mark.parametrize("role", ["offer", "answer"])
def test_relays_that_cannot_be_used_are_refused_in_one_line(role, options):
    result = run("peer", role, *options)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "secret" not in result.stderr and "sec,ret" not in result.stderr


@pytest.mark.parametrize("options", [
    ["--ice-server", "banana"], ["--ice-server", "http://example.org"], ["--ice-server", ""], ["--ice-server", "stun:"],
    ["--port-range", "banana"], ["--port-range", "9-5"], ["--port-range", "0-99999"], ["--bind", "banana"],
    ["--max-retransmits", "-1"], ["--policy", "some"], ["--bench", "0", "1"], ["--bench", "x", "y"], ["--banana"],
    ["--dump", "/nowhere/at/all.pcap"], ["--ice-server", "turn://example.org,user,hunter2"],
], ids=" ".join)
def test_options_that_make_no_sense(options):
    result = run("peer", "offer", *options)
    assert "hunter2" not in result.stderr
    assert result.returncode not in (0, 1)
    assert result.stdout == "" and result.stderr.strip()


def test_an_address_that_is_not_ours():
    result = run("peer", "offer", "--bind", "192.0.2.1")
    assert result.returncode == 2
    assert result.stdout == "" and len(result.stderr.splitlines()) == 1


# Where it listens

def test_the_port_range_is_kept(ring):
    one, other, session = pair(ring, ["--port-range", "50000-50009"], ["--port-range", "50010-50019"])
    for peer, ports in ((one, range(50000, 50010)), (other, range(50010, 50020))):
        found = [int(line.split()[5]) for line in candidate_lines(peer) if line.split()[2].lower() == "udp"]
        assert found and set(found) <= set(ports)


@pytest.mark.parametrize("address", ["10.77.0.1", "fd77::1", "127.0.0.1"])
def test_one_address_alone(ring, address):
    one, other, session = pair(ring, ["--bind", address], ["--bind", address])
    for peer in (one, other):
        assert {line.split()[4] for line in candidate_lines(peer)} == {address}


def test_every_interface_without_the_loopback(ring):
    one = ring.duet("offer", "--no-trickle")
    one.wait_for(lambda d: d.lines)
    found = {line.split()[4] for line in candidate_lines(one)}
    assert found == {"10.77.0.1", "fd77::1"}


def test_an_address_that_comes_later_is_a_candidate_too(ring):
    """The system itself says that there is one: nobody looks otherwise."""
    late = "10.77.9.1"
    one = ring.duet("offer")
    one.wait_for(lambda d: any(line.get("candidate") == "" for line in d.lines), what="the end of the candidates")
    assert late not in {line.split()[4] for line in candidate_lines(one)}
    subprocess.run(["ip", "address", "add", f"{late}/24", "dev", "duet0"], check=True, timeout=at_most(10))
    try:
        one.wait_for(lambda d: late in {line.split()[4] for line in candidate_lines(d)}, what=f"a candidate with {late}")
    finally:
        subprocess.run(["ip", "address", "del", f"{late}/24", "dev", "duet0"], check=True, timeout=at_most(10))


class STUNServer:
    """Answers every binding request with an address that it made up: what a NAT would show."""
    SEEN = "203.0.113.5", 40000

    def __init__(self, address="10.77.0.1"):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 0))
        self.port = self.socket.getsockname()[1]
        self.requests = 0
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()

    def _serve(self):
        while True:
            try:
                data, sender = self.socket.recvfrom(2048)
            except OSError:
                return
            if not data:
                return  # it was shut down
            self.requests += 1
            ip, port = self.SEEN
            value = struct.pack("!BBH", 0, 1, port ^ 0x2112) + bytes(
                a ^ b for a, b in zip(socket.inet_aton(ip), b"\x21\x12\xa4\x42"))
            self.socket.sendto(struct.pack("!HH", 0x0101, 12) + data[4:20] + struct.pack("!HH", 0x0020, 8) + value, sender)

    def close(self):
        waiting.stop(self._serving, self.socket)


def test_a_server_shows_the_outer_address(ring):
    server = STUNServer()
    try:
        one = ring.duet("offer", "--ice-server", f"stun:10.77.0.1:{server.port}")
        reflexive = lambda d: [c for c in candidate_lines(d) if " typ srflx" in c]
        one.wait_for(reflexive)
        words = reflexive(one)[0].split()
        assert (words[4], int(words[5])) == STUNServer.SEEN
        assert server.requests
    finally:
        server.close()


# Measuring

@pytest.mark.parametrize("ways", [[], ["--one-by-one"]], ids=["in batches", "one by one"])
def test_bench_prints_one_event_and_no_messages(ring, ways):
    one, other = ring.duet("offer", "--bench", "16384", "1", *ways), ring.duet("answer", *ways)
    session = ring.session(one, other)
    session.pump(lambda: one.events("bench"), what="the result")
    result = one.events("bench")
    assert len(result) == 1
    assert result[0]["megabytesPerSecond"] > 1 and result[0]["cpuSecondsPerGB"] > 0
    rate = result[0]["bytes"] / 1e6 / result[0]["seconds"]
    assert result[0]["megabytesPerSecond"] == pytest.approx(rate, rel=0.01)
    assert result[0]["bytes"] == 16_384 * result[0]["messages"]
    assert not other.events("message") and not one.events("message")
    assert not other.events("bench")


@pytest.mark.parametrize("role", ["offer", "answer"])
def test_either_side_may_measure(ring, role):
    one = ring.duet("offer", *(["--bench", "1024", "0.5"] if role == "offer" else []))
    other = ring.duet("answer", *(["--bench", "1024", "0.5"] if role == "answer" else []))
    session = ring.session(one, other)
    measuring = one if role == "offer" else other
    session.pump(lambda: measuring.events("bench"), what="the result")


def test_version_and_help():
    assert run("--version").returncode == 0
    for arguments in (["--help"], ["peer", "--help"], ["peer", "offer", "--help"]):
        result = run(*arguments)
        assert result.returncode == 0 and "USAGE" in result.stdout
    everything = run("peer", "offer", "--help").stdout
    for option in ("--channel", "--unordered", "--max-retransmits", "--echo", "--bind", "--port-range", "--ice-server",
                   "--policy", "--dump", "--no-trickle", "--stats", "--bench", "--one-by-one", "--log"):
        assert option in everything


def test_logs_go_to_standard_error_alone(ring):
    one, other, session = pair(ring, ["--log", "trace"])
    one.end_input()
    one.wait()
    assert one.standard_error()
    json.dumps(one.lines)  # every line of standard output was JSON, or the reader would have stopped
    assert one.state == "connected" or one.state == "closed"
    sdp = next(line["sdp"] for line in one.lines if "sdp" in line)
    password = re.search(r"a=ice-pwd:(\S+)", sdp).group(1)
    assert password not in one.standard_error()


def test_a_listener_without_descriptors_left_waits(ring):
    """Strangers that use up what the process may open do not make it spin."""
    one = ring.duet("offer", "--channel", "data", "--bind", "10.77.0.1", "--tcp", "listen")
    passive = re.compile(r" tcp \d+ 10\.77\.0\.1 (\d+) typ host tcptype passive")
    one.wait_for(lambda peer: any(passive.search(line.get("candidate") or "") for line in peer.lines))
    port = next(int(found.group(1)) for line in one.lines if (found := passive.search(line.get("candidate") or "")))
    process = one.process.pid
    _, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
    resource.prlimit(process, resource.RLIMIT_NOFILE, (max(map(int, os.listdir(f"/proc/{process}/fd"))) + 3, hard))
    strangers = [socket.create_connection(("10.77.0.1", port), timeout=5) for _ in range(8)]

    def used():
        fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    before = used()
    time.sleep(3)  # what is measured is what it does in that time: it tries again each second
    assert used() - before < 0.5
    resource.prlimit(process, resource.RLIMIT_NOFILE, (hard, hard))
    for stranger in strangers:
        stranger.close()
    # And it still listens: whoever comes now is accepted, and stays until its patience ends.
    other = ring.duet("answer", "--bind", "10.77.0.1", "--echo")
    session = ring.session(one, other)
    session.connect("data")
