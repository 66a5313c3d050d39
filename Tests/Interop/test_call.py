"""Calls from the command line: `duet` to `duet` and to the page, every way they can go, and what they survive."""
import random
import shutil
import subprocess
import time

import pytest

from peers.call import Caller
from peers.duet import BINARY
from peers.page import CallPage, Server, free_port


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def people():
    number = random.randrange(10**9)
    return [f"{name}.{number}" for name in ("alice", "bob", "carol")]


@pytest.fixture
def duet(server, people):
    """Makes callers, and ends them."""
    made = []

    def make(*arguments, **options):
        made.append(Caller(server, *arguments, **options))
        return made[-1]

    make.alice, make.bob, make.carol = people
    yield make
    for caller in made:
        caller.close()


def answer(duet, *options, name=None):
    bob = duet("answer", "--as", name or duet.bob, *options)
    bob.wait_for("waiting")
    return bob


def call(duet, *options, name=None):
    return duet("call", duet.bob, "--as", name or duet.alice, *options)


def connect(duet, alice=(), bob=()):
    callee = answer(duet, *bob)
    caller = call(duet, *alice)
    caller.wait_for_picture()
    callee.wait_for_picture()
    return caller, callee


def ended(caller, outcome, status):
    assert caller.wait() == status, caller.describe()
    assert caller.outcome == outcome, caller.describe()


# A call, and its ends

@pytest.mark.smoke
def test_a_call_that_the_caller_ends(duet):
    alice, bob = connect(duet, ["--chat", "hello"])
    assert bob.wait_for("chat")["text"] == "hello"
    bob.command("chat", text="hello yourself")
    assert alice.wait_for("chat")["text"] == "hello yourself"
    alice.wait_for("figures", lambda line: line["receivedVideo"] and line["receivedVideo"].get("bitrate", 0) > 0)
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    ended(bob, "theyHungUp", 0)
    summary = alice.events("summary")[0]
    assert summary["frames"] > 0 and summary["width"] == 320 and summary["movingPictureMs"] < 10_000


def test_a_call_that_the_callee_ends(duet):
    alice, bob = connect(duet)
    bob.interrupt()
    ended(bob, "hungUp", 0)
    ended(alice, "theyHungUp", 0)


def test_a_call_of_a_given_length(duet):
    alice, bob = connect(duet, ["--duration", "1"])
    ended(alice, "hungUp", 0)
    assert 0.9 < alice.events("summary")[0]["seconds"] < 3
    ended(bob, "theyHungUp", 0)


@pytest.mark.smoke
def test_a_call_that_is_declined(duet):
    bob = answer(duet, "--reject")
    alice = call(duet)
    ended(alice, "rejected", 5)
    assert "declined" in alice.standard_error() and len(alice.standard_error().splitlines()) == 1
    ended(bob, "rejected", 0)


def test_somebody_who_is_in_a_call_is_busy(duet):
    alice, bob = connect(duet)
    carol = call(duet, name=duet.carol)
    ended(carol, "busy", 6)
    alice.wait_for_frames()
    alice.command("hangUp")
    ended(bob, "theyHungUp", 0)


def test_nobody_answers(duet):
    bob = answer(duet, "--ring", "60")
    alice = call(duet, "--ring-for", "1")
    ended(alice, "noAnswer", 7)
    bob.wait_for("ended", lambda line: line["outcome"] == "noAnswer")
    bob.wait_for("waiting", count=2)


def test_nobody_is_there(duet):
    alice = call(duet)
    ended(alice, "unavailable", 4)
    assert len(alice.standard_error().splitlines()) == 1


def test_the_caller_gives_up(duet):
    bob = answer(duet, "--ring", "60")
    alice = call(duet)
    alice.wait_for("ringing")
    alice.interrupt()
    ended(alice, "cancelled", 130)
    bob.wait_for("ended", lambda line: line["outcome"] == "cancelled")
    bob.interrupt()
    assert bob.wait() == 130


def test_the_callee_accepts_and_declines_by_command(duet):
    bob = answer(duet, "--ring", "60", "--stay")
    alice = call(duet)
    bob.wait_for("incoming")
    bob.command("reject")
    ended(alice, "rejected", 5)
    alice = call(duet)
    bob.wait_for("incoming", count=2)
    bob.command("answer")
    alice.wait_for_picture()
    alice.command("hangUp")
    bob.wait_for("waiting", count=3)


def test_another_device_answers(duet):
    one, other = answer(duet, "--ring", "60"), answer(duet, "--ring", "60")
    alice = call(duet)
    one.wait_for("incoming")
    other.wait_for("incoming")
    other.command("answer")
    alice.wait_for_picture()
    one.wait_for("ended", lambda line: line["outcome"] == "answeredElsewhere")


@pytest.fixture
def metered_server():
    server = Server("--metrics")
    yield server
    server.close()


def test_both_call_each_other(metered_server, people):
    """Invitations that cross are one call, whichever of them wins.

    Alice calls Bob, of whom another device is there and rings. Bob then calls Alice: his invitation comes while hers
    rings at him, whether he has heard of it or not. The identifiers are random, so both ways come up.
    """
    server = metered_server
    alice_name, bob_name, _ = people
    won = {"alice": 0, "bob": 0}
    for attempt in range(1, 21):
        desk = Caller(server, "answer", "--as", bob_name, "--ring", "60")
        callers = [desk]
        try:
            desk.wait_for("waiting")
            callers.append(alice := Caller(server, "call", bob_name, "--as", alice_name, "--chat", "from alice"))
            desk.wait_for("incoming")
            callers.append(bob := Caller(server, "call", alice_name, "--as", bob_name, "--chat", "from bob"))
            for caller in (alice, bob):
                caller.wait_for_picture()
            assert server.metric("glares_total") == attempt and server.metric("answers_total") == attempt
            lost = [caller for caller in (alice, bob)
                    if any("at the same time" in line["message"] for line in caller.events("note"))]
            assert len(lost) == 1, [caller.describe() for caller in callers]
            won["bob" if lost[0] is alice else "alice"] += 1
            # The device that rang rings no more; what it is told depends on whose call it was.
            over = desk.wait_for("ended")["outcome"]
            assert over == ("answeredElsewhere" if lost[0] is bob else "cancelled"), desk.describe()
            alice.wait_for("chat", lambda line: line["text"] == "from bob")
            bob.wait_for("chat", lambda line: line["text"] == "from alice")
            alice.command("hangUp")
            ended(alice, "hungUp", 0)
            ended(bob, "theyHungUp", 0)
        finally:
            for caller in callers:
                caller.close()
        if all(won.values()):
            return
    raise AssertionError(f"20 calls, and always the same won: {won}")


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.06, 0.1, 0.3])
def test_hang_up_at_each_moment(duet, delay):
    bob = answer(duet, "--stay")
    alice = call(duet)
    alice.wait_for("calling")
    time.sleep(delay)
    alice.interrupt()
    assert alice.wait() in (0, 1, 130), alice.describe()
    # The next call goes as if nothing had been.
    alice = call(duet)
    alice.wait_for_picture()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)


# What goes wrong around a call

def test_the_call_goes_on_when_the_server_dies_and_comes_back(duet, server):
    alice, bob = connect(duet)
    server.kill()
    alice.wait_for("server", lambda line: line["state"] == "away")
    alice.wait_for_frames()
    server.start()
    for peer in (alice, bob):
        peer.wait_for("server", lambda line: line["state"] == "present", timeout=40)
    alice.wait_for_frames()
    # A new path needs the server to know the call again.
    alice.command("restartIce")
    alice.wait_for_frames()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    ended(bob, "theyHungUp", 0)


def test_a_hang_up_without_a_server(duet, server):
    alice, bob = connect(duet)
    server.kill()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    ended(bob, "theyHungUp", 0)


def test_a_side_that_is_killed_ends_the_call(duet):
    alice, bob = connect(duet)
    bob.kill()
    assert alice.wait(50) == 1
    assert alice.outcome == "connectionFailed"


# Recording

@pytest.mark.parametrize("is_killed", [False, True], ids=["ended", "killed"])
def test_a_recording_plays(duet, tmp_path, is_killed):
    path = tmp_path / "call.webm"
    alice, bob = connect(duet, ["--record", str(path)])
    time.sleep(4)
    if is_killed:
        alice.kill()
    else:
        alice.command("hangUp")
        ended(alice, "hungUp", 0)
    assert shutil.which("ffmpeg"), "ffmpeg is needed to play recordings"
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), "-map", "0:v", "-map", "0:a", "-f", "null",
                           "-progress", "-", "-"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    frames = [int(line.split("=")[1]) for line in done.stdout.splitlines() if line.startswith("frame=")]
    assert frames[-1] > 20, done.stdout


# The page at the other end

@pytest.mark.parametrize("calls", ["duet", "page"])
def test_with_the_page(browser, server, duet, people, calls):
    page = CallPage(browser, server, people[0] if calls == "page" else people[1],
                    **({} if calls == "page" else {"auto": "answer"}))
    try:
        if calls == "page":
            peer = answer(duet, "--chat", "from duet")
            page.call(people[1])
        else:
            peer = call(duet, "--chat", "from duet")
        page.wait_for("running")
        page.wait_for_picture()
        peer.wait_for_picture()
        page.wait(lambda: [text for _, text in page.messages] == ["from duet"], "the message")
        page.write("from the page")
        assert peer.wait_for("chat")["text"] == "from the page"
        if calls == "page":
            page.hang_up()
            ended(peer, "theyHungUp", 0)
        else:
            peer.command("hangUp")
            ended(peer, "hungUp", 0)
            page.wait_for_end("theyHungUp")
        assert not page.errors
    finally:
        page.close()


# What cannot be satisfied: one line, and a status

def run(*arguments, timeout=15):
    return subprocess.run([BINARY, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)


def refused(done, status, *parts):
    assert done.returncode == status, done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for part in parts:
        assert part in done.stderr


def test_no_server():
    refused(run("call", "bob", "--server", f"ws://127.0.0.1:{free_port()}"), 3, "no server")


def test_a_server_that_is_none(server):
    refused(run("call", "bob", "--server", f"{server.url}nothing"), 3)


def test_a_bad_server_name():
    refused(run("call", "bob", "--server", "localhost"), 2, "localhost")


def test_a_bad_user_name():
    refused(run("call", "b ob"), 2, "b ob")
    refused(run("answer", "--as", "b ob"), 2, "b ob")


@pytest.mark.parametrize("option", ["--video", "--audio"])
def test_not_a_media_file(server, tmp_path, option):
    path = tmp_path / "letter.txt"
    path.write_text("Dear Bob,\n" * 500)
    refused(run("call", "bob", "--server", server.url, option, str(path)), 2, str(path))
    refused(run("call", "bob", "--server", server.url, option, "/nowhere.mp4"), 2, "/nowhere.mp4")


def test_a_recording_that_cannot_be_made(server):
    refused(run("call", "bob", "--server", server.url, "--record", "/nowhere/a.webm"), 2, "/nowhere/a.webm")


def test_a_codec_that_is_none():
    refused(run("call", "bob", "--codec", "theora"), 2, "theora")


def test_a_bad_token(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("alice 0123456789abcdef\n")
    server = Server("--auth", f"token={tokens}")
    try:
        refused(run("call", "bob", "--as", "alice", "--server", server.url, "--token", "wrong"), 3, "token")
        refused(run("call", "bob", "--as", "alice", "--server", server.url), 3, "token")
        refused(run("call", "bob", "--server", server.url, "--token", "0123456789abcdef"), 4, "bob")
    finally:
        server.close()


def test_a_port_in_use(server):
    refused(run("serve", "--port", str(server.port)), 2, str(server.port))


def test_a_window_without_a_screen(server, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    refused(run("call", "bob", "--server", server.url, "--window"), 2, "--window")
