"""How long a test waits for something.

A test has a time limit, that of its marker `timeout` or the default, which the runner enforces from outside, without a report of
what was waited for. So no wait here lasts longer than the rest of its test's limit, minus the time for tearing down. Consecutive
waits cannot exceed the limit together, and a failed one reports what it waited for.
"""
import math
import time

# The default time limit of a test in seconds. Only a hanging test takes that long.
LIMIT = 120.0
# Seconds of a test's limit that are kept for tearing down and reporting a failure.
RESERVE = 10.0
# The minimum for a program that is run to its end: most take milliseconds, and describe a failure.
LEAST = 2.0


class _Test:
    """The running test; without one, as in a script that only uses the peers, nothing is limited."""
    end = math.inf
    reserve = 0.0


def limit_of(item):
    """The limit of a test, in seconds."""
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker else LIMIT


def begin(limit):
    """Called when a test begins, with its limit in seconds, which includes its fixtures."""
    _Test.reserve = min(RESERVE, limit / 2)
    _Test.end = time.monotonic() + limit - _Test.reserve


def begin_teardown():
    """Allows the use of most of the reserve."""
    _Test.end += 0.8 * _Test.reserve


def end():
    _Test.end = math.inf


def at_most(seconds, least=LEAST):
    """A timeout for something that waits by itself, such as a process or a socket."""
    return min(seconds, max(least, _Test.end - time.monotonic()))


class Wait:
    """A time limit for a wait, whose text is its length."""

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
    """Waits until `condition()` is true, and returns its value. `describe` adds to the message of a failure."""
    wait = Wait(seconds)
    while not (value := condition()):
        assert not wait.is_over, f"{what} did not come true within {wait}\n{describe()}"
        time.sleep(step)
    return value
