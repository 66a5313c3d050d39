"""`duet call` and `duet answer`, driven like by a script: JSON lines out, commands in."""
import json
import signal
import subprocess
import tempfile
import threading

from . import written
from .duet import BINARY
from .patience import Wait

# A small video, since the test machine is small.
MEDIA = ("--video", "test:320x192@15", "--audio", "tone")


class Caller:
    """A process of `duet call` or `duet answer`. `within` is a command prefix that runs it elsewhere, such as in another
    namespace."""

    def __init__(self, server, *arguments, media=MEDIA, env=None, within=()):
        address = ["--server", server if isinstance(server, str) else server.url]
        self.arguments = [*within, BINARY, *arguments, *address, "--json", *media]
        self._errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self._errors, text=True, bufsize=1, env=env)
        self.lines = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for text in self.process.stdout:
            line = json.loads(text)  # anything but JSON on standard output is a failure: the thread says so
            with self._changed:
                self.lines.append(line)
                self._changed.notify_all()

    def events(self, name):
        with self._changed:
            return [line for line in self.lines if line.get("event") == name]

    def wait_for(self, name, condition=lambda line: True, timeout=20.0, count=1):
        """The event with this name that fulfils the condition, at least `count` times."""
        wait = Wait(timeout)
        while True:
            found = [line for line in self.events(name) if condition(line)]
            if len(found) >= count:
                return found[count - 1]
            assert not wait.is_over, f"{name} did not come within {wait}\n{self.describe()}"
            with self._changed:
                self._changed.wait(0.1)

    def wait_for_picture(self):
        return self.wait_for("movingPicture")

    def wait_for_frames(self, more=10):
        """Waits until this many more frames have arrived."""
        def frames(line):
            return sum(entry.get("framesDecoded", 0) for entry in line.get("inboundRTP", []))
        before = max([frames(line) for line in self.events("stats")], default=0)
        self.wait_for("stats", lambda line: frames(line) >= before + more)

    def command(self, name, **members):
        self.process.stdin.write(json.dumps({"command": name, **members}) + "\n")
        self.process.stdin.flush()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def wait(self, timeout=20.0):
        """Its exit status, after all of its output was read."""
        wait = Wait(timeout)
        try:
            status = self.process.wait(wait.left)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end within {wait}\n{self.describe()}") from None
        self._reader.join(5)
        return status

    @property
    def outcome(self):
        ended = self.events("ended")
        return ended[-1]["outcome"] if ended else None

    def standard_error(self):
        return written(self._errors)

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self._errors.close()

    def describe(self):
        with self._changed:
            last = [json.dumps(line)[:240] for line in self.lines if line.get("event") not in ("stats", "figures")][-15:]
        return "\n  ".join([f"{' '.join(self.arguments)}: status {self.process.poll()}", *last,
                            *self.standard_error().splitlines()[-8:]])
