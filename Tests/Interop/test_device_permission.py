"""Who may use the camera: the desktop's portal (by python-dbusmock), or what this user can open; and the orientation sensor."""
import subprocess

import pytest

from peers.machine import HERE, PYTHON, Machine


@pytest.fixture
def machine():
    machine = Machine()
    yield machine
    machine.close()


def portal(machine, *manner):
    process = machine.run(PYTHON, HERE / "portal.py", *manner, stdin=subprocess.PIPE)
    process.next("ready")
    return process


def video_status(probe):
    return probe.next("status", subject="video")["status"]


def test_without_a_portal_a_session_of_pipewire_is_permission(machine):
    probe = machine.probe("access")
    assert video_status(probe) == "authorized"
    probe.next("granted")


def test_without_a_portal_and_a_session_the_reason_is_told(machine):
    machine.kill_servers()
    probe = machine.probe("access")
    assert video_status(probe) == "restricted"
    reason = probe.next("refused")["message"]
    assert "/dev/video" in reason and "PipeWire" in reason and "pipewire-0" in reason


def test_without_a_runtime_directory_the_reason_is_told(machine):
    probe = machine.probe("access", env={"XDG_RUNTIME_DIR": ""})
    assert "XDG_RUNTIME_DIR" in probe.next("refused")["message"]


@pytest.mark.parametrize("manner, line, status", [
    ("granted", "granted", "authorized"),
    ("refused", "refused", "denied"),
    ("dismissed", "refused", "notDetermined"),
])
def test_the_portal_asks_and_its_answer_counts(machine, manner, line, status):
    asked = portal(machine, manner)
    probe = machine.probe("access")
    assert video_status(probe) == "notDetermined"
    said = probe.next(line)
    asked.next("asked")
    assert video_status(probe) == status
    if status == "denied":
        assert "settings" in said["message"]


@pytest.mark.parametrize("answer, line", [("yes", "granted"), ("no", "refused")])
def test_the_portal_may_take_its_time_to_ask_a_person(machine, answer, line):
    process = portal(machine, "ask")
    probe = machine.probe("access", 20_000)
    process.next("asked")
    process.tell(answer)
    probe.next(line)


@pytest.mark.parametrize("manner", ["silent", "deaf"])
def test_a_portal_that_does_not_answer_is_not_waited_for_for_ever(machine, manner):
    portal(machine, manner)
    probe = machine.probe("access", 1_000)
    refused = probe.next("refused")
    assert "did not answer" in refused["message"]
    assert refused["at"] - probe.seen[0]["at"] < 4
    assert video_status(probe) == "notDetermined"


def test_a_portal_that_ends_while_it_asks_is_noticed(machine):
    process = portal(machine, "ask")
    probe = machine.probe("access", 60_000)
    process.next("asked")
    process.kill()
    assert "without an answer" in probe.next("refused")["message"]


PORTAL = "arg0='org.freedesktop.portal.Desktop'"


def rules(machine):
    """What programs listen for at the bus."""
    return subprocess.run(
        ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
         "org.freedesktop.DBus.Debug.Stats.GetAllMatchRules"], env=machine.env, capture_output=True, text=True,
        check=True).stdout


def test_a_question_leaves_nothing_at_the_bus(machine):
    portal(machine, "dismissed")
    before = rules(machine).count(PORTAL)  # PipeWire's own, of some versions
    probe = machine.probe("access", 5_000, 3)
    for _ in range(3):
        probe.next("refused")
    probe.next("status", subject="video")
    after = rules(machine)
    assert after.count("org.freedesktop.portal.Request") == 0, after
    assert after.count(PORTAL) <= before + 1, after


def test_a_portal_that_knows_of_no_camera_is_not_asked(machine):
    process = portal(machine, "granted", "absent")
    assert "no camera" in machine.probe("access").next("refused")["message"]
    assert "asked" not in [line["event"] for line in process.rest()]


def test_where_only_the_portal_has_cameras_they_come_with_the_permission(machine):
    portal(machine, "granted")
    machine.camera("camera", "Camera").plug()
    sandboxed = {"PIPEWIRE_REMOTE": "no-such-server"}
    watch = machine.probe("watch", "ask", env=sandboxed)
    watch.next("granted")
    watch.next("added", media="camera", name="Camera")
    capture = machine.probe("capture", "camera", "ask", env=sandboxed)
    capture.next("first")


def test_the_orientation_sensor_of_the_system_bus_is_followed(machine):
    sensor = machine.run(PYTHON, HERE / "sensor.py", stdin=subprocess.PIPE)
    sensor.next("ready")
    probe = machine.probe("orientation")
    sensor.next("claimed")
    probe.next("orientation", orientation="portrait")
    for word, orientation in [
            ("left-up", "landscapeRight"), ("bottom-up", "portraitUpsideDown"), ("right-up", "landscapeLeft"),
            ("undefined", "unknown"), ("normal", "portrait")]:
        sensor.tell(word)
        assert probe.next("orientation")["orientation"] == orientation
