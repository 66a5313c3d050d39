"""The contract of `duet peer` for sound and picture, between two of them."""
import wave

import pytest

from test_command_line import pair, run


def y4m(path, width, height, frames=30, header="YUV4MPEG2 W{} H{} F30:1 Ip A1:1 C420jpeg\n"):
    """A file of grey pictures."""
    size = width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)
    path.write_bytes(header.format(width, height).encode() + (b"FRAME\n" + b"\x80" * size) * frames)
    return str(path)


def media_pair(ring, offer=(), answer=()):
    return pair(ring, ["--content", *offer], ["--content", *answer], connect=None)


def test_a_call_between_two(ring):
    one, other, session = media_pair(ring, ["--video", "test:320x192", "--audio", "tone"],
                                     ["--video", "test:64x48@15", "--audio", "tone:1000", "--stats"])
    session.wait_for_content(one, "audio", 1000)
    session.wait_for_content(other, "audio", 440)
    session.wait_for_content(one, "video")
    session.wait_for_content(other, "video")
    assert other.events("firstFrame")[0]["width"] == 320 and one.events("firstFrame")[0]["width"] == 64
    session.pump(lambda: 0 < other.content("video").get("delay", 0) < 2_000, what="pictures that are not late")

    def tells_of_both():
        stats = other.events("stats")
        return (stats and {entry["kind"] for entry in stats[-1]["inboundRTP"]} == {"audio", "video"}
                and {codec["mimeType"] for codec in stats[-1]["codecs"]} >= {"audio/opus", "video/VP8"})
    session.pump(tells_of_both, what="statistics of sound and picture")
    session.pump(lambda: other.events("quality"), what="a word of the quality")
    assert all(line["level"] in ("excellent", "good", "fair", "poor", "bad") and "reason" in line for line in other.events("quality"))
    assert not one.events("quality")


def test_what_is_recorded_can_be_sent_again(ring, tmp_path):
    video, audio = str(tmp_path / "call.y4m"), str(tmp_path / "call.wav")
    one, other, session = media_pair(ring, ["--video", "test:320x180", "--audio", "tone:700"],
                                     ["--record-video", video, "--record-audio", audio])
    session.wait_for_content(other, "audio", 700)
    session.wait_for_content(other, "video")
    other.end_input()
    assert other.wait() == 0
    with wave.open(audio) as sound:
        assert sound.getframerate() == 48_000 and sound.getnframes() > 24_000
    with open(video, "rb") as pictures:
        assert pictures.readline().startswith(b"YUV4MPEG2 W320 H180 ")
    one.close()
    one, other, session = media_pair(ring, ["--video", video, "--audio", audio])
    session.wait_for_content(other, "audio", 700)
    # The film begins anew at its end, and the numbers in its pictures with it.
    numbers = set()

    def moves():
        numbers.add((other.content("video") or {}).get("number"))
        return len(numbers - {None}) >= 3
    session.pump(moves, what="pictures that move")


def test_an_offering_peer_that_records_offers_to_receive(ring, tmp_path):
    one, other, session = media_pair(ring, ["--record-video", str(tmp_path / "a.y4m")], ["--video", "test:320x180"])
    session.wait_for_content(one, "video")


@pytest.mark.parametrize("size", [(65, 49), (17, 300), (1920, 36)])
def test_odd_sizes(ring, tmp_path, size):
    one, other, session = media_pair(ring, ["--video", y4m(tmp_path / "odd.y4m", *size)])
    session.pump(lambda: other.events("firstFrame"), what="a picture")
    first = other.events("firstFrame")[0]
    assert abs(first["width"] - size[0]) <= 1 and abs(first["height"] - size[1]) <= 1


@pytest.mark.parametrize("arguments", [
    ["--codec", "mp3"], ["--codec", "opus", "--codec", "theora"], ["--video", "/nowhere.y4m"], ["--audio", "/nowhere.wav"],
    ["--video", "/"], ["--record-video", "/nowhere/a.y4m"], ["--record-audio", "/"]], ids=" ".join)
def test_what_cannot_be_satisfied_ends_with_status_2(arguments):
    done = run("peer", "offer", *arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and arguments[-1] in done.stderr


@pytest.mark.parametrize("content", [b"", b"nonsense", b"YUV4MPEG2 W64 H48\n", b"YUV4MPEG2 W64 H48\nFRAME\nshort",
                                     b"YUV4MPEG2 W9999999999 H1\n", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0\0WAVEdata\0\0\0\0"])
@pytest.mark.parametrize("option", ["--video", "--audio"])
def test_a_file_that_is_not_what_it_says(tmp_path, option, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    done = run("peer", "offer", option, str(path))
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and str(path) in done.stderr


def test_a_file_that_is_damaged_further_on(ring, tmp_path):
    path = y4m(tmp_path / "cut.y4m", 64, 48, frames=40)
    with open(path, "r+b") as file:
        file.truncate(30 * (64 * 48 * 3 // 2 + 6))
    one, other, session = media_pair(ring, ["--video", path])
    session.pump(lambda: one.events("error") and other.events("firstFrame"), what="the error")
    assert path in one.events("error")[0]["message"]
    session.connect("data")
    one.send("data", "still there")
    assert session.wait_for_messages(other, "data", 1) == ["still there"]


def test_commands_that_make_no_sense(ring):
    one, other, session = media_pair(ring)
    session.connect("data")
    for number, (command, kind) in enumerate([("mute", "audio"), ("removeTrack", "video"), ("addTrack", "smell")]):
        one.command(command, kind=kind)
        session.pump(lambda: len(one.events("error")) == number + 1, what=f"the error of {command}")
    one.add_track("audio")
    session.wait_for_content(other, "audio", 440)
    one.add_track("audio")
    session.pump(lambda: len(one.events("error")) == 4, what="the error of a second track")
    session.wait_for_content(other, "audio", 440)


def test_no_codec_in_common_leaves_the_rest_alone(ring):
    one, other, session = media_pair(ring, ["--video", "test:320x180", "--audio", "tone", "--codec", "vp8"],
                                     ["--codec", "h264"])
    session.connect("data")
    session.wait_for_content(other, "audio", 440)
    assert not other.events("firstFrame")
    assert not one.events("error") and not other.events("error")
