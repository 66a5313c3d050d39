"""Reads the traces of `--trace` and `tracePath` (docs/trace.md), and computes curves from them."""
from dataclasses import dataclass, field, fields
from pathlib import Path


@dataclass
class Sample:
    """A line `s`. Counts are since the previous line; rates in bit/s, times in ms, loss in thousandths."""
    time: int
    packets_sent: int
    bytes_sent: int
    packets_acknowledged: int
    bytes_acknowledged: int
    packets_lost: int
    in_flight: int
    window: int
    target: int
    arriving: int
    queue: int
    round_trip: int
    loss: int
    waiting: int
    state: int


# The numbers of streams after time and number, by the letter of the line.
STREAMS = {
    "v": ("packets", "bytes", "sent_again", "pictures", "key_frames", "encoded", "left_out_busy", "left_out_queue", "target",
          "width", "height", "limited"),
    "a": ("packets", "bytes", "sent_again", "target"),
    "V": ("packets", "bytes", "lost", "pictures", "frozen", "width", "height"),
    "A": ("packets", "bytes", "lost", "samples", "concealed"),
}


class Stream:
    """A line of a stream, with its numbers as attributes."""

    def __init__(self, kind, time, number, values):
        self.kind, self.time, self.number = kind, time, number
        self.__dict__.update(zip(STREAMS[kind], values))


@dataclass
class Trace:
    """The section of one connection. `began` is in ms since 1970; `number` distinguishes simultaneous ones."""
    began: int
    samples: list = field(default_factory=list)
    streams: list = field(default_factory=list)
    path_changes: list = field(default_factory=list)
    number: int = 0


def read(path):
    """The connections in a file, in order, whether written one after the other or interleaved. Lines that are cut off are
    ignored."""
    found, now = {}, None
    for line in Path(path).read_text().splitlines():
        kind, *words = line.split(" ")
        if kind == "#" and words[:3] == ["duet", "trace", "1"]:
            key = tuple(int(word) for word in (words[3:5] + ["0"])[:2])
            now = found.setdefault(key, Trace(key[0], number=key[1]))
            continue
        if now is None or kind not in "spx" and kind not in STREAMS:
            continue
        numbers = [int(word) for word in words]
        if kind == "s" and len(numbers) == len(fields(Sample)):
            now.samples.append(Sample(*numbers))
        elif kind in STREAMS and len(numbers) == len(STREAMS[kind]) + 2:
            now.streams.append(Stream(kind, numbers[0], numbers[1], numbers[2:]))
        elif kind == "p":
            now.path_changes.append(numbers[0])
    if not found:
        raise ValueError(f"{path} is no trace")
    return list(found.values())


def curves(trace, step=0.5):
    """Curves for `network.curves.svg`: the sent bitrate, the target, and the queue."""
    sent = {}
    for sample in trace.samples:
        place = int(sample.time / 1000 / step)
        sent[place] = sent.get(place, 0) + sample.bytes_sent * 8 / 1000 / step
    last = max(sent, default=0)
    return {
        "capacity": [],
        "sent": [[place * step, sent.get(place, 0)] for place in range(last + 1)],
        "target": [[sample.time / 1000, sample.target / 1000] for sample in trace.samples],
        "queue": [[sample.time / 1000, sample.queue] for sample in trace.samples],
    }
