"""The client of NATS against real servers: Debian's, and a newer one. What the exchange of a signalling server will rely on."""
import re
import signal
import time

import pytest

from peers.coturn import Authority
from peers.nats import KINDS, NATSServer, Probe, cluster, run
from peers.patience import wait_until


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def start(kind, tmp_path):
    """Starts servers and probes that end with the test."""
    started = []

    def begin(what, *arguments, **options):
        it = what(kind, tmp_path, *arguments, **options) if what is NATSServer else what(*arguments, **options)
        started.append(it)
        return it

    yield begin
    for it in reversed(started):
        it.close()


def check(lines):
    """Every case of a probe has passed, and there were some."""
    failed = [line for line in lines if line["type"] not in ("passed", "done")]
    assert not failed, failed
    assert lines[-1]["type"] == "done" and len(lines) > 5


def test_a_bucket_keeps_the_rules_that_the_model_keeps(start):
    check(run("conformance", start(NATSServer), seconds=100))


def test_the_client_keeps_its_promises(start):
    check(run("client", start(NATSServer), seconds=100))


def test_passwords_and_tokens(start):
    with_password = start(NATSServer, "authorization { user: joe, password: secret }", name="one")
    with_token = start(NATSServer, "authorization { token: secret }", name="two")
    assert run("connect", with_password, "--user", "joe", "--password", "secret")[0]["type"] == "connected"
    assert run("connect", with_token, "--token", "secret")[0]["type"] == "connected"
    for server, options in [
            (with_password, ["--user", "joe", "--password", "wrong-one"]), (with_password, ["--user", "eve", "--password", "secret"]),
            (with_password, []), (with_token, ["--token", "wrong-one"]), (with_token, [])]:
        lines = run("connect", server, *options)
        assert lines[0]["code"] == "unauthorized", lines
        assert "wrong-one" not in str(lines)


def tls(authority, *names, more=""):
    """The lines of a server's configuration, with a certificate for these names."""
    certificate, key = authority.sign(f"server{len(names)}", *names)
    return f'tls {{ cert_file: "{certificate}", key_file: "{key}" {more} }}'


@pytest.fixture
def authorities(tmp_path):
    """One that signs the servers' certificates, and one that has nothing to do with them."""
    folders = [tmp_path / "authority", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
    return [Authority(folder) for folder in folders]


def test_tls(start, authorities):
    ours, other = (authority.certificate for authority in authorities)
    secret, authorization = ["--token", "secret"], "\nauthorization { token: secret }"
    server = start(NATSServer, tls(authorities[0], "DNS:localhost", "IP:127.0.0.1") + authorization, name="one")
    named = start(NATSServer, tls(authorities[0], "DNS:localhost") + authorization, name="two")
    plain = start(NATSServer, name="three")
    assert run("connect", server, "--ca", ours, *secret)[0]["type"] == "connected"
    # By a name that is not in the address.
    assert run("connect", named, "--ca", ours, "--name", "localhost", *secret)[0]["type"] == "connected"
    for at, options in [
            (server, secret), (server, ["--ca", other, *secret]), (named, ["--ca", ours, *secret]),
            (named, ["--ca", ours, "--name", "elsewhere.example", *secret]), (plain, ["--ca", ours, *secret])]:
        lines = run("connect", at, *options)
        assert lines[0]["type"] == "error" and lines[0]["code"] == "untrusted", lines


def test_tls_before_anything_is_said(authorities, tmp_path):
    """From version 2.10.4 on."""
    ours, other = (authority.certificate for authority in authorities)
    server = NATSServer("newer", tmp_path, tls(authorities[0], "IP:127.0.0.1", more=", handshake_first: true"))
    try:
        assert run("connect", server, "--ca", ours, "--tls-first")[0]["type"] == "connected"
        lines = run("connect", server, "--ca", other, "--tls-first")
        assert lines[0]["code"] == "untrusted", lines
        lines = run("connect", server, "--ca", ours)
        assert lines[0]["type"] == "error", lines
    finally:
        server.close()


def test_permissions(start):
    server = start(NATSServer, """
authorization {
    users = [ { user: joe, password: secret, permissions: { subscribe: { deny: "closed.>" }, publish: { deny: "closed.>" } } } ]
}""")
    lines = run("subscribe", server, "--user", "joe", "--password", "secret", "--subject", "closed.>")
    assert lines[-1]["type"] == "error" and lines[-1]["code"] == "permissionDenied", lines


def test_a_neighbour_with_invalid_subjects_disturbs_nobody(start):
    server = start(NATSServer)
    subscriber = start(Probe, "subscribe", server, "--subject", "a.>")
    subscriber.wait_for("subscribed")
    with server.connect() as neighbour:
        neighbour.sendall(
            b"PUB a..b 2\r\nhi\r\nPUB a.* 2\r\nhi\r\nPUB a.\xff 2\r\nhi\r\nHPUB a.b 15 17\r\nNATS/1.0\r\n?\r\n\r\nhi\r\n"
            b"PUB a.b x..y 2\r\nhi\r\nPUB a.b 4\r\n\r\n\r\n\r\nPUB a.b 3\r\nend\r\nPING\r\n")
        line = subscriber.wait_for("message", where=lambda line: line["payload"] == "end")
        assert line["subject"] == "a.b"
    assert subscriber.of("message")[0]["payload"] == "\r\n\r\n"
    assert {line["why"] for line in subscriber.of("lost")} == {"invalid"}
    assert not subscriber.of("disconnected")


def test_lame_duck(start):
    server = start(NATSServer, 'lame_duck_duration: "30s"\nlame_duck_grace_period: "5s"')
    subscriber = start(Probe, "subscribe", server)
    subscriber.wait_for("subscribed")
    server.signal(signal.SIGUSR2)
    subscriber.wait_for("lameDuck")


def value_of(watch):
    """The numbers in the last entry that a watch told of."""
    entries = watch.of("entry")
    return dict(re.findall(r"(\w+)=(\d+)", entries[-1]["value"])) if entries else {}


def check_counts(watch, writers, goal):
    """Everybody has counted to the goal, one by one, and the watch saw it in order."""
    wanted = {writer: str(goal) for writer in writers}
    wait_until(lambda: value_of(watch) == wanted, 30, f"{wanted} in the watch", lambda: str(watch.lines[-5:]), step=0.05)
    entries = watch.of("entry")
    revisions = [entry["revision"] for entry in entries]
    assert revisions == sorted(set(revisions)), "not in order, or twice"
    # A write adds one for one writer. Those between two entries of the watch may be missing.
    totals = [sum(int(number) for _, number in re.findall(r"(\w+)=(\d+)", entry["value"])) for entry in entries]
    wrong = [(entry["revision"], total) for entry, total in zip(entries, totals) if entry["revision"] != total]
    assert not wrong, f"other numbers of writes: {wrong[:5]} … {wrong[-1]}"


def count_through_losses(start, servers, names, step, pause, *options):
    """Clients count with compare-and-set while each server is killed in turn, in the middle of it, and another client watches."""
    watch = start(Probe, "watch", servers, *options)
    watch.wait_for("caughtUp", 60)
    for number, server in enumerate(servers, 1):
        seen = len(watch.of("entry"))
        writers = [start(Probe, "count", servers, "--writer", name, "--goal", step * number, *options) for name in names]
        wait_until(lambda: len(watch.of("entry")) > seen + step // 4, 30, "some writes", lambda: str(watch.lines[-5:]), step=0.01)
        assert not any(writer.of("counted") for writer in writers), "too late to kill it"
        server.kill()
        time.sleep(pause)
        server.start()
        for writer in writers:
            writer.wait_for("counted", 60)
        check_counts(watch, names, step * number)
    return watch


def test_a_killed_server_loses_and_doubles_nothing(start):
    """It is started again, from its files."""
    server = start(NATSServer)
    watch = count_through_losses(start, [server, server, server], "ab", 600, 0.3)
    assert len(watch.of("disconnected")) >= 3


def test_a_server_that_stands_still_is_left(start):
    """A stopped process keeps its sockets open: only pings reveal it."""
    server = start(NATSServer)
    subscriber = start(Probe, "subscribe", server)
    subscriber.wait_for("subscribed")
    server.signal(signal.SIGSTOP)
    try:
        subscriber.wait_for("disconnected", 30)
    finally:
        server.signal(signal.SIGCONT)
    subscriber.wait_for("connected", count=2)
    subscriber.wait_for("lost", where=lambda line: line["why"] == "reconnection")


def test_an_old_server_is_refused_for_a_bucket_with_replicas(tmp_path):
    """Its compare-and-set lets two writers succeed in a cluster."""
    server = NATSServer("debian", tmp_path)
    try:
        lines = run("count", server, "--replicas", 3, seconds=30)
        assert lines[-1]["type"] == "error" and lines[-1]["code"] == "unsuitableServer", lines
    finally:
        server.close()


@pytest.mark.timeout(300)
def test_a_cluster_loses_its_leaders(tmp_path):
    """Three servers, and a bucket on all of them."""
    servers, probes = cluster("newer", tmp_path), []

    def start(*arguments):
        probes.append(Probe(*arguments[1:]))
        return probes[-1]

    try:
        count_through_losses(start, servers, "abc", 600, 3, "--replicas", 3)
    finally:
        for it in [*probes, *servers]:
            it.close()
