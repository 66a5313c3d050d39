"""A call across a link that narrows and widens again, judged from outside; and whether the judge judges well."""
import array
import contextlib
import math
import subprocess
import xml.dom.minidom

import pytest

from network import call as calls
from network import curves, film, judge, schedule, sound
from network.link import NarrowNetwork, Packet
from network.watch import Shown, Watched
from peers.call import Caller
from peers.duet import BINARY
from peers.patience import wait_until

# MARK: The judge


def shown(times, first=0):
    return [Shown(t, first + place, 640, 360) for place, t in enumerate(times)]


def packet(entered, wait=0.005, way=0.03, size=1100, fate="delivered", **rtp):
    fields = {"payload_type": 96, "sequence_number": 0, "payload_size": 1010, "timestamp": 0, "ssrc": 7} | rtp
    return Packet(entered, wait, way, size, "forward", fate, 17, False, (1, 1), (2, 2), True, **fields)


def direction(packets=(), pictures=(), text="seconds 60\nat 0 both rate 2000 delay 25\n", end=20.0, **watched):
    return judge.Direction(schedule.parse(text), "forward", list(packets), 7, Watched(shown=list(pictures), **watched),
                           film.Film(None, 640, 360, 25, 500), 0.0, 0.0, end)


EVEN = [place * 0.04 for place in range(500)]


@pytest.mark.parametrize("gap,frozen", [(0.15, 0), (0.24, 0.24), (4.0, 4.0), (9.0, 9.0)])
def test_a_freeze_counts_however_long_it_is(gap, frozen):
    times = EVEN[:250] + [t + gap - 0.04 for t in EVEN[250:]]
    end = times[-1] + 0.04
    assert judge.freezes(times, 0, end) == (pytest.approx(frozen), pytest.approx(gap), frozen > 0)
    # What was before the beginning does not count.
    assert judge.freezes(times, 9.97 + gap, end)[0] == 0


def test_a_freeze_that_is_not_over_counts():
    assert judge.freezes(EVEN[:250], 0, 17)[0] == pytest.approx(17 - EVEN[249])
    assert judge.freezes([], 5, 17) == (12, 12, 1)
    # Few pictures, but as many as ever: that is no freeze.
    assert judge.freezes([place * 0.5 for place in range(40)], 5, 19.5)[0] == 0


def test_what_is_shown_twice_is_one_picture():
    call = direction(pictures=[Shown(0.0, 4, 640, 360), Shown(0.1, 4, 640, 360), Shown(0.2, None, 640, 360), Shown(0.3, 5, 640, 360)])
    assert [picture.number for picture in judge.new_pictures(call)] == [4, None, 5]


def test_goodput_is_what_was_seen():
    """Two packets a picture; each fourth picture never shown, each tenth packet sent twice, and other streams beside."""
    packets, pictures = [], []
    for place in range(500):
        at = place * 0.04
        for half in range(2):
            number = 2 * place + half
            packets.append(packet(at, timestamp=3600 * place, sequence_number=number))
            if number % 10 == 0:
                packets.append(packet(at, timestamp=3600 * place, sequence_number=number))
            packets.append(packet(at, timestamp=3600 * place, sequence_number=number, ssrc=8))
        if place % 4:
            pictures.append(Shown(at + 0.06, place, 640, 360))
    call = direction(packets, pictures)
    goodput = judge.goodput(call, judge.new_pictures(call), 5, 15)
    assert goodput == pytest.approx(0.75 * 25 * 2 * 1000 * 8 / 1000, rel=0.02)
    call.fec_bytes = 100_000
    assert judge.goodput(call, judge.new_pictures(call), 5, 15) == pytest.approx(goodput - 80)


def test_the_queue_is_told_by_its_worst_seconds():
    packets = [packet(place / 100, wait=0.4 if 700 <= place < 710 else 0.01) for place in range(2_000)]
    waits = judge.waits_per_second(packets, 5, 20)
    assert len(waits) == 15 and judge.part(waits, 0.5) == pytest.approx(10) and max(waits) == pytest.approx(400)


def test_how_long_a_fall_lasts_and_a_rise():
    text = "seconds 60\nat 0 both rate 2000 delay 25\nat 10 forward rate 500\n"
    packets = [packet(place / 100, wait=0.3 if 1_000 <= place < 1_150 else 0.01, size=200 if place < 200 else 2_500)
               for place in range(2_000)]
    call = direction(packets, text=text)
    assert judge.drain(call) == pytest.approx(1.49 + 0.3, abs=0.02)
    assert judge.ramp(call) == pytest.approx(2.0, abs=0.1)
    assert judge.drain(direction(packets)) is None


def test_pictures_are_compared_with_what_should_have_been_seen(tmp_path):
    made = film.make(tmp_path / "film.y4m", width=320, height=180, pictures=60)
    assert film.load(made.path) == made
    luma = dict(zip(range(60), film.lumas(made, range(60))))
    assert [film.read(luma[number], 320, 180) for number in range(60)] == list(range(60))

    def judged(moments, pictures):
        call = direction(pictures=shown([place * 0.04 for place in range(60)]), moments=moments, end=20)
        call.film = made
        call.watched.pictures = [(320, 180, luma[number]) for number in pictures]
        return judge.quality(call, 0, 20)

    moving = judged([(number * 0.04 + 0.01, number, place) for place, number in enumerate((0, 10, 20))], (0, 10, 20))
    assert moving == (60, pytest.approx(1))
    # The tenth stays on the screen for a second.
    frozen = judged([(0.41 + 0.4 * place, 10, 0) for place in range(3)], (10,))
    assert frozen[0] < 45 and frozen[1] < 0.97, frozen


def test_marks_survive_the_coarsest_quantizer_and_a_small_size(tmp_path):
    made = film.make(tmp_path / "film.y4m", width=320, height=180, pictures=60)
    command = ["ffmpeg", "-v", "error", "-nostdin"]
    subprocess.run([*command, "-i", made.path, "-vf", "scale=160:90", "-c:v", "libvpx", "-deadline", "realtime", "-qmin", "63", "-qmax",
                    "63", "-b:v", "20k", tmp_path / "small.webm"], check=True)
    subprocess.run([*command, "-i", tmp_path / "small.webm", "-f", "rawvideo", "-pix_fmt", "gray", tmp_path / "raw"], check=True)
    data = (tmp_path / "raw").read_bytes()
    assert [film.read(data[at:at + 160 * 90], 160, 90) for at in range(0, len(data), 160 * 90)] == list(range(60))
    # What has no mark has no number.
    assert film.read(bytes(range(250)) * 60, 160, 90) is None


def test_sound_tells_what_was_lost_and_how_late_it_is(tmp_path):
    played = array.array("h", sound.make(tmp_path / "tone.wav").read_bytes()[44:]) * 5
    heard = sound.lowered(played, sound.RATE)
    assert len(heard) == 10 * sound.HEARD and not any(moment.is_torn for moment in sound.listen(heard))
    bridged = heard[:]
    for place in range(10):
        at = place * 8_000 + 4_000
        bridged[at:at + 320] = bridged[at - 320:at]  # 40 ms again
    assert 20 <= sum(moment.is_torn for moment in sound.listen(bridged)) <= 45
    silent = heard[:]
    silent[4_000:12_000] = array.array("h", bytes(16_000))
    assert 48 <= sum(moment.is_torn for moment in sound.listen(silent)) <= 53
    late = sound.delays(sound.listen(heard[:40_000] + heard[39_200:]))
    assert judge.part([delay for t, delay in late if t < 4.8], 0.5) < 0.005
    assert judge.part([delay for t, delay in late if t > 5.2], 0.5) == pytest.approx(0.1, abs=0.005)
    noise = array.array("h", (int(9_000 * math.sin(x * x)) for x in range(8_000)))
    assert sum(moment.is_torn for moment in sound.listen(noise)) > 25


def test_curves_are_a_picture():
    call = direction([packet(place / 100) for place in range(2_000)])
    made = judge.curves(call, [{"time": 1.0, "target": 500_000}, {"time": 2.0}])
    assert made["capacity"] == [[0, 2000]] and made["target"] == [[1.0, 500]]
    assert made["sent"][10][1] == pytest.approx(880) and made["queue"][10][1] == 5
    text = curves.svg("Steady & narrow", [("Duet to Duet", made), ("Chromium to Duet", made), ("one more", made)])
    assert len(xml.dom.minidom.parseString(text).getElementsByTagName("polyline")) == 12


# MARK: A call


@pytest.fixture(scope="module")
def made_film():
    return film.make(calls.FILM)


def across(name, one, other, made_film, folder, playwright, seconds=None, relay=None):
    """A call, each way; fails where the link was not what its schedule says."""
    result = calls.run(schedule.load(name), one, other, made_film, folder, seconds, playwright=playwright, relay=relay)
    assert result["link"]["dropped"] == 0 and result["link"]["lateP99Ms"] < 5, result["link"]
    for found in result["directions"].values():
        assert found["errors"] == [] and found["unreadable"] * 100 <= found["shown"], found
    return {key: found["figures"] for key, found in result["directions"].items()} | {"stalled": result["machine"]["stalled"]}


@pytest.mark.timeout(90)
def test_a_call_on_a_link_that_narrows_and_widens(tmp_path, playwright):
    """Duet's direction beside Chromium's, in one call: 1 Mbit/s each way, and for seven seconds a quarter of it in Duet's. A small film, so
    that two encoders, two decoders and those who look on have processors enough anywhere."""
    small = film.make(calls.FILM.with_name("small.y4m"), width=320, height=180, rate=15, pictures=300)
    figures = across("short", "duet", "chromium", small, tmp_path, playwright)
    ours, theirs = figures["forward"], figures["backward"]
    # The same processors, the same link: it can be done.
    assert theirs["picturesPerSecond"] > 8 and theirs["soundTornShare"] < 0.1 and theirs["queueP95Ms"] < 250, figures
    # The fall is felt, and it is over before the end.
    assert ours["goodputKbps"] > 80 and ours["picturesPerSecond"] > 5, figures
    # What we did not see in time was not frozen.
    assert ours["frozenSeconds"] < 10 + figures["stalled"] and ours["secondsBelow2"] <= 8, figures
    assert ours["queueMedianMs"] < 200 and ours["soundTornShare"] < 0.15 and ours["ssim"] > 0.7, figures


@pytest.mark.timeout(90)
def test_error_correction_over_a_long_and_lossy_path(tmp_path, playwright):
    """VP8 between Duet and Chromium at 300 ms and 5 % of loss: both protect it, and Duet recovers packets by Chromium's parity. That
    Chromium does so too shows in what it shows: it does not report ULPFEC."""
    small = film.make(calls.FILM.with_name("small.y4m"), width=320, height=180, rate=15, pictures=300)
    result = calls.run(schedule.load("lossy-300"), "duet", "chromium", small, tmp_path, 25, playwright=playwright)
    said = result["directions"]["backward"]["said"]["receiver"]
    assert said["fecPackets"] > 20 and said["recovered"] > 5, said
    assert said["redundant"] > 20, said
    for way in schedule.DIRECTIONS:
        found = result["directions"][way]["figures"]
        assert found["frozenSeconds"] < 8 + result["machine"]["stalled"] and found["picturesPerSecond"] > 6, result


@pytest.mark.timeout(110)
def test_random_loss_is_no_reason_to_send_less(tmp_path):
    """Two kits, a server and 10 % of random loss each way on 3 Mbit/s: of what repair leaves nothing is the rate's fault."""
    plan = schedule.load("loss-10")
    with contextlib.ExitStack() as ending:
        network = ending.enter_context(contextlib.closing(NarrowNetwork(plan, tmp_path, trace=False)))
        server = subprocess.Popen([*network.right.within, BINARY, "serve", "--host", network.right.address, "--port", "8080"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ending.callback(server.wait)
        ending.callback(server.kill)
        assert server.stdout.readline()
        address, media = f"ws://{network.right.address}:8080", ("--video", "test:640x360@25", "--audio", "tone")
        bob = Caller(address, "answer", "--as", "bob", media=media, within=network.right.within)
        ending.callback(bob.close)
        bob.wait_for("waiting")
        network.start()
        alice = Caller(address, "call", "bob", "--as", "alice", media=media, within=network.left.within)
        ending.callback(alice.close)
        # The server's words get lost as well, and are said again.
        for caller in (alice, bob):
            caller.wait_for("connectionState", lambda line: line["value"] == "connected", timeout=30)
        begin = len(alice.events("stats"))
        wait_until(lambda: len(alice.events("stats")) >= begin + 40, 60, "forty seconds of a call", alice.describe)
        for caller in (alice, bob):
            sent = {kind: [entry for line in caller.events("stats")[-10:] for entry in line["outboundRTP"] if entry["kind"] == kind]
                    for kind in ("audio", "video")}
            # One report of sound is of 25 packets, of which none may be lost.
            lost = {kind: [entry["fractionLost"] for line in caller.events("stats")[-10:] for entry in line["remoteInboundRTP"]
                           if entry["kind"] == kind] for kind in ("audio", "video")}
            assert all(0.01 < sum(shares) / len(shares) < 0.3 for shares in lost.values()), lost
            # The kit's rule alone would have ended at 100 kbit/s and 144 rows, and sound at its minimum.
            assert min(entry["targetBitrate"] for entry in sent["audio"]) >= 24_000, sent["audio"][-1]
            assert min(entry["targetBitrate"] for entry in sent["video"]) > 500_000, sent["video"][-1]
            assert min(entry["frameHeight"] for entry in sent["video"]) >= 240, sent["video"][-1]
            quality = caller.events("quality")[-1]
            assert quality["level"] != "excellent" and quality["reason"] in ("myNetwork", "theirNetwork"), quality


# Those that a call of two ends can be made of: with pictures. Of those with Chromium that have most to tell.
SCHEDULES = sorted(path.stem for path in schedule.FOLDER.glob("*.txt")
                   if any(flow.kind == "media" for flow in schedule.load(path.stem).flows))
MIXED = ["bloat", "fall-and-rise", "loss-10", "policer", "reordering", "rfc8867-5.1", "rfc8867-5.3", "stalls", "steady-2000"]


@pytest.mark.timeout(200)
@pytest.mark.parametrize("name,other", [*((name, "duet") for name in SCHEDULES), *((name, "chromium") for name in MIXED)])
def test_nobody_starves(name, other, made_film, tmp_path, playwright):
    """On every schedule, for a minute at most: both see and hear each other, and use what there is."""
    plan = schedule.load(name)
    figures = across(name, "duet", other, made_film, tmp_path, playwright, seconds=60)
    for way in schedule.DIRECTIONS:
        found = figures[way]
        capacity = plan.capacity(way, 0, min(plan.seconds, 60))
        if capacity and capacity < 200:
            assert found["picturesPerSecond"] > 0, (way, figures)  # sound alone takes most of it
            continue
        assert found["goodputKbps"] > 0.1 * min(capacity or 2_000, 2_000), (way, figures)
        assert found["picturesPerSecond"] > 5 and found["soundTornShare"] < 0.3, (way, figures)


@pytest.mark.timeout(200)
@pytest.mark.parametrize("transport", ["udp", "tcp", "tls"])
@pytest.mark.parametrize("name", ["fall-and-rise", "steady-2000"])
def test_nobody_starves_behind_a_relay(name, transport, made_film, tmp_path):
    """The narrow link is between one end and its TURN server. With TCP and TLS what waits in the connection is a queue too, and what
    gets lost holds up all that is behind it: sound is late, and comes."""
    figures = across(name, "duet", "duet", made_film, tmp_path, None, seconds=60, relay=transport)
    for way in schedule.DIRECTIONS:
        found = figures[way]
        assert found["linkShare"] > 0.5 and found["picturesPerSecond"] > 10 and found["psnr"] > 30, (way, figures)
        # After a fall TCP delivers what its buffers hold, and not what is new.
        late = 500 if name == "steady-2000" else 2_000
        assert found["soundTornShare"] < 0.1 and found["soundLateP95Ms"] < late, (way, figures)
