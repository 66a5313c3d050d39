"""NATS servers, which can be killed and started again at the same address, and the program NATSProbe."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from .duet import product
from .page import free_port
from .patience import Wait, at_most, wait_until

PROBE = os.environ.get("NATS_PROBE", product("NATSProbe"))

# Debian's, which Scripts/setup unpacks, and a newer one from the tests' Python environment.
KINDS = {
    "debian": lambda: os.environ.get("NATS_SERVER_DEBIAN") or shutil.which("nats-server"),
    "newer": lambda: os.environ.get("NATS_SERVER_NEWER") or str(Path(sys.executable).parent / "nats-server"),
}

CONFIGURATION = """
server_name: {name}
listen: 127.0.0.1:{port}
jetstream {{ store_dir: "{folder}/{name}", max_memory_store: 64MB, max_file_store: 1GB }}
{more}
"""


class NATSServer:
    """`more`: further lines of its configuration."""

    def __init__(self, kind, folder, more="", name="one", port=None):
        self.port = port or free_port()
        self.name = name
        self.url = f"nats://127.0.0.1:{self.port}"
        self._path = folder / f"{name}.conf"
        self._path.write_text(CONFIGURATION.format(name=name, port=self.port, folder=folder, more=more))
        self._program = KINDS[kind]()
        self._log = open(folder / f"{name}.log", "wb")
        self._log_path = folder / f"{name}.log"
        self.process = None
        self.start()

    def start(self):
        assert self._program, "there is no nats-server: Scripts/setup test unpacks it"
        self.process = subprocess.Popen(
            [self._program, "-c", str(self._path)], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        wait_until(self._listens, 30, f"a connection to the NATS server {self.name}", lambda: self.words, step=0.05)

    def _listens(self):
        assert self.process.poll() is None, f"the server ended: {self.words}"
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    @property
    def words(self):
        return self._log_path.read_text(errors="replace")[-4_000:]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def signal(self, number):
        self.process.send_signal(number)

    def connect(self):
        """A socket for lines of the protocol, past every client library."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=at_most(10))
        connection.sendall(b'CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\nPING\r\n')
        received = b""
        while b"PONG\r\n" not in received:
            received += connection.recv(65_536)
        return connection

    def close(self):
        self.kill()
        self._log.close()


def cluster(kind, folder, size=3):
    """Servers of one cluster, each of which knows the others."""
    ports = [free_port() for _ in range(size)]
    routes = ", ".join(f"nats-route://127.0.0.1:{port}" for port in ports)
    return [
        NATSServer(
            kind, folder, name=f"n{number}",
            more=f"cluster {{ name: c, listen: 127.0.0.1:{port}, routes: [{routes}] }}")
        for number, port in enumerate(ports)]


class Probe:
    """NATSProbe with one of its commands, whose lines are read as they come."""

    def __init__(self, command, servers, *options):
        servers = servers if isinstance(servers, list) else [servers]
        words = [PROBE, command]
        for url in dict.fromkeys(getattr(server, "url", server) for server in servers):
            words += ["--server", url]
        self._errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            words + list(map(str, options)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, text=True)
        self.lines = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for text in self.process.stdout:
            with self._changed:
                self.lines.append(json.loads(text))
                self._changed.notify_all()

    def of(self, kind):
        with self._changed:
            return [line for line in self.lines if line["type"] == kind]

    def wait_for(self, kind, seconds=30, count=1, where=lambda line: True):
        """The last of `count` lines of a kind."""
        wait = Wait(seconds)
        with self._changed:
            while True:
                found = [line for line in self.lines if line["type"] == kind and where(line)]
                if len(found) >= count:
                    return found[count - 1]
                is_over = self.process.poll() is not None and not self._reader.is_alive()
                assert not wait.is_over and not is_over, f"no {kind} in {wait}: {self.lines[-20:]}\n{self.errors}"
                self._changed.wait(min(0.2, max(0.01, wait.left)))

    @property
    def errors(self):
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-2_000:]

    def run(self, seconds=60):
        """Waits for its end, and returns its lines."""
        self.process.wait(at_most(seconds))
        self._reader.join(at_most(10))
        return self.lines

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(5)
        self._errors.close()


def run(command, servers, *options, seconds=60):
    probe = Probe(command, servers, *options)
    try:
        return probe.run(seconds)
    finally:
        probe.close()
