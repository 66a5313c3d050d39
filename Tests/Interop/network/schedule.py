"""Schedules: what a link does, each way, as time goes on. Tests/Networks has them, docs/network-tests.md their words.

    title A link that narrows
    seconds 40
    at 0  both     delay 25  queue 300  rate 2000
    at 20 forward  rate 500

The link (link.c) and RTCSimulation read the same files by themselves; here is what a judge has to know of them.
"""
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "Networks"
DIRECTIONS = ("forward", "backward")
# The settings with one number or "none". The others are in `_changes`.
NUMBERS = ("rate", "delay", "jitter", "queue", "queuebytes", "loss", "burst", "mark")


class ScheduleError(ValueError):
    """An error in a schedule, with its line."""


@dataclass(frozen=True)
class Step:
    at: float
    directions: tuple
    changes: dict


@dataclass(frozen=True)
class Flow:
    """A flow on the link: a call ("media"), or a download ("tcp"), from one second to another."""
    kind: str
    begins: float
    ends: float
    direction: str = "both"
    delay: float = 0
    """One way, beyond that of the link, in milliseconds."""


@dataclass
class Schedule:
    name: str
    title: str = ""
    seconds: float = 0
    steps: list = field(default_factory=list)
    flows: list = field(default_factory=list)
    path: Path | None = None

    def value(self, direction, key, at=0.0):
        """The setting of a direction at a time; None if it has no limit or is not set."""
        found = None
        for step in self.steps:
            if step.at <= at and direction in step.directions and key in step.changes:
                found = step.changes[key]
        return found

    def rate(self, direction, at=0.0):
        """In kbit/s; None without a limit, 0 while it is stalled."""
        return 0 if self.value(direction, "stall", at) else self.value(direction, "rate", at)

    def changes(self, direction):
        """The times of changes."""
        return sorted({step.at for step in self.steps if direction in step.directions})

    def capacity(self, direction, begin, end):
        """The mean rate between two times, in kbit/s; None without a limit."""
        edges = [begin, *(t for t in self.changes(direction) if begin < t < end), end]
        rates = [self.rate(direction, t) for t in edges[:-1]]
        if None in rates or end <= begin:
            return None
        return sum(rate * (later - earlier) for rate, earlier, later in zip(rates, edges, edges[1:])) / (end - begin)


def load(name):
    """A schedule of Tests/Networks by its name, or of a file by its path."""
    path = Path(name) if "/" in str(name) else FOLDER / f"{name}.txt"
    schedule = parse(path.read_text(), path.stem)
    schedule.path = path
    return schedule


def parse(text, name="schedule"):
    schedule = Schedule(name)
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        try:
            _read(schedule, words)
        except (ValueError, IndexError, KeyError) as error:
            raise ScheduleError(f"{name}:{number}: {line.strip()}: {error}") from None
    if not schedule.steps or schedule.seconds <= 0:
        raise ScheduleError(f"{name}: a schedule says how long it is, and what the link does")
    return schedule


def _read(schedule, words):
    kind, *words = words
    if kind == "title":
        schedule.title = " ".join(words)
    elif kind == "seconds":
        schedule.seconds = float(words[0])
    elif kind == "flow":
        options = dict(zip(words[1::2], words[2::2], strict=True))
        schedule.flows.append(Flow(words[0], float(options.pop("from")), float(options.pop("to")),
                                   options.pop("direction", "both"), float(options.pop("delay", 0))))
        if options:
            raise ValueError(f"“{next(iter(options))}” is not known")
    elif kind == "at":
        at, way = float(words[0]), words[1]
        directions = DIRECTIONS if way == "both" else (DIRECTIONS[DIRECTIONS.index(way)],)
        if schedule.steps and at < schedule.steps[-1].at:
            raise ValueError("comes before the line above")
        schedule.steps.append(Step(at, directions, _changes(words[2:])))
    else:
        raise ValueError(f"“{kind}” is not known")


def _changes(words):
    words, found = list(words), {}
    while words:
        key = words.pop(0)
        value = words.pop(0)
        if key in NUMBERS:
            found[key] = None if value == "none" else float(value)
        elif key == "stall":
            found[key] = {"on": True, "off": False}[value]
        elif key in ("reorder", "policer"):  # a share and milliseconds, a rate and bytes
            found[key] = None if value == "none" else (float(value), float(words.pop(0)))
        else:
            raise ValueError(f"“{key}” is not known")
    return found
