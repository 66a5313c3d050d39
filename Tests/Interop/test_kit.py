"""The call kit, as `duet call` and `duet answer` use it: two processes over the real server, how a call goes and ends, what
it survives, and the code that shows that nobody is in the middle. After each ending the next call works."""
import random
import subprocess
import time

import pytest

from peers.call import Caller
from peers.middle import Middle, losing, with_another_reveal, with_other_fingerprints, without_verification
from peers.page import CallPage, Server
from peers.pace import Measured, Pace, work_of
from peers.patience import Wait, at_most
from peers.screen import Screen


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def duet(server):
    """Makes callers, and ends them."""
    made = []

    def make(command, *arguments, name, server=server, **others):
        whom = [f"bob.{make.number}"] if command == "call" else []
        made.append(Caller(server, command, *whom, "--as", f"{name}.{make.number}", *arguments, **others))
        return made[-1]

    make.number = random.randrange(10**9)
    yield make
    for caller in made:
        caller.close()


def answer(duet, *options, **others):
    bob = duet("answer", *options, name="bob", **others)
    bob.wait_for("waiting")
    return bob


def call(duet, *options, name="alice", **others):
    return duet("call", *options, name=name, **others)


# For what ends without a path: how long to look for one.
SOON = ("--connection-timeout", "3")


def connect(duet, *options):
    bob = answer(duet, *options)
    alice = call(duet)
    for caller in (alice, bob):
        caller.wait_for_picture()
    return alice, bob


def ended(caller, outcome, status):
    assert caller.wait() == status, caller.describe()
    assert caller.outcome == outcome, caller.describe()


def codes(caller):
    """How many codes it has told by now."""
    return len([line for line in caller.events("verification") if line["status"] == "code"])


def code(caller, count=1):
    """The pictures and the digits of the newest code, when there have been so many."""
    caller.wait_for("verification", lambda line: line["status"] == "code", count=count)
    found = [line for line in caller.events("verification") if line["status"] == "code"][-1]
    assert len(found["emoji"]) == len(found["names"]) == 5 and len(found["digits"]) == 9, found
    assert found["digits"].isdigit()
    return "".join(found["emoji"]), found["digits"]


def the_next_call_works(duet, bob, calls):
    """Bob, who stays, is called for the `calls + 1`th time: there is a picture on both sides, and the same code."""
    before = len(bob.events("movingPicture")), codes(bob)
    alice = call(duet)
    alice.wait_for_picture()
    bob.wait_for("movingPicture", count=before[0] + 1)
    assert code(alice) == code(bob, count=before[1] + 1)
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    bob.wait_for("waiting", count=calls + 2)


# A call, and its ends

def test_both_sides_have_the_same_code_and_the_next_call_another(duet):
    alice, bob = connect(duet, "--stay")
    first = code(alice)
    assert code(bob) == first
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    assert bob.wait_for("ended")["outcome"] == "theyHungUp"
    the_next_call_works(duet, bob, 1)
    assert code(bob) != first


def test_media_flow_soon_after_the_button(duet, server):
    """From the caller's button until both ends see and hear the other one, through the server: 150 ms is held, of which
    half is work of all three, at the machine's own pace."""
    bob = answer(duet, "--stay")
    pace, measured = Pace(), Measured("button to media at both ends")
    others = server.process.pid, bob.process.pid
    for number in range(1, 9):
        paces, before = [pace.measure()], work_of(*others)
        alice = call(duet)
        alice.wait_for("calling")
        before += work_of(alice.process.pid)
        alice.wait_for("firstAudio")
        bob.wait_for("firstAudio", count=number)
        seen = alice.wait_for("firstFrame"), bob.wait_for("firstFrame", count=number)
        work = work_of(*others, alice.process.pid) - before
        paces.append(pace.measure())
        button = alice.wait_for("calling")["at"]
        heard = alice.wait_for("firstAudio")["ms"]
        measured.add(max(heard, *(line["at"] - button for line in seen)), 1_000 * work, *paces)
        alice.command("hangUp")
        ended(alice, "hungUp", 0)
        bob.wait_for("waiting", count=number + 1)
    pace.close()
    measured.demand(wait=75, work=75)


def test_after_a_rejected_call(duet):
    bob = answer(duet, "--ring", "60", "--stay")
    alice = call(duet)
    bob.wait_for("incoming")
    bob.command("reject")
    ended(alice, "rejected", 5)
    carol = call(duet, name="carol")
    bob.wait_for("incoming", count=2)
    bob.command("answer")
    carol.wait_for_picture()
    assert code(carol) == code(bob)


def test_after_a_busy_one(duet):
    alice, bob = connect(duet, "--stay")
    ended(call(duet, name="carol"), "busy", 6)
    alice.wait_for_frames()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    bob.wait_for("waiting", count=2)
    the_next_call_works(duet, bob, 1)


def test_after_a_cancelled_call(duet):
    bob = answer(duet, "--ring", "60", "--stay")
    alice = call(duet)
    alice.wait_for("ringing")
    alice.command("hangUp")
    ended(alice, "cancelled", 130)
    assert bob.wait_for("ended")["outcome"] == "cancelled"
    alice = call(duet)
    bob.wait_for("incoming", count=2)
    bob.command("answer")
    alice.wait_for_picture()
    assert code(alice) == code(bob)


def test_after_a_call_that_nobody_answered(duet):
    bob = answer(duet, "--ring", "60", "--stay")
    alice = call(duet, "--ring-for", "1")
    ended(alice, "noAnswer", 7)
    assert bob.wait_for("ended")["outcome"] == "noAnswer"
    alice = call(duet)
    bob.wait_for("incoming", count=2)
    bob.command("answer")
    alice.wait_for_picture()
    assert code(alice) == code(bob)


# What is killed

def test_the_server_is_killed(duet, server):
    """In mid-call: the call goes on, with its code; while it is away a side hangs up; then the next call works."""
    alice, bob = connect(duet, "--stay")
    before = code(alice)
    server.kill()
    for caller in (alice, bob):
        caller.wait_for("server", lambda line: line["state"] == "away")
    alice.wait_for_frames()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    assert bob.wait_for("ended")["outcome"] == "theyHungUp"
    assert code(bob) == before and all(line["status"] == "code" for line in bob.events("verification"))
    server.start()
    bob.wait_for("server", lambda line: line["state"] == "present", timeout=40)
    the_next_call_works(duet, bob, 1)


def test_the_server_is_killed_while_it_rings(duet, server):
    bob = answer(duet, "--ring", "60", "--stay")
    alice = call(duet, "--ring-for", "60")
    alice.wait_for("ringing")
    server.kill()
    for caller in (alice, bob):
        caller.wait_for("server", lambda line: line["state"] == "away")
    server.start()
    for caller in (alice, bob):
        caller.wait_for("server", lambda line: line["state"] == "present", timeout=40)
    bob.command("answer")
    for caller in (alice, bob):
        caller.wait_for_picture()
    assert code(alice) == code(bob)


def test_the_caller_is_killed_and_calls_again(duet):
    """Bob's call with the one who is gone has lost its path: whoever calls anew in her name is no second caller."""
    alice, bob = connect(duet, "--stay")
    code(bob)
    alice.kill()
    bob.wait_for("connectionState", lambda line: line["value"] == "disconnected", timeout=30)
    again = call(duet)
    again.wait_for_picture()
    assert code(again) == code(bob, count=2)
    assert bob.events("ended")[0]["outcome"] == "connectionFailed", bob.describe()


def test_the_callee_is_killed(duet):
    bob = answer(duet)
    alice = call(duet, *SOON)
    for caller in (alice, bob):
        caller.wait_for_picture()
    bob.kill()
    ended(alice, "connectionFailed", 1)


class Network:
    """The interfaces of the namespace in which the tests run, which can be taken away."""

    def __init__(self):
        names = self._ip("-brief", "link").stdout.split()
        assert any(name.startswith("duet0@") for name in names), \
            "this takes interfaces down, and wants a network of its own: run it through Scripts/in-namespace"

    @staticmethod
    def _ip(*arguments):
        return subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=at_most(10))

    def take_down(self, *names):
        for name in names:
            done = self._ip("link", "set", name, "down")
            assert done.returncode == 0, done

    def bring_up(self):
        """What goes away with an interface: its address of IPv6, and the routes."""
        for name in ("lo", "duet0"):
            done = self._ip("link", "set", name, "up")
            assert done.returncode == 0, done
        self._ip("-6", "address", "replace", "fd77::1/64", "dev", "duet0", "nodad")
        self._ip("route", "replace", "default", "via", "10.77.0.254", "dev", "duet0", "onlink")


@pytest.fixture
def network():
    network = Network()
    yield network
    network.bring_up()


def wait_for_route(caller, condition, timeout=40):
    """Until the newest figures have such a route."""
    wait = Wait(timeout)
    while not ((figures := caller.events("figures")) and figures[-1]["route"] and condition(figures[-1]["route"])):
        assert not wait.is_over, caller.describe()
        time.sleep(0.2)


def test_the_interface_goes_down_and_comes_back(duet, network):
    """The server can still be reached: another path is found over the loopback, which is left, and then over the interface
    again."""
    alice, bob = connect(duet)
    before = code(alice)

    def is_loopback(route):
        return "127.0.0.1" in route or "[::1]" in route
    wait_for_route(alice, lambda route: not is_loopback(route))
    network.take_down("duet0")
    for caller in (alice, bob):
        wait_for_route(caller, is_loopback)
        caller.wait_for_frames()
    network.bring_up()
    for caller in (alice, bob):
        wait_for_route(caller, lambda route: not is_loopback(route))
        caller.wait_for_frames()
    assert code(alice) == code(bob) == before
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    ended(bob, "theyHungUp", 0)


@pytest.mark.parametrize("seconds", [4, 14])
def test_all_network_goes_away_and_comes_back(duet, network, seconds):
    """Nothing reaches anybody, the server neither."""
    alice, bob = connect(duet, "--stay")
    before = code(alice)
    alice.wait_for("figures")
    network.take_down("duet0", "lo")
    time.sleep(seconds)
    network.bring_up()
    for caller in (alice, bob):
        caller.wait_for_frames(more=30)
        assert caller.outcome is None, caller.describe()
    assert code(alice) == code(bob) == before
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    assert bob.wait_for("ended")["outcome"] == "theyHungUp"
    the_next_call_works(duet, bob, 1)


# The code, and somebody in the middle

@pytest.mark.parametrize("calls", ["duet", "page"])
def test_the_page_has_the_same_code(browser, server, duet, calls):
    name = f"{'bob' if calls == 'duet' else 'zoe'}.{duet.number}"
    page = CallPage(browser, server, name, **({"auto": "answer"} if calls == "duet" else {}))
    try:
        if calls == "duet":
            peer = call(duet)
        else:
            peer = answer(duet)
            page.call(f"bob.{duet.number}")
        page.wait_for("running")
        page.wait_for_picture()
        pictures, digits = code(peer)
        shown, names = page.wait_for_code()
        told = peer.events("verification")[-1]
        assert "".join(shown.split()) == pictures + digits, (shown, told)
        assert names == ", ".join(told["names"])
        assert not page.errors
    finally:
        page.close()


@pytest.fixture
def screen(monkeypatch):
    screen = Screen()
    monkeypatch.setenv("DISPLAY", screen.display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    yield screen
    screen.close()


def test_the_window_shows_the_code(duet, screen, tmp_path):
    """The other side sends one grey picture, on which nothing else stands in the left upper corner."""
    grey = tmp_path / "grey.y4m"
    grey.write_bytes(b"YUV4MPEG2 W320 H192 F15:1 Ip A1:1 C420\n" + (b"FRAME\n" + bytes([128]) * (320 * 192 * 3 // 2)) * 15)
    bob = duet("answer", name="bob", media=("--video", str(grey), "--audio", "tone"))
    bob.wait_for("waiting")
    alice = call(duet, "--window")
    for caller in (alice, bob):
        caller.wait_for_picture()
    code(alice)

    def colours(x, y, width, height):
        rows = screen.look(x, y, width, height)
        return {row[4 * column:4 * column + 3] for row in rows for column in range(width)}
    wait = Wait(20)
    while not (len(colours(16, 16, 200, 30)) > 8 and len(colours(16, 120, 200, 30)) <= 4):
        assert not wait.is_over, (len(colours(16, 16, 200, 30)), len(colours(16, 120, 200, 30)))
        time.sleep(0.1)
    bob.command("hangUp")
    ended(alice, "theyHungUp", 0)


@pytest.fixture
def middle(server):
    middle = Middle(server)
    yield middle
    middle.close()
    assert not middle.failures, middle.failures


def test_somebody_who_carries_everything_faithfully_does_no_harm(duet, middle):
    bob = answer(duet, server=middle.url)
    alice = call(duet, server=middle.url)
    for caller in (alice, bob):
        caller.wait_for_picture()
    assert code(alice) == code(bob) and middle.changed == 0


@pytest.mark.parametrize("side", ["caller", "callee", "both"])
def test_with_other_fingerprints_nothing_connects(duet, server, middle, side):
    """DTLS refuses a certificate that is not the one of the description: no connection, no picture, no code."""
    middle.change = with_other_fingerprints
    bob = answer(duet, *SOON, server=server if side == "caller" else middle.url)
    alice = call(duet, *SOON, server=server if side == "callee" else middle.url)
    statuses = alice.wait(), bob.wait()
    assert statuses == (1, 1), f"{alice.describe()}\n{bob.describe()}"
    assert "connectionFailed" in (alice.outcome, bob.outcome)
    assert middle.changed > 0
    for caller in (alice, bob):
        states = [line["value"] for line in caller.events("connectionState")]
        assert "connected" not in states, caller.describe()
        for event in ("firstFrame", "firstAudio", "verification", "chat"):
            assert not caller.events(event), caller.describe()


def test_a_verification_that_was_changed_fails_visibly(duet, middle):
    middle.change = with_another_reveal
    bob = answer(duet, server=middle.url)
    alice = call(duet, server=middle.url)
    bob.wait_for("verification", lambda line: line["status"] == "failed")
    assert not [line for line in bob.events("verification") if line["status"] == "code"]
    # The call goes on: it is for the two people to judge.
    for caller in (alice, bob):
        caller.wait_for_picture()


@pytest.mark.parametrize("step", ["commit", "nonce", "reveal"])
def test_a_server_that_dies_in_the_exchange_of_the_code(duet, server, middle, step):
    """What it took along is said again when it is back, and both have the code."""
    middle.change = losing(step)
    bob = answer(duet, server=middle.url)
    alice = call(duet, server=middle.url)
    for caller in (alice, bob):
        caller.wait_for_picture()
    wait = Wait(20)
    while not middle.changed:
        assert not wait.is_over, "no such step was said"
        time.sleep(0.05)
    assert not codes(bob)
    middle.change = lambda message: message
    server.kill()
    for caller in (alice, bob):
        caller.wait_for("server", lambda line: line["state"] == "away")
    server.start()
    assert code(alice) == code(bob)
    assert codes(alice) == codes(bob) == 1
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    ended(bob, "theyHungUp", 0)


def test_without_verification_there_is_a_call_and_no_code(duet, middle):
    middle.change = without_verification
    bob = answer(duet, server=middle.url)
    alice = call(duet, server=middle.url)
    for caller in (alice, bob):
        caller.wait_for_picture()
        caller.wait_for_frames()
    for caller in (alice, bob):
        assert caller.wait_for("verification") == {"event": "verification", "status": "waiting"}, caller.describe()
        assert len(caller.events("verification")) == 1, caller.describe()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    ended(bob, "theyHungUp", 0)
