"""What an idle socket with TLS costs `duet serve`: the resident memory of its process, before and after so many clients have signed in.

    Scripts/in-namespace .venv/bin/python Benchmarks/Nodes/idle_tls.py [COUNT]
"""
import json
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Tests/Interop"), str(ROOT / "Benchmarks/Nodes")]

from clients import HANDSHAKE, frame  # noqa: E402
from peers.page import Server  # noqa: E402
from peers.process import resident  # noqa: E402

WARM_UP = 200


def sign_in(context, port, number):
    connection = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost")
    connection.sendall(HANDSHAKE)
    receive(connection, b"\r\n\r\n")
    connection.sendall(frame(json.dumps({"type": "hello", "version": 1, "user": f"u{number}", "device": "d"}).encode()))
    receive(connection, b"welcome")
    return connection


def receive(connection, end):
    data = b""
    while end not in data:
        more = connection.recv(4_096)
        assert more, f"the server has closed a connection after {data}"
        data += more


def main(count=300):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = f"{folder}/certificate.pem", f"{folder}/key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        server = Server("--certificate", certificate, "--private-key", key)
        try:
            kept = [sign_in(context, server.port, number) for number in range(WARM_UP)]
            time.sleep(2)
            before = resident(server.process)
            kept += [sign_in(context, server.port, number) for number in range(WARM_UP, WARM_UP + count)]
            time.sleep(2)
            print(f"{count} idle sockets with TLS: {(resident(server.process) - before) / count:.2f} KiB each")
            for connection in kept:
                connection.close()
        finally:
            server.close()


main(*map(int, sys.argv[1:]))
