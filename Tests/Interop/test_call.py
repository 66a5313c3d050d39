"""Calls from the command line: `duet` to `duet` and to the page, every way they can go, and what they survive."""
import array
import random
import shutil
import statistics
import subprocess
import time

import pytest

from peers.call import Caller
from peers.duet import BINARY
from peers.page import CallPage, Server, closing_without_errors, free_port
from peers.pace import Measured, Pace, work_of
from peers.patience import at_most, wait_until
from peers.screen import Screen


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


# For whom somebody is killed: how long to go on without a path.
SOON = ("--connection-timeout", "3")


def complaints(one):
    """What it wrote to standard error, but for the hint that every call without servers gets."""
    return [line for line in one.standard_error().splitlines() if "No STUN or TURN server" not in line]


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


def ended(caller, outcome, status, timeout=20):
    assert caller.wait(timeout) == status, caller.describe()
    assert caller.outcome == outcome, caller.describe()


# A call, and its ends

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
    bob = answer(duet)
    alice = call(duet, "--duration", "2")
    ended(alice, "hungUp", 0)
    assert 1.9 < alice.events("summary")[0]["seconds"] < 6
    ended(bob, "theyHungUp", 0)


def test_a_picture_moves_soon_after_the_button(duet, server):
    """From the caller's button to the second picture of the other side: 300 ms is held, of which half is work of both
    and of the server, at the machine's own pace."""
    pace, measured = Pace(), Measured("button to moving picture")
    media = ("--video", "test:640x360@30", "--audio", "tone")
    for number in range(8):
        name = f"{duet.bob}.{number}"
        bob = duet("answer", "--as", name, media=media)
        bob.wait_for("waiting")
        others = server.process.pid, bob.process.pid
        paces, before = [pace.measure()], work_of(*others)
        alice = duet("call", name, "--as", f"{duet.alice}.{number}", media=media)
        alice.wait_for("calling")
        before += work_of(alice.process.pid)
        for caller in (alice, bob):
            caller.wait_for_picture()
        work = work_of(*others, alice.process.pid) - before
        paces.append(pace.measure())
        alice.command("hangUp")
        ended(alice, "hungUp", 0)
        ended(bob, "theyHungUp", 0)
        measured.add(alice.events("summary")[0]["movingPictureMs"], 1_000 * work, *paces)
    pace.close()
    measured.demand(wait=150, work=150)


def test_a_call_that_is_declined(duet):
    bob = answer(duet, "--reject")
    alice = call(duet)
    ended(alice, "rejected", 5)
    assert "declined" in alice.standard_error() and len(complaints(alice)) == 1
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
    assert len(complaints(alice)) == 1


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


def test_a_newer_call_of_the_same_user_takes_the_place_of_the_first(duet):
    """Alice calls from one device, and before Bob answers from another one."""
    bob = answer(duet, "--ring", "60")
    first = call(duet)
    first.wait_for("ringing")
    second = call(duet)
    ended(first, "replaced", 7)
    assert "took the place" in first.standard_error() and len(complaints(first)) == 1
    bob.wait_for("ended", lambda line: line["outcome"] == "replaced")
    bob.wait_for("incoming", count=2)
    bob.command("answer")
    second.wait_for_picture()
    second.command("hangUp")
    ended(second, "hungUp", 0)
    ended(bob, "theyHungUp", 0)


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
    alice_name = people[0]
    won = {"alice": 0, "bob": 0}
    for attempt in range(1, 21):
        # A name has so many devices at most, and the desks of before are still remembered.
        bob_name = f"{people[1]}.{attempt}"
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


def was_connected(caller):
    return any(line["value"] == "connected" for line in caller.events("connectionState"))


def ended_by_a_person(caller, *outcomes):
    """Whoever wanted it to end, at whatever moment: nothing has failed. The status says how far the call had come: 0
    where there was a path; else 130 where we gave up, 5 where the other side declined or hung up."""
    status = caller.wait()
    assert caller.outcome in outcomes, caller.describe()
    early = {"hungUp": 130, "cancelled": 130, "theyHungUp": 5, "rejected": 5}[caller.outcome]
    assert status == (0 if was_connected(caller) else early), caller.describe()


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.06, 0.1, 0.3])
def test_hang_up_at_each_moment(duet, delay):
    bob = answer(duet, "--stay")
    alice = call(duet)
    alice.wait_for("calling")
    time.sleep(delay)
    alice.interrupt()
    ended_by_a_person(alice, "hungUp", "cancelled")
    if bob.events("incoming"):
        # An answer that came too late is taken back.
        over = bob.wait_for("ended")["outcome"]
        assert over in (("theyHungUp",) if alice.outcome == "hungUp" else ("theyHungUp", "cancelled")), bob.describe()
    # The next call goes as if nothing had been.
    alice = call(duet)
    alice.wait_for_picture()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.06, 0.1, 0.3])
@pytest.mark.parametrize("who", ["callee", "both"])
def test_the_callee_hangs_up_at_each_moment(duet, who, delay):
    bob = answer(duet, "--stay")
    alice = call(duet)
    bob.wait_for("incoming")
    time.sleep(delay)
    bob.command("hangUp")
    if who == "both":
        alice.interrupt()
    # Who is told by the other side before it hangs up itself need not.
    ended_by_a_person(alice, "theyHungUp", "rejected", *(("hungUp", "cancelled") if who == "both" else ()))
    bob.wait_for("waiting", count=2)
    theirs = ("theyHungUp", "cancelled") if who == "both" else ()
    assert bob.wait_for("ended")["outcome"] in ("hungUp", "rejected", *theirs)
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


@pytest.mark.timeout(180)
@pytest.mark.parametrize("knows", ["the server", "nobody"])
def test_a_side_that_is_killed_ends_the_call(duet, server, knows):
    """As soon as is usual: after 12 s without a path where the server tells that the other side has gone too, after
    30 s without a server. The other tests that kill somebody have a time-out of 3 s."""
    alice, bob = connect(duet)
    if knows == "nobody":
        server.kill()
        alice.wait_for("server", lambda line: line["state"] == "away")
    bob.kill()
    lost = alice.wait_for("connectionState", lambda line: line["value"] == "disconnected")["ms"]
    ended(alice, "connectionFailed", 1, timeout=60)
    waited = alice.events("summary")[0]["seconds"] - (lost - alice.events("summary")[0]["connectedMs"]) / 1_000
    least = 11.5 if knows == "the server" else 29.5
    assert least < waited < least + 8, alice.describe()


# Recording

@pytest.mark.parametrize("is_killed", [False, True], ids=["ended", "killed"])
def test_a_recording_plays(duet, tmp_path, is_killed):
    path = tmp_path / "call.webm"
    alice, bob = connect(duet, ["--record", str(path)])
    alice.wait_for_frames(more=60)
    if is_killed:
        alice.kill()
    else:
        alice.command("hangUp")
        ended(alice, "hungUp", 0)
    assert shutil.which("ffmpeg"), "ffmpeg is needed to play recordings"
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), "-map", "0:v", "-map", "0:a", "-f", "null",
                           "-progress", "-", "-"], capture_output=True, text=True, timeout=at_most(30))
    assert done.returncode == 0, done.stderr
    frames = [int(line.split("=")[1]) for line in done.stdout.splitlines() if line.startswith("frame=")]
    assert frames[-1] > 20, done.stdout


FLASH = ["-f", "lavfi", "-i", "color=c=black:s=320x192:r=30:d=10,"
         "drawbox=c=white:t=fill:enable='lt(mod(n\\,30)\\,6)'",
         "-f", "lavfi", "-i", "aevalsrc='if(lt(mod(t\\,1)\\,0.2)\\,0.5*sin(2*PI*1000*t)\\,0)':s=48000:d=10"]


def beginnings(values):
    """The times at which values that come with them rise above the middle."""
    middle = (min(value for _, value in values) + max(value for _, value in values)) / 2
    return [moment for (moment, value), (_, before) in zip(values[1:], values) if value > middle >= before]


def test_light_and_sound_are_together_in_a_recording(duet, tmp_path):
    """A film that flashes and sounds at the same moment, each second, through a call: within 40 ms."""
    film, path = tmp_path / "flash.mkv", tmp_path / "call.webm"
    ffmpeg = ["ffmpeg", "-v", "error", "-y"]
    subprocess.run([*ffmpeg, *FLASH, "-c:v", "mjpeg", "-q:v", "2", "-c:a", "pcm_s16le", str(film)], check=True)
    bob = duet("answer", "--as", duet.bob, "--record", str(path), media=("--video", "none", "--audio", "none"))
    bob.wait_for("waiting")
    alice = duet("call", duet.bob, "--as", duet.alice, "--duration", "14", media=("--video", str(film)))
    ended_status = alice.wait(40), bob.wait(40)
    assert ended_status == (0, 0), f"{alice.describe()}\n{bob.describe()}"
    times = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time",
                            "-of", "csv=p=0", str(path)], capture_output=True, text=True, check=True).stdout.split()
    grey = subprocess.run([*ffmpeg, "-i", str(path), "-map", "0:v", "-fps_mode", "passthrough", "-vf", "scale=1:1",
                           "-pix_fmt", "gray", "-f", "rawvideo", "-"], capture_output=True, check=True).stdout
    assert len(times) == len(grey)
    lights = beginnings([(float(text.strip(",")), value) for text, value in zip(times, grey)])
    samples = array.array("h", subprocess.run(
        [*ffmpeg, "-i", str(path), "-map", "0:a", "-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", "48000",
         "-f", "s16le", "-"], capture_output=True, check=True).stdout)
    loud = [(index / 48_000, max(map(abs, samples[index:index + 96]))) for index in range(0, len(samples) - 96, 96)]
    sounds = beginnings(loud)
    # The first seconds are for both to find each other. The call may end with a flash whose sound is still to come: it ends
    # after as many seconds as the film has flashes.
    end = len(samples) / 48_000
    leads = [min((light - sound for sound in sounds), key=abs) for light in lights if 4 < light < end - 0.5]
    assert len(leads) >= 6, (lights, sounds)
    said = " ".join(f"{1000 * lead:.0f} ms" for lead in leads)
    assert abs(statistics.median(leads)) <= 0.040, said
    # Where a busy machine left out the first picture of a flash, the next one comes 40 ms later.
    assert all(abs(lead) <= 0.080 for lead in leads), said


# The window

@pytest.fixture
def screen(monkeypatch):
    screen = Screen()
    monkeypatch.setenv("DISPLAY", screen.display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    yield screen
    screen.close()


# In the window of 960 by 580 in the corner of the screen: a part of the other side's picture with nothing over it, and
# one of one's own.
THEIRS, OURS = (100, 150, 500, 250), (760, 40, 160, 60)


@pytest.mark.parametrize("ending", ["key", "button", "other side", "signal"])
def test_a_window_shows_pictures_that_move(duet, screen, ending):
    alice, bob = connect(duet, ["--window"])
    wait_until(lambda: screen.different(*THEIRS, seconds=2) >= 5, seconds=20, what="a picture that moves")
    if ending == "key":
        screen.press("Escape")
    elif ending == "button":
        screen.click(579, 492)
    elif ending == "other side":
        bob.command("hangUp")
    else:
        alice.interrupt()
    ended(alice, "theyHungUp" if ending == "other side" else "hungUp", 0)
    ended(bob, "hungUp" if ending == "other side" else "theyHungUp", 0)
    # GTK may miss a message bus; nobody else has anything to say.
    assert all("Gtk-WARNING" in line for line in complaints(alice) if line)


def test_the_buttons_of_a_window(duet, screen, tmp_path):
    """The other side sends one grey picture, so that all that moves is our own."""
    grey = tmp_path / "grey.y4m"
    grey.write_bytes(b"YUV4MPEG2 W320 H192 F15:1 Ip A1:1 C420\n" + (b"FRAME\n" + bytes([128]) * (320 * 192 * 3 // 2)) * 15)
    bob = duet("answer", "--as", duet.bob, media=("--video", str(grey), "--audio", "tone"))
    bob.wait_for("waiting")
    alice = call(duet, "--window")
    for caller in (alice, bob):
        caller.wait_for_picture()
    wait_until(lambda: screen.different(*OURS, seconds=1) >= 3, seconds=20, what="our own picture moving")
    screen.click(437, 492)
    wait_until(lambda: screen.different(*OURS, seconds=1) == 1
               and screen.look(*OURS) == screen.look(100, 200, *OURS[2:]),
               seconds=20, what="our own picture being gone, and theirs in its place")
    screen.press("v")
    wait_until(lambda: screen.different(*OURS, seconds=1) >= 3, seconds=20, what="our own picture moving again")
    screen.press("m")
    screen.press("Escape")
    ended(alice, "hungUp", 0)
    ended(bob, "theyHungUp", 0)


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


@pytest.fixture
def page_of(browser, server):
    """Makes pages, and demands at the end that none of them complained."""
    with closing_without_errors() as made:
        def make(name, server=server, **options):
            made.append(CallPage(browser, server, name, **options))
            return made[-1]

        yield make


def test_the_page_declines_and_is_declined(duet, page_of):
    page = page_of(duet.bob)
    alice = call(duet)
    page.reject()
    ended(alice, "rejected", 5)
    page.wait_for_end("rejected")
    carol = answer(duet, "--reject", name=duet.carol)
    page.call(duet.carol)
    page.wait_for_end("declined")
    ended(carol, "rejected", 0)


def test_busy_between_duet_and_the_page(duet, page_of):
    page, other = page_of(duet.bob, auto="answer"), page_of(duet.carol)
    alice = call(duet)
    page.wait_for("running")
    alice.wait_for_picture()
    # The one in the page is busy for a duet, and the duet for another page.
    ended(call(duet, name=duet.carol), "busy", 6)
    other.call(duet.alice)
    other.wait_for_end("busy")
    assert page.state == "running"
    alice.wait_for_frames()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    page.wait_for_end("theyHungUp")


def test_giving_up_between_duet_and_the_page(duet, page_of):
    page = page_of(duet.bob)
    alice = call(duet)
    page.wait_for("incoming")
    alice.wait_for("ringing")
    alice.interrupt()
    ended(alice, "cancelled", 130)
    page.wait_for_end("missed")
    carol = answer(duet, "--ring", "60", name=duet.carol)
    page.call(duet.carol)
    page.wait_for("ringing")
    page.hang_up()
    page.wait_for_end("cancelled")
    carol.wait_for("ended", lambda line: line["outcome"] == "cancelled")


def test_no_answer_between_duet_and_the_page(duet, page_of):
    page = page_of(duet.bob, lifetime=2)
    alice = call(duet, "--ring-for", "2")
    ended(alice, "noAnswer", 7)
    # It rings so briefly that nobody may have looked meanwhile.
    page.wait(lambda: page.outcome == "missed", "the call having been missed")
    page.wait_for_end("missed")
    carol = answer(duet, "--ring", "60", name=duet.carol)
    page.call(duet.carol)
    page.wait_for_end("noAnswer")
    carol.wait_for("ended", lambda line: line["outcome"] == "noAnswer")


@pytest.mark.parametrize("who", ["duet", "page"])
def test_one_device_is_a_page_and_the_other_a_duet(duet, page_of, who):
    page = page_of(duet.bob)
    desk = answer(duet, "--ring", "60")
    alice = call(duet)
    desk.wait_for("incoming")
    page.wait_for("incoming")
    if who == "duet":
        desk.command("answer")
        page.wait_for_end("answeredElsewhere")
    else:
        page.accept()
        desk.wait_for("ended", lambda line: line["outcome"] == "answeredElsewhere")
    alice.wait_for_picture()


@pytest.mark.parametrize("winner", ["page", "duet"])
def test_the_page_and_duet_call_each_other(metered_server, browser, people, winner):
    """As between two duets; here the page's identifier decides, which begins with the least or the greatest letter."""
    server = metered_server
    first = "--" if winner == "page" else "zz"
    random = f"""const random = crypto.getRandomValues.bind(crypto);
        crypto.getRandomValues = (array) => array.length === 16 ? ['{first}', ...random(array)] : random(array);"""
    alice = CallPage(browser, server, people[0], prepare=random)
    callers = [desk := Caller(server, "answer", "--as", people[1], "--ring", "60")]
    try:
        desk.wait_for("waiting")
        alice.call(people[1])
        desk.wait_for("incoming")
        callers.append(bob := Caller(server, "call", people[0], "--as", people[1]))
        bob.wait_for_picture()
        alice.wait_for("running")
        alice.wait_for_picture()
        assert server.metric("glares_total") == 1 and server.metric("answers_total") == 1
        assert bool(bob.events("note")) == (winner == "page")
        desk.wait_for("ended")
        alice.hang_up()
        ended(bob, "theyHungUp", 0)
        alice.wait_for_end("hungUp")
        assert not alice.errors
    finally:
        alice.close()
        for caller in callers:
            caller.close()


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1, 0.3])
@pytest.mark.parametrize("who", ["duet", "page"])
def test_hanging_up_at_each_moment_between_duet_and_the_page(duet, page_of, who, delay):
    page = page_of(duet.bob)
    alice = call(duet)
    page.wait_for("incoming")
    page.page.evaluate("document.getElementById('incoming-accept').click()")
    time.sleep(delay)
    if who == "duet":
        alice.interrupt()
    else:
        page.page.evaluate("document.querySelector('#screen-call [data-action=hang-up]').click()")
    ended_by_a_person(alice, *(("hungUp", "cancelled") if who == "duet" else ("theyHungUp", "rejected")))
    page.wait_for_end()
    assert page.outcome in (("theyHungUp", "missed") if who == "duet" else ("hungUp", "rejected")), page.describe()
    # The next call goes as if nothing had been.
    alice = call(duet)
    page.accept()
    alice.wait_for_picture()
    page.wait_for_picture()


def test_a_call_with_the_page_goes_on_when_the_server_dies_and_comes_back(duet, page_of, server):
    page = page_of(duet.bob, auto="answer")
    alice = call(duet)
    page.wait_for("running")
    page.wait_for_picture()
    server.kill()
    page.wait_for_notice("Your call goes on")
    page.wait_for_picture()
    alice.wait_for_frames()
    server.start()
    alice.wait_for("server", lambda line: line["state"] == "present", timeout=40)
    page.wait(lambda: page.page.evaluate("document.getElementById('connection').dataset.state") == "online",
              "the page being signed in again")
    # A new path, and a camera that goes and comes, need the server to know the call again.
    alice.command("restartIce")
    alice.wait_for_frames()
    page.press("camera")
    page.press("camera")
    alice.wait_for_frames()
    page.wait_for_picture()
    alice.command("hangUp")
    ended(alice, "hungUp", 0)
    page.wait_for_end("theyHungUp")


@pytest.mark.parametrize("who", ["duet", "page"])
def test_one_of_duet_and_the_page_is_killed(duet, page_of, who):
    page = page_of(duet.bob, auto="answer", patience=3)
    alice = call(duet, *SOON)
    page.wait_for("running")
    alice.wait_for_picture()
    if who == "duet":
        alice.kill()
        page.wait_for_end("connectionFailed")
    else:
        page.crash()
        ended(alice, "connectionFailed", 1)


# What cannot be satisfied: one line, and a status

def run(*arguments, timeout=15):
    return subprocess.run(
        [BINARY, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=at_most(timeout))


def refused(done, status, *parts):
    assert done.returncode == status, done
    # One line that says what is wrong, beside the hint that every call without servers gets.
    lines = [line for line in done.stderr.splitlines() if "No STUN or TURN server" not in line]
    assert len(lines) == 1, done.stderr
    for part in parts:
        assert part in lines[0]


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
