"""`duet login` and `duet logout`, with a browser that the test plays."""
import http.client
import json
import os
import ssl
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from peers.duet import BINARY


class Program:
    """A run of duet, and all that it ever said."""

    everything = []

    def __init__(self, keyring, *arguments, browser=None, environment=None):
        """`browser`: a script that stands in for xdg-open."""
        self._bin = tempfile.TemporaryDirectory()
        opener = Path(self._bin.name) / "xdg-open"
        opener.write_text(f"#!/bin/sh\n{browser or ':'}\n")
        opener.chmod(opener.stat().st_mode | stat.S_IXUSR)
        changes = {"PATH": f"{self._bin.name}:{os.environ['PATH']}"} | (keyring.environment if keyring else {})
        self._errors = tempfile.TemporaryFile(mode="w+")
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [BINARY, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            env=os.environ | changes | (environment or {}))
        self.lines = []

    def event(self, name):
        """Reads on until this event, and returns it."""
        for text in self.process.stdout:
            self.everything.append(text)
            self.lines.append(json.loads(text))
            if self.lines[-1]["event"] == name:
                return self.lines[-1]
        raise AssertionError(f"no {name}: {self.lines} {self.errors()}")

    def errors(self):
        self._errors.seek(0)
        return self._errors.read()

    def end(self):
        """Its exit status, and the last that it said."""
        for text in self.process.stdout:
            self.everything.append(text)
            self.lines.append(json.loads(text))
        status = self.process.wait(30)
        self.everything.append(self.errors())
        self.process.stdout.close()
        self._bin.cleanup()
        return status, self.lines[-1] if self.lines else None


def login(keyring, issuer, *options, visit=None, **named):
    """Signs in, and returns the exit status and the last event. `visit`: what the person does with the address."""
    program = Program(keyring, "login", issuer, "--json", *options, **named)
    opening = next((e for e in iter(lambda: _next(program), None) if e["event"] in ("opening", "failed", "signedIn")), None)
    if opening and opening["event"] == "opening":
        (visit or follow)(opening["address"])
    return program.end()


def _next(program):
    text = program.process.stdout.readline()
    if not text:
        return None
    program.everything.append(text)
    program.lines.append(json.loads(text))
    return program.lines[-1]


def request(url, method="GET", body=None, context=None):
    """One request, whose redirect is not followed: status, Location and body."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=10, **({"context": context} if context else {}))
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    connection.request(method, f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}", body, headers)
    response = connection.getresponse()
    result = response.status, response.getheader("Location"), response.read().decode()
    connection.close()
    return result


def follow(url, body=None, authorities=None):
    """What a browser does: goes where it is sent, and leaves the fragment behind. Returns the last page."""
    context = ssl.create_default_context(cafile=authorities) if authorities else None
    for _ in range(10):
        status, location, page = request(url, "POST" if body else "GET", body, context if "https:" in url else None)
        if status not in (301, 302, 303, 307):
            return status, page
        url, body = urljoin(url, location).split("#")[0], None
    raise AssertionError("too many redirects")
