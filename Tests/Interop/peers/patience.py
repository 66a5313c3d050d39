"""How long a test waits for something.

A test has a limit, that of its marker `timeout` or the usual one, which whoever runs the tests enforces from outside:
then nobody says any more what was waited for. So no wait in here lasts longer than what its test has left of the limit,
less what tearing it down takes. Waits in a row cannot sum above the limit, and one that is in vain fails by itself, with
its words.
"""
import math
import time

# Seconds that a test may take in all, unless its marker says otherwise. Only what hangs takes that long.
LIMIT = 120.0
# Seconds of a test's limit in which nothing is waited for any more: for what a failed test leaves to be ended and told.
RESERVE = 10.0
# What a program that is run to its end gets at least: most take milliseconds, and are what a failure is described with.
LEAST = 2.0


class _Test:
    """The one that runs; without one, such as in a script that only uses the peers, nothing is cut."""
    end = math.inf
    reserve = 0.0


def limit_of(item):
    """The limit of a test, in seconds."""
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker else LIMIT


def begin(limit):
    """A test begins that has so many seconds, its fixtures among them."""
    _Test.reserve = min(RESERVE, limit / 2)
    _Test.end = time.monotonic() + limit - _Test.reserve


def begin_teardown():
    """Most of what was kept for it may be used."""
    _Test.end += 0.8 * _Test.reserve


def end():
    _Test.end = math.inf


def at_most(seconds, least=LEAST):
    """A time-out for what knows how to wait by itself, such as a process or a socket."""
    return min(seconds, max(least, _Test.end - time.monotonic()))


class Wait:
    """A time that is waited for something, and, as text, how long it is."""

    def __init__(self, seconds):
        now = time.monotonic()
        self._end = min(now + seconds, max(now, _Test.end))
        self._text = f"{seconds:g} s" if self._end == now + seconds \
            else f"{self._end - now:.1f} s, which was all that the test had left"

    @property
    def left(self):
        return max(0.0, self._end - time.monotonic())

    @property
    def is_over(self):
        return time.monotonic() >= self._end

    def __str__(self):
        return self._text


def wait_until(condition, seconds=10, what="it", describe=lambda: "", step=0.005):
    """What `condition()` comes to, once that is true. `describe` says more when it is in vain."""
    wait = Wait(seconds)
    while not (value := condition()):
        assert not wait.is_over, f"{what} did not come true within {wait}\n{describe()}"
        time.sleep(step)
    return value
