"""`duet serve --metrics-port`, read by Prometheus's own parser while a call runs; and a server that is hung up on while it starts."""
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_families
from prometheus_client.parser import text_string_to_metric_families as plain_families

from peers.call import Caller
from peers.coturn import Authority
from peers.duet import BINARY
from peers.page import Server, free_port
from peers.patience import Wait, wait_until

OPEN = "application/openmetrics-text; version=1.0.0"
TABLE = (Path(__file__).resolve().parents[2] / "docs/servers.md").read_text()


def fetch(port, accept="text/plain"):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def samples(port):
    """The values of all samples, by name and labels."""
    _, text = fetch(port)
    return {(sample.name, *sorted(sample.labels.items())): sample.value
            for family in plain_families(text) for sample in family.samples}


def test_figures_of_a_server_while_a_call_runs():
    port = free_port()
    server = Server("--metrics-port", str(port))
    callers = []

    def value(name, *labels):
        return samples(port).get((f"duet_signaling_{name}", *labels))

    try:
        callers.append(bob := Caller(server, "answer", "--as", "bob", "--ring", "60"))
        bob.wait_for("waiting")
        callers.append(alice := Caller(server, "call", "bob", "--as", "alice"))
        bob.wait_for("incoming")
        wait_until(lambda: value("calls_ringing") == 1, 10, "a call that rings")
        bob.command("answer")
        alice.wait_for_picture()
        wait_until(lambda: value("calls_running") == 1, 10, "a call that runs")
        assert value("users") == 2 and value("sessions") == 2 and value("answers_total") == 1
        assert value("message_seconds_count") > 4
        assert value("event_loop_delay_seconds_count") > 0
        own = samples(port)
        assert own[("process_resident_memory_bytes",)] > 1_000_000 and own[("process_open_fds",)] > 5

        # Both formats say the same, and the documentation has every name.
        kind, text = fetch(port, OPEN)
        assert kind.startswith("application/openmetrics-text; version=1.0.0")
        families = {family.name: family for family in open_families(text)}
        assert families["duet_signaling_message_seconds"].type == "histogram"
        _, plain = fetch(port)
        for family in plain_families(plain):
            name = family.name + ("_total" if family.type == "counter" else "")
            assert re.search(rf"`{name}[`{{]", TABLE), f"{name} is not in docs/servers.md"
            assert family.documentation or name == "metrics_refused_total", name
        # The names of users are in no figure.
        assert "alice" not in plain and "bob" not in plain

        alice.command("hangUp")
        wait_until(lambda: value("calls_running") == 0, 10, "the end of the call")
        server.stop()
    finally:
        for caller in callers:
            caller.close()
        server.close()


def test_a_hangup_while_the_server_starts_does_not_end_it(tmp_path):
    """The certificate is in a pipe, so that the server waits for it while it starts."""
    certificate, key = Authority(tmp_path).sign("server", "IP:127.0.0.1")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [BINARY, "serve", "--port", str(free_port()), "--certificate", str(pipe), "--private-key", str(key), "--json"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        # Opening it waits for the reader.
        with open(pipe, "w") as writer:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.3)
            assert process.poll() is None, "the signal ended the server"
            writer.write(certificate.read_text())
        wait = Wait(10)
        while process.poll() is None and not wait.is_over:
            # The signal has not been forgotten: the certificate is read again, as often as the server needs it.
            with contextlib.suppress(OSError):
                descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                os.write(descriptor, certificate.read_bytes())
                os.close(descriptor)
            time.sleep(0.05)
            if select.select([process.stdout], [], [], 0)[0]:
                break
        assert json.loads(process.stdout.readline())["event"] == "serving"
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
