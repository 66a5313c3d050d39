"""`duet peer`, driven like by a script: JSON lines in, JSON lines out."""
import base64
import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from . import written
from .patience import Wait

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("DUET_BINARY", str(ROOT / ".build/release/duet"))


class DuetPeer:
    """`within` is a command prefix that runs it elsewhere, such as in another namespace."""

    def __init__(self, role, *options, command=(BINARY, "peer"), within=()):
        self.role = role
        self.arguments = [*within, *command, role, *options]
        self._errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, bufsize=1)
        self.lines = []
        self.times = []  # of `time.monotonic()`, when each line came
        self.ended = False
        self._drained = 0
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for text in self.process.stdout:
            line = json.loads(text)  # anything but JSON on standard output is a failure: the thread says so
            assert isinstance(line, dict), text
            with self._changed:
                self.times.append(time.monotonic())
                self.lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    # What it said

    def signals(self):
        with self._changed:
            new, self._drained = self.lines[self._drained:], len(self.lines)
        return [line for line in new if "type" in line or "candidate" in line]

    def events(self, name, label=None):
        with self._changed:
            return [line for line in self.lines
                    if line.get("event") == name and (label is None or line.get("label") == label)]

    @property
    def state(self):
        states = self.events("connectionState")
        return states[-1]["value"] if states else "new"

    def is_open(self, label):
        states = self.events("dataChannel", label)
        return bool(states) and states[-1]["state"] == "open"

    def received(self, label):
        return [line["text"] if "text" in line else line["size"] for line in self.events("message", label)]

    def wait_for(self, condition, timeout=10.0, what="a line of duet"):
        """Waits until `condition(self)` holds."""
        wait = Wait(timeout)
        with self._changed:
            while not condition(self):
                if not self._changed.wait(min(0.2, wait.left)) and wait.is_over:
                    raise AssertionError(f"{what} did not come within {wait}\n{self.describe()}")
        return self

    def content(self, kind):
        """The last received content of its newest track of this kind; None before the first report. Needs --content."""
        reports = self.events(kind)
        return reports[-1] if reports else None

    # What it is told

    def line(self, text):
        """Writes one line, whatever it is."""
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise AssertionError(f"duet ended before it was told: {text[:200]}\n{self.describe()}") from None

    def command(self, name, **members):
        self.line(json.dumps({"command": name, **members}))

    def accept(self, signal):
        self.line(json.dumps(signal))

    def open(self, label, **options):
        self.command("open", label=label, **options)

    def send(self, label, message):
        if isinstance(message, str):
            self.command("send", label=label, text=message)
        else:
            self.command("send", label=label, base64=base64.b64encode(message).decode())

    def close_channel(self, label):
        self.command("closeChannel", label=label)

    def restart_ice(self):
        self.command("restartIce")

    def add_track(self, kind):
        self.command("addTrack", kind=kind)

    def remove_track(self, kind):
        self.command("removeTrack", kind=kind)

    def set_muted(self, kind, muted):
        self.command("mute" if muted else "unmute", kind=kind)

    # How it ends

    def end_input(self):
        self.process.stdin.close()

    def wait(self, timeout=20.0):
        """Its exit status, after all of its output was read. Fails if it does not end in time."""
        wait = Wait(timeout)
        try:
            status = self.process.wait(wait.left)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"duet did not end within {wait}\n{self.describe()}") from None
        self._reader.join(5)
        return status

    def standard_error(self):
        return written(self._errors)

    def close(self):
        if self.process.poll() is None:
            try:
                self.process.stdin.close()
            except (BrokenPipeError, ValueError, OSError):
                pass
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def describe(self):
        with self._changed:
            last = [json.dumps(line)[:300] for line in self.lines[-12:]]
        return "\n  ".join([f"{' '.join(self.arguments)}: {self.state}, status {self.process.poll()}", *last,
                            *self.standard_error().splitlines()[-12:]])
