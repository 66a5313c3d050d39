"""Times are judged by what is waited for: a busy machine neither fails nor excuses them."""
import os
import time

import pytest

from peers.pace import Delays, Measured, Pace, work_of


def measured(times, pace=1.0):
    """Of what takes 60 ms of work each time."""
    made = Measured("something")
    for milliseconds in times:
        made.add(milliseconds, 60, pace, pace)
    return made


def test_a_busy_machine_is_no_fault():
    measured([80, 75, 90, 70, 85, 95, 300, 78]).demand(wait=150, work=100)
    measured([250, 220, 310, 260, 190, 240, 280, 230], pace=4.0).demand(wait=150, work=100)


@pytest.mark.parametrize("pace", [1.0, 4.0])
def test_a_timer_that_half_of_them_wait_for_is_one(pace):
    quick, slow = 60 * pace + 20, 60 * pace + 445
    with pytest.raises(AssertionError, match="waits for too long"):
        measured([quick, slow] * 4, pace).demand(wait=150, work=100)


def test_work_that_is_too_much_is_one():
    with pytest.raises(AssertionError, match="too much of the processor"):
        measured([80] * 8).demand(wait=150, work=50)


def test_work_is_counted_and_sleep_is_not():
    pace = Pace()
    assert pace.measure() >= 1
    pace.close()
    before = work_of(os.getpid())
    time.sleep(0.3)
    assert work_of(os.getpid()) - before < 0.15
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    assert 0.2 <= work_of(os.getpid()) - before < 0.4
    assert Delays().longest < 1
