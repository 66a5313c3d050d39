"""Audio and video for aiortc's peer: the test picture of docs/codecs.md and a tone, generated and recognized without numpy."""
import array
import asyncio
import fractions
import math
import time

from aiortc import MediaStreamTrack
from aiortc.mediastreams import AudioStreamTrack, MediaStreamError, VideoStreamTrack
from av import AudioFrame, VideoFrame

WIDTH, HEIGHT = 320, 180
COLUMNS, ROWS = 32, 3


def crc16(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def read_number(frame):
    """The number in a test picture, or None."""
    plane = frame.planes[0]
    luma, stride = memoryview(plane), plane.line_size
    bits = 0
    for row in range(ROWS):
        y = (2 * row + 1) * frame.height // (2 * 6 * ROWS)
        for column in range(COLUMNS):
            x0, x1 = ((4 * column + n) * frame.width // (4 * COLUMNS) for n in (1, 3))
            # One line in the block's middle is enough for frames without losses.
            line = luma[y * stride + x0:y * stride + max(x1, x0 + 1)]
            bits = bits << 1 | (sum(line) / len(line) >= 128)
    data = bits.to_bytes(12, "big")
    return int.from_bytes(data[:4], "big") if crc16(data[:10]) == int.from_bytes(data[10:], "big") else None


class Pictures(VideoStreamTrack):
    """Thirty test pictures a second."""

    def __init__(self):
        super().__init__()
        self.number, self.is_enabled = 0, True

    async def recv(self):
        pts, time_base = await self.next_timestamp()
        frame = VideoFrame(WIDTH, HEIGHT, "yuv420p")
        frame.pts, frame.time_base = pts, time_base
        data = self.number.to_bytes(4, "big") + (time.monotonic_ns() // 1000 % 2**48).to_bytes(6, "big")
        data += crc16(data).to_bytes(2, "big")
        stride = frame.planes[0].line_size
        luma = bytearray([100 if self.is_enabled else 16]) * (stride * HEIGHT)
        for i in range(96 if self.is_enabled else 0):
            row, column = divmod(i, COLUMNS)
            x0, x1 = column * WIDTH // COLUMNS, (column + 1) * WIDTH // COLUMNS
            value = 220 if data[i // 8] >> (7 - i % 8) & 1 else 32
            for y in range(row * HEIGHT // 18, (row + 1) * HEIGHT // 18):
                luma[y * stride + x0:y * stride + x1] = bytes([value]) * (x1 - x0)
        frame.planes[0].update(luma)
        for plane in frame.planes[1:]:
            plane.update(bytes([128]) * plane.buffer_size)
        self.number += 1
        return frame


class Sine(AudioStreamTrack):
    """A tone, 20 ms at a time."""

    def __init__(self, frequency=1000, rate=48_000):
        super().__init__()
        self.frequency, self.rate, self.position, self.is_enabled = frequency, rate, 0, True
        self._start = None

    async def recv(self):
        if self.readyState != "live":
            raise MediaStreamError
        count = self.rate // 50
        if self._start is None:
            self._start = time.time()
        await asyncio.sleep(max(0, self._start + self.position / self.rate - time.time()))
        step, amplitude = 2 * math.pi * self.frequency / self.rate, 8000 if self.is_enabled else 0
        samples = array.array("h", (int(amplitude * math.sin(step * (self.position + i))) for i in range(count)))
        frame = AudioFrame(format="s16", layout="mono", samples=count)
        frame.planes[0].update(samples.tobytes())
        frame.pts, frame.sample_rate, frame.time_base = self.position, self.rate, fractions.Fraction(1, self.rate)
        self.position += count
        return frame


class Watcher:
    """Reads a received track."""

    def __init__(self, track: MediaStreamTrack):
        self.track, self.frames, self.number, self.size = track, 0, None, None
        self._samples, self._rate = array.array("h"), 48_000
        self.task = asyncio.ensure_future(self._run())

    async def _run(self):
        try:
            while True:
                frame = await self.track.recv()
                self.frames += 1
                if self.track.kind == "video":
                    self.number, self.size = read_number(frame), (frame.width, frame.height)
                else:
                    samples = array.array("h", bytes(frame.planes[0])[:2 * frame.samples * len(frame.layout.channels)])
                    self._samples += samples[::len(frame.layout.channels)]
                    self._rate = frame.sample_rate
                    del self._samples[:-self._rate // 4]
        except MediaStreamError:
            pass

    def content(self):
        if self.track.kind == "video":
            return {"frames": self.frames, "number": self.number, "size": self.size}
        return {"frames": self.frames, "frequency": self._frequency()}

    def _frequency(self):
        """From upward zero crossings: exact for a tone."""
        s = self._samples
        if len(s) < self._rate // 4 or max(s) < 200:
            return None
        rises = [i - s[i] / (s[i] - s[i - 1]) for i in range(1, len(s)) if s[i - 1] < 0 <= s[i]]
        return (len(rises) - 1) * self._rate / (rises[-1] - rises[0]) if len(rises) > 10 else None
