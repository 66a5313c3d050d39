"""A virtual screen for tests, and its keyboard."""
import os
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from .patience import at_most


class Screen:
    """Xvfb, with its picture in a file (the X window dump format, XWD version 7)."""

    def __init__(self, width=960, height=600):
        self._folder = tempfile.TemporaryDirectory()
        reading, writing = os.pipe()
        # Without -noreset it restarts when its last window is closed, and does not respond meanwhile.
        self._process = subprocess.Popen(
            ["Xvfb", "-noreset", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24",
             "-fbdir", self._folder.name],
            pass_fds=[writing], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as told:
            self.display = f":{told.readline().strip()}"
        assert self.display != ":", "Xvfb does not start"

    def look(self, x, y, width, height):
        """The pixels of a part of the screen: rows of bytes, four per pixel."""
        image = (Path(self._folder.name) / "Xvfb_screen0").read_bytes()
        header = struct.unpack(">20I", image[:80])
        size, bits, line, colors = header[0], header[11], header[12], header[19]
        assert bits == 32, header
        start = size + 12 * colors
        return [image[start + line * row + 4 * x:][:4 * width] for row in range(y, y + height)]

    def different(self, *area, seconds=3.0):
        """The number of different images in this part of the screen within some seconds."""
        seen = set()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            seen.add(b"".join(self.look(*area)))
            time.sleep(0.05)
        return len(seen)

    def steady(self, *area, seconds=0.5):
        """This part of the screen once it has not changed for a while."""
        seen, since = None, 0
        while True:
            now = b"".join(self.look(*area))
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > seconds:
                return seen
            time.sleep(0.05)

    def key(self, key):
        """Presses a key in the window with the keyboard focus."""
        self._ask("xdotool", "key", key)

    def press(self, key):
        """Presses a key in the only window."""
        window = self._ask("xdotool", "search", "--onlyvisible", "--name", ".").split()[-1]
        self._ask("xdotool", "windowfocus", "--sync", window, "key", key)

    def click(self, x, y):
        self._ask("xdotool", "mousemove", str(x), str(y), "click", "1")

    def _ask(self, *command):
        done = subprocess.run(command, env={**os.environ, "DISPLAY": self.display}, capture_output=True, text=True,
                              timeout=at_most(20))
        assert done.returncode == 0, done
        return done.stdout

    def close(self):
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()
