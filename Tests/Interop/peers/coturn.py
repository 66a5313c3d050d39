"""A coturn for one test, and certificates for it."""
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from .patience import Wait


def free_port():
    with socket.socket() as probe:
        probe.bind(("10.77.0.1", 0))
        return probe.getsockname()[1]


class Coturn:
    """Serves alice with the password “secret”, or with `secret` everybody with REST credentials made with it.

    `within` is a command prefix that runs it elsewhere, such as in another namespace.
    """

    def __init__(self, addresses=("10.77.0.1",), tls=None, secret=None, options=(), within=()):
        self._within = list(within)
        self.port, self.tls_port, self.other_port = free_port(), free_port(), free_port()
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        self.log_path = folder / "log"
        arguments = [
            *self._within, "turnserver", "-n", "--no-cli", "--fingerprint", "--realm=test.example", "--simple-log",
            "--log-file=stdout", "--verbose", f"--listening-port={self.port}", f"--alt-listening-port={self.other_port}",
            f"--tls-listening-port={self.tls_port}", "--min-port=49152", "--max-port=49400", "--no-dtls",
            f"--pidfile={folder / 'pid'}", f"--userdb={folder / 'db'}", "--allow-loopback-peers",
            *(f"--listening-ip={address}" for address in addresses), f"--relay-ip={addresses[0]}", *options,
        ]
        arguments += ["--use-auth-secret", f"--static-auth-secret={secret}"] if secret \
            else ["--lt-cred-mech", "--user=alice:secret"]
        arguments += [f"--cert={tls[0]}", f"--pkey={tls[1]}"] if tls else ["--no-tls"]
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen(arguments, stdout=self.log, stderr=subprocess.STDOUT, cwd=folder)
        self._ports = [self.port, self.tls_port] if tls else [self.port]
        for address in addresses:
            self._wait_until_it_listens(address)

    def _wait_until_it_listens(self, address):
        wait = Wait(30)
        while not all(self._listens(address, port) for port in self._ports):
            assert self.process.poll() is None and not wait.is_over, f"coturn does not listen: {self.words}"
            time.sleep(0.05)

    def _listens(self, address, port):
        if self._within:
            probe = f"import socket; socket.create_connection(({address!r}, {port}), timeout=1)"
            return subprocess.run([*self._within, "python3", "-c", probe], capture_output=True).returncode == 0
        try:
            socket.create_connection((address, port), timeout=1).close()
            return True
        except OSError:
            return False

    @property
    def words(self):
        return self.log_path.read_text(errors="replace")

    def freeze(self):
        """Stops it: the port stays open, and nothing is answered."""
        os.kill(self.process.pid, signal.SIGSTOP)

    def close(self):
        os.kill(self.process.pid, signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


class Authority:
    """Certificates for coturn, by an authority of the tests' own."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.certificate, self._key = self.folder / "ca.pem", self.folder / "ca.key"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
                      "-subj", "/CN=Test authority", "-keyout", self._key, "-out", self.certificate)

    def sign(self, name, *alternatives, days=30):
        """`alternatives` such as IP:10.77.0.1. Returns the paths of certificate and key."""
        request, key, certificate = (self.folder / f"{name}.{end}" for end in ("csr", "key", "pem"))
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                      "-keyout", key, "-out", request)
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={','.join(alternatives)}\n")
        self._openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
                      "-days", str(days), "-extfile", extensions, "-out", certificate)
        return certificate, key

    @staticmethod
    def _openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
