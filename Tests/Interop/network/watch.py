"""What is displayed and played at one end of a call: each frame with its time of display and its number, the screen at some
moments, and the audio."""
import array
import fcntl
import os
import threading
import time
from dataclasses import dataclass, field

from . import film, sound

MOMENT = 0.4
"""Seconds between two samples of the screen; page.js has the same."""
F_SETPIPE_SZ = 1031


@dataclass
class Shown:
    """A displayed frame. Times are those of `time.monotonic()`."""
    time: float
    number: int | None
    width: int
    height: int


@dataclass
class Watched:
    """What one end has displayed and played. `moments` are (time, index into `shown`, index into `pictures`), `pictures` the luma
    of the screen as (width, height, bytes). `sound` has 8,000 samples per second."""
    shown: list = field(default_factory=list)
    moments: list = field(default_factory=list)
    pictures: list = field(default_factory=list)
    sound: array.array = field(default_factory=lambda: array.array("h"))
    sound_began: float = 0.0
    errors: list = field(default_factory=list)


def pipe(path):
    """A named pipe, open for reading, with room for some frames, so that its writer does not wait."""
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        fcntl.fcntl(descriptor, F_SETPIPE_SZ, 1 << 20)
    except PermissionError:
        pass  # an ordinary user may have used up what he may have; then it is as long as usual
    return descriptor


class PipeWatch:
    """Reads the output of `duet peer --record-video` and `--record-audio` as it is written."""

    def __init__(self, folder):
        self.watched = Watched()
        self.video_path, self.audio_path = folder / "shown.y4m", folder / "played.wav"
        self._threads = [threading.Thread(target=self._guarded, args=(work, pipe(path)), daemon=True)
                         for work, path in ((self._watch, self.video_path), (self._listen, self.audio_path))]
        self._stopped = threading.Event()
        for thread in self._threads:
            thread.start()

    def _guarded(self, work, descriptor):
        try:
            # No writer has opened it yet, which is not its end.
            while not self._stopped.is_set():
                try:
                    first = os.read(descriptor, 1)
                except BlockingIOError:
                    first = b""
                if first:
                    os.set_blocking(descriptor, True)
                    with os.fdopen(descriptor, "rb", buffering=1 << 16) as file:
                        return work(file, first)
                time.sleep(0.01)
            os.close(descriptor)
        except Exception as error:
            self.watched.errors.append(repr(error))

    def _watch(self, file, first):
        words = (first + file.readline()).split()
        width, height = int(words[1][1:]), int(words[2][1:])
        size, luma = width * height, None
        chroma = 2 * ((width + 1) // 2) * ((height + 1) // 2)
        watched, next_moment = self.watched, None

        def look_until(now):
            nonlocal next_moment
            while next_moment is not None and next_moment < now:
                if not kept:
                    kept.append(len(watched.pictures))
                    watched.pictures.append((width, height, luma))
                watched.moments.append((next_moment, len(watched.shown) - 1, kept[0]))
                next_moment += MOMENT
        kept = []
        while file.readline() == b"FRAME\n":
            picture = file.read(size)
            now = time.monotonic()
            if len(file.read(chroma)) < chroma:
                break
            look_until(now)
            if next_moment is None:
                next_moment = now
            luma, kept = picture, []
            watched.shown.append(Shown(now, film.read(luma, width, height), width, height))
        look_until(time.monotonic())

    def _listen(self, file, first):
        header = first + file.read(43)
        channels, rate = int.from_bytes(header[22:24], "little"), int.from_bytes(header[24:28], "little")
        watched, piece = self.watched, rate // 50 * channels * 2
        while len(data := file.read(piece)) == piece:
            if not watched.sound:
                watched.sound_began = time.monotonic() - 0.02
            watched.sound.extend(sound.lowered(array.array("h", data)[::channels], rate))

    def finish(self):
        """Called when there is no writer any more."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(10)
        return self.watched


class Stalls:
    """How long this process was prevented from reading: frames that arrived meanwhile have times that are too late."""

    def __init__(self):
        self.longest = self.total = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._measure, daemon=True)
        self._thread.start()

    def _measure(self):
        last = time.monotonic()
        while not self._ended.wait(0.02):
            now = time.monotonic()
            if (stall := now - last - 0.02) > 0.08:
                self.longest, self.total = max(self.longest, stall), self.total + stall
            last = now

    def end(self):
        self._ended.set()
        self._thread.join()
        return {"longestStall": round(self.longest, 3), "stalled": round(self.total, 3)}
