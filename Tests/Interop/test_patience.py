"""What waits in a test ends before the test's own limit does, and says what it waited for."""
import subprocess
import sys
import time

import pytest

from peers import Session, patience
from peers.duet import DuetPeer

LIMIT = 4.0


@pytest.fixture
def limited():
    """As if this test began now, and had little time."""
    patience.begin(LIMIT)
    return time.monotonic()


def test_waits_in_a_row_end_before_the_limit(limited):
    """Each could last for 20 s."""
    offer, answer = DuetPeer("offer"), DuetPeer("answer")
    try:
        words = []
        for wait in (
            lambda: offer.wait_for(lambda peer: peer.state == "connected"),
            lambda: Session(offer, answer).pump(lambda: False, what="a miracle"),
            lambda: patience.wait_until(lambda: False, seconds=60, what="another miracle"),
            lambda: answer.wait(60),
        ):
            with pytest.raises(AssertionError) as failure:
                wait()
            words.append(str(failure.value))
        assert time.monotonic() - limited < LIMIT
        assert "all that the test had left" in words[0] and "duet peer" not in words[2]
        assert "a miracle did not come true" in words[1] and "another miracle" in words[2]
    finally:
        offer.close()
        answer.close()


def test_what_holds_already_is_no_failure(limited):
    """Also when there is no time left."""
    time.sleep(LIMIT - min(patience.RESERVE, LIMIT / 2))
    assert patience.wait_until(lambda: "there") == "there"
    done = subprocess.run([sys.executable, "-c", "print(1)"], timeout=patience.at_most(20), capture_output=True)
    assert done.stdout == b"1\n"


def test_a_limit_of_a_marker_counts_before_the_usual_one(request):
    request.node.add_marker(pytest.mark.timeout(77))
    assert patience.limit_of(request.node) == 77
