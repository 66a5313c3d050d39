"""The program WebViewProbe, which shows pages in a real WebKitGTK, and the servers of its pages."""
import http.server
import json
import os
import re
import socket
import socketserver
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from .duet import product
from .patience import Wait, at_most

BINARY = os.environ.get("WEB_VIEW_PROBE", product("WebViewProbe"))

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "">
<busconfig><type>session</type><listen>unix:tmpdir={folder}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>"""


class Desktop:
    """A session bus without activatable services, and folders for the programs' data."""

    def __init__(self, screen):
        self.screen = screen
        # Processes of a view that has just been closed may still write there.
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.home = Path(self._folder.name)
        (self.home / "bus.conf").write_text(BUS.format(folder=self._folder.name))
        (self.home / "run").mkdir(mode=0o700)
        self._bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self.home}/bus.conf", "--print-address", "--nofork"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.environment = {
            **os.environ, "DISPLAY": screen.display, "WAYLAND_DISPLAY": "", "HOME": self._folder.name,
            "XDG_DATA_HOME": f"{self.home}/data", "XDG_CACHE_HOME": f"{self.home}/cache",
            "XDG_CONFIG_HOME": f"{self.home}/config", "XDG_RUNTIME_DIR": f"{self.home}/run",
            "DBUS_SESSION_BUS_ADDRESS": self._bus.stdout.readline().strip(),
            "GTK_A11Y": "none", "GSK_RENDERER": "cairo", "GIO_USE_VFS": "local", "GSETTINGS_BACKEND": "memory",
            # The web process's own sandbox needs permissions that a namespace in a container does not have.
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
        }

    def register(self, scheme, script):
        """Makes a shell script the handler for URLs of a scheme."""
        applications = self.home / "data/applications"
        applications.mkdir(parents=True, exist_ok=True)
        program = self.home / f"open-{scheme}"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        (applications / f"{scheme}.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName={scheme}\nExec={program} %u\nMimeType=x-scheme-handler/{scheme};\n")
        with (applications / "mimeapps.list").open("a") as file:
            file.write(f"[Default Applications]\nx-scheme-handler/{scheme}={scheme}.desktop\n")

    def close(self):
        self._bus.terminate()
        self._bus.wait()
        self._folder.cleanup()


class WebView:
    """A window with a web view: commands in, lines of JSON out."""

    def __init__(self, desktop, *options):
        self._errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [BINARY, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, bufsize=1,
            env=desktop.environment)
        self._environment = desktop.environment
        self.lines = []
        self._seen = 0
        self._number = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        self.wait("open", timeout=60)

    def _read(self):
        for text in self.process.stdout:
            line = json.loads(text)
            with self._changed:
                self.lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self.lines.append({"event": "ended"})
            self._changed.notify_all()

    def do(self, *words):
        """Sends a command. From then on only output after the command's beginning counts."""
        self._number += 1
        self.process.stdin.write(f"{self._number} {' '.join(words)}\n")
        self.process.stdin.flush()
        self.wait("did", number=self._number, timeout=45)
        with self._changed:
            self._seen = 1 + max(place for place, line in enumerate(self.lines)
                                 if line["event"] == "did" and line["number"] == self._number)

    def events(self, name=None):
        """The output since the last command."""
        with self._changed:
            return [line for line in self.lines[self._seen:] if name is None or line["event"] == name]

    def wait(self, name, timeout=25, **fields):
        """Waits for the first such line since the last command."""
        wait = Wait(timeout)
        with self._changed:
            while True:
                for line in self.lines[self._seen:]:
                    if line["event"] == name and all(line.get(key) == value for key, value in fields.items()):
                        return line
                    assert line["event"] != "error", (line, name, fields)
                assert not wait.is_over and self.lines[-1:] != [{"event": "ended"}], (
                    name, fields, self.lines[self._seen:], self.errors())
                self._changed.wait(wait.left)

    def title(self, beginning, timeout=25):
        """Waits until the page's title begins with this text. Test pages report results in their titles.

        They append a number, so that no two are the same: the program prints a title when it changes."""
        wait = Wait(timeout)
        with self._changed:
            while True:
                for line in self.lines[self._seen:]:
                    if line["event"] in ("title", "finished") and line["title"].startswith(beginning):
                        return re.sub(r" #\d+$", "", line["title"])
                assert not wait.is_over and self.lines[-1:] != [{"event": "ended"}], (
                    beginning, self.lines[self._seen:], self.errors())
                self._changed.wait(wait.left)

    def script(self, text):
        """The result of a script in the page."""
        self.do("script", text.replace("\n", " "))
        return self.wait("result")["value"]

    def never(self, *names):
        """Returns whether none of these has occurred since the last command, nor does until the page has answered a script."""
        with self._changed:
            start = self._seen
        # A page that is being left does not answer.
        assert any(self.script("'here'") == "here" for _ in range(10))
        with self._changed:
            return not [line for line in self.lines[start:] if line["event"] in names]

    def is_running(self):
        return self.process.poll() is None

    def press(self, key, patience=20):
        """Presses a key, once this window has the keyboard focus."""
        find = ("xdotool", "search", "--onlyvisible", "--name", f"Probe {self.process.pid}-")
        wait = Wait(patience)
        while not (windows := self._ask(*find)) or self._ask("xdotool", "getwindowfocus", "-f") not in windows:
            assert not wait.is_over, (windows, self._ask("xdotool", "getwindowfocus", "-f"))
            if windows:
                self._ask("xdotool", "windowfocus", windows[-1])
            time.sleep(0.1)
        self._ask("xdotool", "key", key)

    def _ask(self, *command):
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=at_most(20))
        words = done.stdout.split()
        return words if command[1] == "search" else words[0] if words else ""

    def errors(self):
        self._errors.seek(0)
        return self._errors.read()[-2_000:]

    def close(self):
        if self.process.poll() is None:
            try:
                self.process.stdin.write("quit\n")
                self.process.stdin.close()
                self.process.wait(10)
            except (BrokenPipeError, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        site = self.server.site
        with site.lock:
            site.hits.append((self.headers.get("Host"), path, query, dict(self.headers)))
        answer = site.pages.get(path, "<title>nothing here</title>")
        if callable(answer):
            return answer(self)
        self.reply(answer)

    def reply(self, body, status=200, kind="text/html; charset=utf-8", **headers):
        data = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass  # a web view that goes away is nothing to talk about


class Site:
    """A server of pages, over http or https, at any name that ends with .localhost."""

    def __init__(self, pages, certificate=None, most=None, clients=None):
        """With `clients`, the certificate that signs client certificates, a client without one is refused."""
        self.pages, self.hits, self.lock = pages, [], threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.site = self
        self.port = self._server.server_address[1]
        self.scheme = "http"
        if certificate:
            self.scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            if most:
                context.minimum_version = ssl.TLSVersion.TLSv1
                context.maximum_version = most
                context.set_ciphers("ALL:@SECLEVEL=0")
            if clients:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(clients)
                # Only in TLS 1.2 the handshake itself reports a refused client.
                context.maximum_version = ssl.TLSVersion.TLSv1_2
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path="/", host="localhost"):
        return f"{self.scheme}://{host}:{self.port}{path}"

    def origin(self, host="localhost"):
        return f"{self.scheme}://{host}:{self.port}"

    def count(self, path):
        with self.lock:
            return sum(hit[1] == path for hit in self.hits)

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def free_port():
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
