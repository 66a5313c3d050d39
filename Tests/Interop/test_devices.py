"""Cameras, microphones and loudspeakers of a private session with real servers: they come and go, are read, and are lost."""
import os
import signal
import statistics
import subprocess

import pytest

from peers.duet import BINARY
from peers.machine import HERE, PYTHON, Machine, wait_until

# The figure: a device is seen, and its loss noticed, within this time.
SOON = 0.2


@pytest.fixture
def machine():
    machine = Machine()
    yield machine
    machine.close()


def test_a_camera_comes_goes_and_comes_back_as_a_new_instance_with_the_same_identifier(machine):
    watch = machine.probe("watch")
    camera = machine.camera("front-camera", "Front", api__libcamera__location="front", api__libcamera__rotation="270")
    watch.next("added", media="speaker")
    plugged = camera.plug()
    first = watch.next("added", media="camera")
    assert first["at"] - plugged < SOON
    assert (first["name"], first["kind"], first["position"], first["mounting"]) == ("Front", "built-in", "front", 90)
    assert first["formats"] == "YUY2 640x480"
    pulled = camera.pull()
    gone = watch.next("removed", media="camera")
    assert gone["at"] - pulled < SOON
    assert (gone["id"], gone["name"]) == (first["id"], "Front")
    camera.plug()
    second = watch.next("added", media="camera")
    assert second["id"] == first["id"] and second["instance"] > first["instance"]


def test_what_two_services_see_is_one_device_and_what_a_loudspeaker_plays_is_no_microphone(machine):
    machine.speaker("speaker-1", "Speaker")
    watch = machine.probe("watch")
    watch.next("added", media="speaker", name="Speaker")
    module = machine.microphone("microphone-1", "Microphone")
    assert watch.next("added", media="microphone")["name"] == "Microphone"
    machine.unload(module)
    watch.next("removed", media="microphone", name="Microphone")
    added = [line for line in watch.seen + watch.rest() if line["event"] == "added"]
    assert [line["name"] for line in added if line["media"] == "microphone"] == ["Microphone"]
    assert [line["name"] for line in added if line["media"] == "speaker"].count("Speaker") == 1


def test_an_infrared_camera_is_left_out(machine):
    watch = machine.probe("watch")
    machine.camera("infrared", "Face", "video/x-raw,format=GRAY8,width=640,height=480,framerate=15/1").plug()
    machine.camera("infrared-2", "Integrated IR Camera").plug()
    machine.camera("visible", "Visible").plug()
    watch.next("added", media="camera", name="Visible")
    assert [line["name"] for line in watch.seen + watch.rest() if line.get("media") == "camera"] == ["Visible"]


def test_a_camera_that_comes_and_goes_ten_times_a_second_leaves_the_list_as_it_is(machine):
    watch = machine.probe("watch")
    camera = machine.camera("flapping", "Flapping")
    camera.flap(20, 0.05)
    camera.plug()
    machine.camera("last", "Last").plug()
    watch.next("added", name="Last")
    lines = [line for line in watch.seen + watch.rest() if line.get("name") == "Flapping"]
    assert lines[-1]["event"] == "added"
    instances = [line["instance"] for line in lines if line["event"] == "added"]
    assert instances == sorted(set(instances)), "an instance that has gone does not come back"
    assert [line["event"] for line in lines] == ["added", "removed"] * (len(lines) // 2) + ["added"]


@pytest.mark.parametrize("caps, width, height", [
    ("video/x-raw,format=YUY2,width=640,height=480,framerate=30/1", 640, 480),
    ("video/x-raw,format=NV12,width=1280,height=720,framerate=30/1", 1280, 720),
    ("video/x-raw,format=I420,width=320,height=240,framerate=15/1", 320, 240),
    ("video/x-raw,format=BGRx,width=1920,height=1080,framerate=15/1", 1920, 1080),
    ("image/jpeg,width=1280,height=720,framerate=30/1", 1280, 720),
])
def test_pictures_come_from_cameras_of_every_format(machine, caps, width, height):
    machine.camera("camera", "Camera", caps).plug()
    first = machine.probe("capture", "camera").next("first")
    assert (first["width"], first["height"]) == (width, height)


def test_a_camera_that_is_pulled_out_while_it_is_read_is_noticed_at_once(machine):
    camera = machine.camera("camera", "Camera")
    camera.plug()
    capture = machine.probe("capture", "camera")
    for _ in range(3):
        capture.next("first")
        pulled = camera.pull()
        assert capture.next("disconnected")["at"] - pulled < SOON
        capture.next("closing")
        camera.plug()


def test_a_microphone_that_is_pulled_out_while_it_is_read_is_noticed(machine):
    module = machine.microphone("microphone", "Microphone")
    listen = machine.probe("listen", "microphone")
    level = listen.next("level")
    assert level["samples"] == 480
    machine.unload(module)
    listen.next("disconnected")
    machine.microphone("microphone", "Microphone")
    listen.next("level")


def test_servers_that_die_take_their_devices_with_them_and_bring_them_back(machine):
    camera = machine.camera("camera", "Camera")
    camera.plug()
    watch, capture = machine.probe("watch"), machine.probe("capture", "camera")
    watch.next("added", media="camera")
    capture.next("first")
    for _ in range(2):
        died = machine.kill_servers()
        assert capture.next("disconnected")["at"] - died < SOON
        assert watch.next("removed", media="camera")["at"] - died < SOON
        camera.pull()
        machine.start_servers()
        camera.plug()
        watch.next("added", media="camera")
        capture.next("first")


def test_a_program_that_begins_before_its_servers_finds_them_when_they_come(machine):
    machine.kill_servers()
    (machine.folder / "pipewire-0").unlink(missing_ok=True)
    watch = machine.probe("watch")
    machine.start_servers()
    machine.camera("camera", "Camera").plug()
    watch.next("added", media="camera")


@pytest.mark.timeout(900)
def test_opening_and_closing_leaves_nothing_behind(machine):
    machine.server_camera("camera", "Camera")
    count = int(os.environ.get("DUET_CYCLES", "40"))
    probe = machine.probe("cycles", "camera", count, "UYVY 640x480")
    lines = []
    while not lines or lines[-1]["number"] < count - 1:
        lines.append(probe.next("cycle", seconds=60))
    early, late = lines[2], lines[-1]
    assert late["threads"] <= early["threads"] + 1 and late["descriptors"] <= early["descriptors"] + 2, lines
    assert late["memory"] - early["memory"] < 4_000, lines


def test_the_echo_of_a_loudspeaker_is_taken_out(machine):
    machine.speaker("speaker", "Speaker")
    machine.microphone_beside("speaker", "room", "Room")
    echo = machine.probe("echo", "room", "speaker")
    loud, quiet = echo.next("echo", seconds=20), echo.next("echo", seconds=20)
    assert loud["decibels"] > -45, "the microphone hears the loudspeaker"
    assert loud["decibels"] - quiet["decibels"] > 20


def duet(machine, *arguments):
    return machine.run(BINARY, *arguments)


def test_duet_tells_of_devices_in_lines_of_json(machine):
    machine.speaker("speaker", "Speaker")
    watch = duet(machine, "devices", "--watch", "--json")
    camera = machine.camera("desk", "Desk")
    camera.plug()
    added = watch.next("added", named="Desk")["device"]
    assert added["id"] == "desk" and added["kind"] == "virtual" and added["position"] == "unspecified"
    assert added["formats"] == [{"width": 640, "height": 480, "pixelFormat": "YUY2", "frameRates": [[30.0, 30.0]]}]
    camera.pull()
    removed = watch.next("removed", named="Desk")["device"]
    assert (removed["id"], removed["media"]) == ("desk", "camera")
    os.kill(watch.pid, signal.SIGTERM)
    assert watch.wait() == 0
    once = duet(machine, "devices")
    assert "speaker" in once.next()["event"] and once.wait() == 0


def test_duet_takes_a_photo_and_records_a_film(machine):
    machine.camera("desk", "Desk", api__libcamera__location="back", api__libcamera__rotation="270").plug()
    machine.microphone("microphone", "Microphone")
    photo, film = machine.folder / "desk.jpg", machine.folder / "desk.webm"
    taken = duet(machine, "camera", "photo", photo, "--camera", "desk", "--size", "640x480")
    assert taken.wait() == 0, taken.errors()
    data = photo.read_bytes()
    assert data[:4] == b"\xff\xd8\xff\xe1" and data[6:12] == b"Exif\0\0"
    assert data[31] == 6, "viewers turn it clockwise"
    recorded = duet(machine, "camera", "record", film, "--camera", "Des", "--seconds", 2)
    assert recorded.wait() == 0, recorded.errors()
    shown = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=codec_type,width,height", "-of", "csv", film],
        capture_output=True, text=True, check=True).stdout
    assert "video,480,640" in shown and "audio" in shown


def test_duet_says_what_is_wrong_and_what_to_do(machine):
    nobody = duet(machine, "camera", "photo", machine.folder / "x.jpg", "--camera", "nobody")
    assert nobody.wait() == 2 and "no camera called “nobody”" in nobody.errors()
    machine.kill_servers()
    refused = duet(machine, "camera", "photo", machine.folder / "x.jpg")
    assert refused.wait() == 2 and "PipeWire" in refused.errors() and "/dev/video" in refused.errors()


def test_duet_ends_a_film_when_its_camera_is_pulled_out(machine):
    camera = machine.camera("desk", "Desk")
    camera.plug()
    film = machine.folder / "desk.webm"
    recorded = duet(machine, "camera", "record", film, "--microphone", "none")
    wait_until(lambda: film.exists() and film.stat().st_size > 1_000)
    camera.pull()
    assert recorded.wait() == 1 and "Desk was pulled out" in recorded.errors()
    assert film.stat().st_size > 1_000


def bare(machine, what, amount, format):
    """GStreamer alone, with the same camera and format."""
    pixels, size = format.split()
    width, height = size.split("x")
    caps = f"video/x-raw,format={pixels},width={width},height={height},framerate=30/1"
    return machine.run(PYTHON, HERE / "bare_pipeline.py", "camera", what, amount, caps)


def ours(machine, what, amount, format):
    return machine.probe({"first": "cycles"}.get(what, what), "camera", amount, format)


def test_a_camera_opens_about_as_fast_as_gstreamer_alone(machine):
    machine.server_camera("camera", "Camera")
    figures = {bare: [], ours: []}
    for _ in range(2):  # taking turns, so that whatever else the machine does hits both
        for who, taken in figures.items():
            process = who(machine, "first", 12, "UYVY 1280x720")
            taken += [process.next("first")["ms"] for _ in range(12)]
            process.wait()
    mine, theirs = statistics.median(figures[ours]), statistics.median(figures[bare])
    print(f"open to first picture: {mine:.1f} ms, GStreamer alone {theirs:.1f} ms: {mine / theirs:.2f} times")
    assert mine < 1.5 * theirs, figures


def test_capture_takes_little_more_of_the_processor_than_gstreamer_alone(machine):
    machine.server_camera("camera", "Camera")
    figures = {bare: 0.0, ours: 0.0}
    for _ in range(2):
        for who in figures:
            process = who(machine, "rate", 3, "UYVY 1920x1080")
            line = process.next("rate", seconds=20)
            figures[who] += 500 * line["cpu"] / line["frames"]
            process.wait()
    ratio = figures[ours] / figures[bare]
    print(f"1080p: {figures[ours]:.2f} ms of the processor a picture, GStreamer alone {figures[bare]:.2f}: {ratio:.2f} times")
    assert ratio < 1.2
