"""Audio that encodes its own position, and reading the position from what was played.

It is a tone that rises from 400 to 2,400 hertz, one hertz per millisecond, and repeats: its pitch is the position. So concealment
(a constant pitch), omissions (a jump) and silence are detected without knowing the player, and the delay too, up to two seconds.
"""
import array
import math
import struct
from dataclasses import dataclass

LOWEST, SWEEP = 400.0, 2.0  # hertz, seconds
RATE = 48_000
HEARD = 8_000
"""The sample rate of the analysis."""
WINDOW = 160
"""20 ms."""
TOLERANCE = 0.012
"""The seconds by which 20 ms may be stretched or shortened: a pitch period more or less is inaudible."""


def make(path):
    """A WAV file of one sweep, to be repeated."""
    samples, phase = array.array("h"), 0.0
    for index in range(int(RATE * SWEEP)):
        samples.append(int(12_000 * math.sin(phase)))
        phase += 2 * math.pi * (LOWEST + 1000 * index / RATE) / RATE
    data = samples.tobytes()
    header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16,
                         b"data", len(data))
    path.write_bytes(header + data)
    return path


def lowered(samples, rate):
    """Mono samples at the analysis rate, each the mean of several."""
    step = rate // HEARD
    if step == 1:
        return samples
    parts = [samples[offset::step] for offset in range(step)]
    return array.array("h", [sum(values) // step for values in zip(*parts)])


@dataclass
class Moment:
    """20 ms of played audio."""
    time: float
    place: float | None
    """Where in the sound, in seconds modulo the length of a rise; None where it is not that sound."""
    is_torn: bool = False


def _pitch(window):
    """The frequency of a tone; None if it is none. In a tone, the sum of a sample's two neighbours is the sample times twice the
    cosine of the phase step."""
    power = sum(x * x for x in window)
    if power < 250_000 * len(window):
        return None
    inner = window[1:-1]
    neighbours = [a + b for a, b in zip(window, window[2:])]
    square = sum(x * x for x in inner)
    cosine = sum(x * n for x, n in zip(inner, neighbours)) / (2 * square)
    if not -1 < cosine < 1:
        return None
    rest = sum((n - 2 * cosine * x) ** 2 for x, n in zip(inner, neighbours))
    if rest > 0.05 * square:
        return None
    return math.acos(cosine) * HEARD / (2 * math.pi)


def listen(samples, begin=0.0):
    """The moments of what was played from `begin` on: mono samples at 8,000 hertz. A moment is torn if it does not continue the
    one before."""
    moments, last = [], None
    for index in range(len(samples) // WINDOW):
        pitch = _pitch(samples[index * WINDOW:(index + 1) * WINDOW])
        place = None if pitch is None or not LOWEST - 40 < pitch < LOWEST + 1000 * SWEEP + 40 else (pitch - LOWEST) / 1000
        moment = Moment(begin + index * WINDOW / HEARD, place)
        if place is None or last is None:
            # At the end of a sweep, a window contains two tones.
            is_turn = place is None and last is not None and last > SWEEP - 0.045
            moment.is_torn = place is None and not is_turn
            last = (last + 0.02) % SWEEP if is_turn else place
        else:
            step = (place - last + SWEEP / 2) % SWEEP - SWEEP / 2
            moment.is_torn = abs(step - 0.02) > TOLERANCE
            last = place
        moments.append(moment)
    return moments


def delays(moments):
    """The delay of each moment beyond the minimum, in seconds: (time, delay). Torn moments have none."""
    found = [(moment.time, (moment.time - moment.place) % SWEEP) for moment in moments
             if moment.place is not None and not moment.is_torn]
    if not found:
        return []
    # Delays are circular; the circle is cut opposite of their mean.
    x = sum(math.cos(math.pi * delay) for _, delay in found)
    y = sum(math.sin(math.pi * delay) for _, delay in found)
    middle = math.atan2(y, x) / math.pi
    relative = [(time, (delay - middle + SWEEP / 2) % SWEEP - SWEEP / 2) for time, delay in found]
    ordered = sorted(delay for _, delay in relative)
    least = ordered[len(ordered) // 100]
    return [(time, delay - least) for time, delay in relative]
