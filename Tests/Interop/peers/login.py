"""`duet login` and `duet logout`, with a browser that the test simulates."""
import http.client
import json
import os
import queue
import ssl
import stat
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from peers.duet import BINARY
from peers.patience import at_most


PATIENCE = 45.0  # seconds; only a failure takes that long, and a machine that compiles meanwhile is slow


class Program:
    """A run of duet, and all of its output."""

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
        # The lines of output, then an empty text.
        self._texts = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.texts = []

    def _read(self):
        for text in self.process.stdout:
            self._texts.put(text)
        self._texts.put(None)

    def text(self):
        """The next line; empty at the end."""
        try:
            text = self._texts.get(timeout=at_most(PATIENCE))
        except queue.Empty:
            self.process.kill()
            raise AssertionError(f"it says nothing more: {self.texts} {self.errors()}") from None
        if text is None:
            self._texts.put(None)
        else:
            self.everything.append(text)
            self.texts.append(text)
        return text

    @property
    def lines(self):
        return [json.loads(text) for text in self.texts]

    def event(self, *names):
        """Reads until one of these events, and returns it."""
        while text := self.text():
            if (line := json.loads(text))["event"] in names:
                return line
        raise AssertionError(f"no {names}: {self.texts} {self.errors()}")

    def describe(self):
        """Whether it runs, and what it has said."""
        while not self._texts.empty() and (text := self._texts.get()):
            self.texts.append(text)
        return f"status {self.process.poll()}, it said {self.texts} {self.errors()}"

    def errors(self):
        self._errors.seek(0)
        return self._errors.read()

    def end(self):
        """Its exit status, and its last event."""
        while self.text():
            pass
        status = self.process.wait(at_most(PATIENCE))
        self.said_wrong = self.errors()
        self.everything.append(self.said_wrong)
        self._reader.join()
        self.process.stdout.close()
        self._bin.cleanup()
        return status, self.lines[-1] if self.texts else None


def login(keyring, issuer, *options, visit=None, **named):
    """Signs in, and returns the exit status and the last event. `visit`: handles the URL like a person with a browser."""
    program = Program(keyring, "login", issuer, "--json", *options, **named)
    opening = program.event("opening", "failed", "signedIn")
    if opening["event"] == "opening":
        (visit or follow)(opening["address"])
    return program.end()


def authorization(address):
    """The server's page to which the browser's URL leads, which itself is a URL of this machine."""
    assert urlsplit(address).hostname == "127.0.0.1" and not urlsplit(address).query, address
    status, location, _ = request(address)
    assert status == 303, status
    return location


def request(url, method="GET", body=None, context=None):
    """Sends a request without following a redirect: status, Location and body."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=at_most(10), **({"context": context} if context else {}))
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    connection.request(method, f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}", body, headers)
    response = connection.getresponse()
    result = response.status, response.getheader("Location"), response.read().decode()
    connection.close()
    return result


def follow(url, body=None, authorities=None):
    """Follows redirects like a browser, without the fragment. Returns the last page."""
    context = ssl.create_default_context(cafile=authorities) if authorities else None
    for _ in range(10):
        status, location, page = request(url, "POST" if body else "GET", body, context if "https:" in url else None)
        if status not in (301, 302, 303, 307):
            return status, page
        url, body = urljoin(url, location).split("#")[0], None
    raise AssertionError("too many redirects")
