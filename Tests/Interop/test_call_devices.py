"""Calls of `duet call` with cameras and microphones of a private session with real servers: chosen, switched, pulled out and put
back while the call goes on."""
import statistics
import time

import pytest

from peers.call import Caller
from peers.machine import Machine
from peers.page import Server
from peers.patience import Wait, wait_until

pytestmark = pytest.mark.timeout(120)

# In seconds: a switch in a call takes less (docs/performance.md).
SWITCH = 0.3


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def machine():
    machine = Machine()
    yield machine
    machine.close()


@pytest.fixture
def duet(server):
    started = []

    def start(*arguments, **options):
        started.append(Caller(server, *arguments, **options))
        return started[-1]

    yield start
    for process in started:
        process.close()


def plug(machine, *names):
    """Cameras that are there before the call."""
    watch = machine.probe("watch")
    cameras = {}
    for name in names:
        # Small pictures: the machine that tests is small too.
        cameras[name] = machine.camera(
            f"camera-{name.lower()}", name, "video/x-raw,format=YUY2,width=320,height=240,framerate=30/1")
        cameras[name].plug()
        watch.next("added", media="camera", name=name)
    return cameras


def call(duet, machine, *media, user):
    """A call from the machine to somebody who watches."""
    bob = duet("answer", "--as", f"bob-{user}")
    bob.wait_for("waiting")
    alice = duet("call", f"bob-{user}", "--as", f"alice-{user}", media=media, env=machine.env)
    return alice, bob


def device(caller, state, name=None, media="camera", count=1):
    return caller.wait_for(
        "device", lambda line: line["media"] == media and line["state"] == state
        and (name is None or line["device"]["name"] == name), count=count)


def listed(caller):
    """The names of the devices that it knows of now: it may hear of a change a little later than others."""
    told = len(caller.events("devices"))
    caller.command("devices")
    return [entry["device"]["name"] for entry in caller.wait_for("devices", count=told + 1)["devices"]]


def test_a_camera_that_is_pulled_out_in_a_call_gives_way_to_the_next_and_is_used_again_when_it_is_back(duet, machine):
    cameras = plug(machine, "One", "Two")
    alice, bob = call(duet, machine, "--camera", "One", "--microphone", "none", user="pulled")
    device(alice, "using", "One")
    bob.wait_for_picture()
    cameras["One"].pull()
    device(alice, "lost", "One")
    device(alice, "using", "Two")
    bob.wait_for_frames()
    cameras["One"].plug()
    device(alice, "using", "One", count=2)
    bob.wait_for_frames()
    # Without any the other side sees black, and the call goes on.
    for camera in cameras.values():
        camera.pull()
    device(alice, "none")
    bob.wait_for_frames(more=1)
    cameras["Two"].plug()
    device(alice, "using", "Two", count=2)
    bob.wait_for_frames()
    alice.command("hangUp")
    assert alice.wait() == 0 and alice.outcome == "hungUp"


def test_cameras_that_go_and_come_with_the_session_manager_were_plugged_in_by_nobody(duet, machine):
    machine.session_cameras(One="front", Two="external")
    alice, bob = call(
        duet, machine, "--camera", "One", "--microphone", "none", "--size", "320x240", user="session")
    device(alice, "using", "One")
    bob.wait_for_picture()
    machine.kill_server("wireplumber")
    device(alice, "none")
    machine.start_server("wireplumber")
    machine.wait_for_node("two")
    device(alice, "using", "One", count=2)
    bob.wait_for_frames()
    alice.command("devices")
    listed = alice.wait_for("devices")["devices"]
    assert {entry["device"]["name"] for entry in listed if entry["used"]} == {"One"}
    alice.command("hangUp")
    assert alice.wait() == 0


def test_camera_and_microphone_are_switched_by_command(duet, machine):
    # Those of programs get stuck on a busy machine when their readers come and go so quickly, for GStreamer alone as well.
    for name in ("One", "Two"):
        machine.server_camera(f"camera-{name.lower()}", name)
        machine.wait_for_node(f"camera-{name.lower()}")
    watch = machine.probe("watch")
    for name in ("Left", "Right"):
        machine.microphone(f"microphone-{name.lower()}", name)
        watch.next("added", media="microphone", name=name)
    alice, bob = call(
        duet, machine, "--camera", "One", "--microphone", "Left", "--size", "320x240", user="switched")
    device(alice, "using", "One")
    device(alice, "using", "Left", media="microphone")
    bob.wait_for_picture()
    times = []
    for number, name in enumerate(("Two", "One") * 4 + ("Two",)):
        now = time.monotonic()
        alice.command("camera", device=name)
        device(alice, "using", name, count=1 + (number + 1) // 2)
        times.append(time.monotonic() - now)
    assert statistics.median(times) < SWITCH, times
    bob.wait_for_frames()
    alice.command("microphone", device="Right")
    device(alice, "using", "Right", media="microphone")
    alice.command("devices")
    listed = alice.wait_for("devices")["devices"]
    used = {entry["device"]["name"] for entry in listed if entry["used"]}
    assert {"Two", "Right"} <= used
    alice.command("camera", device="Nowhere")
    assert "Nowhere" in alice.wait_for("error")["message"]
    alice.command("hangUp")
    assert alice.wait() == 0


def test_what_the_other_side_says_is_heard_from_the_loudspeaker_that_was_chosen(duet, machine):
    left = machine.speaker("speaker-left", "Left")
    machine.speaker("speaker-right", "Right")
    machine.microphone_beside("speaker-left", "room-left", "RoomLeft")
    machine.microphone_beside("speaker-right", "room-right", "RoomRight")
    rooms = {name: machine.probe("listen", f"Room{name}") for name in ("Left", "Right")}
    alice, bob = call(duet, machine, "--video", "test:320x192@15", "--audio", "none", "--speaker", "Right", user="heard")

    def is_heard_in(name, seconds=20):
        wait = Wait(seconds)
        while True:
            levels = {room: listen.next("level")["decibels"] for room, listen in rooms.items()}
            if levels.pop(name) > -50 and levels.popitem()[1] < -90:
                return
            assert not wait.is_over, f"{name} is not heard, or not alone\n{machine.describe()}"

    device(alice, "using", "Right", media="speaker")
    is_heard_in("Right")
    alice.command("speaker", device="Left")
    device(alice, "using", "Left", media="speaker")
    is_heard_in("Left")
    machine.unload(left)
    device(alice, "lost", "Left", media="speaker")
    alice.command("hangUp")
    assert alice.wait() == 0


def test_a_microphone_that_is_pulled_out_in_a_call_gives_way_to_the_next(duet, machine):
    watch, modules = machine.probe("watch"), {}
    for name in ("Left", "Right"):
        modules[name] = machine.microphone(f"microphone-{name.lower()}", name)
        watch.next("added", media="microphone", name=name)
    alice, bob = call(duet, machine, "--video", "test:320x192@15", "--microphone", "Left", user="unplugged")
    device(alice, "using", "Left", media="microphone")
    machine.unload(modules["Left"])
    device(alice, "lost", "Left", media="microphone")
    device(alice, "using", "Right", media="microphone")
    wait_until(lambda: "Left" not in listed(alice), seconds=20, what="a list without the microphone")
    # The same one again is another instance, which can be chosen.
    machine.microphone("microphone-left", "Left")
    watch.next("removed", media="microphone", name="Left")
    watch.next("added", media="microphone", name="Left")
    wait_until(lambda: "Left" in listed(alice), seconds=20, what="a list with the microphone")
    alice.command("microphone", device="Left")
    device(alice, "using", "Left", media="microphone", count=2)
    bob.wait_for_frames()
    alice.command("hangUp")
    assert alice.wait() == 0


def test_a_camera_that_is_not_there_is_refused_with_those_that_are(duet, machine):
    plug(machine, "One")
    alice = duet("call", "nobody", "--as", "alice-refused", media=("--camera", "Nowhere"), env=machine.env)
    assert alice.wait() == 2
    error = alice.standard_error()
    assert "--camera Nowhere" in error and "“One”" in error and "duet devices" in error and error.count("\n") == 1


def test_a_machine_without_a_camera_says_what_to_do(duet, machine):
    alice = duet("call", "nobody", "--as", "alice-without", media=("--camera", "--microphone", "none"), env=machine.env)
    assert alice.wait() == 2
    error = alice.standard_error()
    assert "camera" in error and error.count("\n") == 1
