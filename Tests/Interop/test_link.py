"""The link that other tests and the benchmark run calls across: it has to do what its schedule says, and to count it.

What arrives has the kernel's time of its arrival, so that a test which is late itself measures well.
"""
import contextlib
import socket
import struct
import subprocess
import time

import pytest

from network import schedule as schedules
from network.link import NarrowNetwork, program

SO_TIMESTAMPNS = 35
HEADERS = 28
PORT = 5000


@pytest.fixture
def network(tmp_path):
    with contextlib.ExitStack() as ending:
        def make(text, **options):
            path = tmp_path / "schedule.txt"
            path.write_text(text)
            schedule = schedules.load(str(path))
            return ending.enter_context(contextlib.closing(NarrowNetwork(schedule, tmp_path, **options)))
        yield make


class Traffic:
    """Numbered datagrams from one side to the other. Sizes are those of packets, headers included."""

    def __init__(self, source, target, tos=0):
        self.sender, self.receiver = source.socket(), target.socket()
        self.sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
        self.receiver.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        self.receiver.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.receiver.bind((target.address, PORT))
        self.target = (target.address, PORT)
        self.sent, self._arrived = [], []

    def burst(self, count, size=1000):
        for _ in range(count):
            number = struct.pack(">I", len(self.sent))
            self.sent.append(time.time())
            self.sender.sendto(number + bytes(size - HEADERS - 4), self.target)
        self._receive()  # a socket has room for 100 packets or so

    def stream(self, kilobits, seconds, size=1000):
        """At an even rate."""
        begin, done = time.monotonic(), 0
        while (passed := time.monotonic() - begin) < seconds:
            due = int(passed * kilobits * 125 / size) + 1
            self.burst(due - done, size)
            done = due
            time.sleep(min(0.002, 0.25 * size / (kilobits * 125)))
        return done

    def arrived(self):
        """(number, time of arrival, ECN) of all that has come."""
        self._receive()
        return self._arrived

    def _receive(self):
        while True:
            try:
                data, ancillary, _, _ = self.receiver.recvmsg(2000, 200, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            at = ecn = None
            for level, kind, value in ancillary:
                if kind == SO_TIMESTAMPNS and level == socket.SOL_SOCKET:
                    seconds, nanoseconds = struct.unpack("qq", value)
                    at = seconds + nanoseconds / 1e9
                elif kind == socket.IP_TOS:
                    ecn = value[0] & 3
            self._arrived.append((struct.unpack(">I", data[:4])[0], at, ecn))

    def ages(self):
        """How long each was under way, in milliseconds, by its number."""
        return {number: (at - self.sent[number]) * 1000 for number, at, _ in self.arrived()}


def part(values, share):
    return sorted(values)[int(share * (len(values) - 1))]


def test_the_rate_is_kept_and_changes_when_it_should(network):
    """Within 1 %, at each of three rates; the second and the third are the schedule's later lines."""
    net = network("seconds 7\nat 0 both rate 500 delay 5 queue 100\nat 2.5 forward rate 2000\nat 4 forward rate 20000\n")
    traffic = Traffic(net.left, net.right)
    net.start()
    begin = time.time()
    for kilobits, end in ((500, 2.5), (2_000, 4), (20_000, 5)):
        traffic.stream(1.3 * kilobits, begin + end - time.time())
    time.sleep(0.3)
    times = [at - begin for _, at, _ in traffic.arrived()]
    for kilobits, start, end in ((500, 0.5, 2.4), (2_000, 2.7, 3.9), (20_000, 4.2, 4.9)):
        within = [at for at in times if start <= at < end]
        rate = (len(within) - 1) * 8 / (within[-1] - within[0])
        assert abs(rate / kilobits - 1) < 0.01, f"{rate:.1f} kbit/s instead of {kilobits}; {net.stop()}"
    assert net.stop()["dropped"] == 0


def test_the_delay_is_kept_each_way(network):
    """To the microsecond as the link reckons, always; and as packets really arrive. A machine whose processors are lent to others
    makes packets late at any moment, so the best third of the time says how late the link itself makes them."""
    net = network("seconds 5\nat 0 forward delay 25\nat 0 backward delay 60\n")
    there, back = Traffic(net.left, net.right), Traffic(net.right, net.left)
    net.start()
    for _ in range(300):
        there.burst(1)
        back.burst(1)
        time.sleep(0.01)
    time.sleep(0.1)
    late = net.stop()
    for delay, traffic, direction in ((25, there, "forward"), (60, back, "backward")):
        reckoned = [packet.way * 1000 for packet in net.packets() if packet.direction == direction]
        assert len(reckoned) == 300 and all(abs(way - delay) < 0.002 for way in reckoned), (min(reckoned), max(reckoned))
        ages = traffic.ages()
        assert sorted(ages) == list(range(300))
        # No earlier, but for the moment between taking the time and sending.
        assert delay <= min(ages.values()), min(ages.values())
        thirds = [[ages[number] - delay for number in range(begin, begin + 100)] for begin in (0, 100, 200)]
        found = [(part(third, 0.5), part(third, 0.95)) for third in thirds]
        assert min(median for median, _ in found) < 0.5 and min(p95 for _, p95 in found) < 1, (found, late)


def expected_fates(packets, rate, queue):
    """What a queue has to do with packets that enter when these did: (fate, seconds until it was sent) of each."""
    fates, leaving = [], []  # when each packet that was kept begins to be sent, and has been
    for packet in packets:
        duration = packet.size * 8 / rate
        waiting = sum(size for begin, size in leaving if begin > packet.entered)
        free = leaving[-1][0] + leaving[-1][1] * 8 / rate if leaving else 0
        if free > packet.entered and waiting + packet.size > queue:
            fates.append(("queueFull", 0))
            continue
        leaving.append((max(free, packet.entered), packet.size))
        fates.append(("delivered", leaving[-1][0] + duration - packet.entered))
    return fates


def test_a_queue_builds_drops_what_it_has_no_room_for_and_drains(network):
    net = network("seconds 2\nat 0 both rate 4000 delay 10 queue 100\n", interval=20)
    traffic = Traffic(net.left, net.right)
    net.start()
    time.sleep(0.05)
    traffic.burst(80)  # two milliseconds each; one is being sent, and 50 wait
    time.sleep(0.4)
    traffic.burst(1)
    time.sleep(0.1)
    ages = traffic.ages()
    net.stop()
    packets = net.packets()
    packets = sorted((packet for packet in packets if packet.direction == "forward"), key=lambda packet: packet.entered)
    expected = expected_fates(packets, 4_000_000, 50_000)
    assert [packet.fate for packet in packets] == [fate for fate, _ in expected]
    kept = [number for number, (fate, _) in enumerate(expected) if fate == "delivered"]
    assert list(ages) == kept and kept[:51] == list(range(51)) and kept[-1] == 80
    # Sending 80 takes about a millisecond, if nothing else runs: what has left meanwhile makes room.
    assert 52 <= len(kept) < 75, kept
    for packet, (fate, wait) in zip(packets, expected):
        assert fate != "delivered" or abs(packet.wait - wait) < 0.00001, (packet, wait)
    counts = [row for row in net.counts() if row["direction"] == "forward"]
    assert sum(row["queueFull"] for row in counts) == 81 - len(kept)
    assert sum(row["entered"] for row in counts) == 81 and sum(row["delivered"] for row in counts) == len(kept)
    queue = [row["queuedBytes"] for row in counts if row["seconds"] < 0.3]
    peak = queue.index(max(queue))
    assert max(queue) > 35_000 and queue[peak:] == sorted(queue[peak:], reverse=True) and queue[-1] == 0, queue
    # From one line to the next, 20 ms, ten have left.
    assert any(8_000 <= one - other <= 12_000 for one, other in zip(queue, queue[1:])), queue


@pytest.mark.parametrize("loss,burst", [(0.05, 1), (0.1, 8)])
def test_losses_are_as_many_and_as_long_as_asked_for(network, loss, burst):
    net = network(f"seconds 9\nat 0 both loss {loss} burst {burst}\n")
    traffic = Traffic(net.left, net.right)
    net.start()
    count = 20_000
    for _ in range(count // 50):
        traffic.burst(50, size=60)
        time.sleep(0.002)
    time.sleep(0.2)
    arrived = {number for number, _, _ in traffic.arrived()}
    assert net.stop()["dropped"] == 0
    lost = [number not in arrived for number in range(count)]
    runs = sum(now and not before for before, now in zip([False, *lost], lost))
    # Losses in a row are not independent: as many bursts, each of its length.
    deviation = (loss * (1 - loss) * 2 * burst / count) ** 0.5
    assert abs(sum(lost) / count - loss) < 4 * deviation, sum(lost) / count
    length = burst if burst > 1 else 1 / (1 - loss)
    assert abs(sum(lost) / runs / length - 1) < 0.2, sum(lost) / runs
    assert sum(row["lost"] for row in net.counts()) == sum(lost)


def test_a_stall_holds_what_comes_and_loses_nothing(network):
    net = network("seconds 4\nat 0 both rate 2000 delay 5 queue 500\nat 0.5 forward stall on\nat 0.8 forward stall off\n")
    traffic = Traffic(net.left, net.right)
    net.start()
    begin = time.time()
    count = traffic.stream(1_000, 1.2)
    time.sleep(0.8)
    times = [at - begin for _, at, _ in traffic.arrived()]
    assert len(times) == count and net.stop()["dropped"] == 0
    gap, at = max((later - earlier, earlier) for earlier, later in zip(times, times[1:]))
    assert 0.295 < gap < 0.315 and 0.495 < at < 0.512, (gap, at)
    # 37 wait at the end of it, 150 ms; since they leave twice as fast as others come, it is over after 300.
    assert abs(sum(0.8 <= t < 1.05 for t in times) / 62.5 - 1) < 0.1
    assert sum(1.15 <= t < 1.2 for t in times) < 9


def test_what_is_held_back_comes_later_and_the_rest_in_order(network):
    net = network("seconds 4\nat 0 both delay 5 reorder 0.1 30\n")
    traffic = Traffic(net.left, net.right)
    net.start()
    for _ in range(1_000):
        traffic.burst(1)
        time.sleep(0.001)
    time.sleep(0.1)
    ages = traffic.ages()
    held = {number for number, age in ages.items() if age > 30}
    assert len(ages) == 1_000 and 60 < len(held) < 140, len(held)
    others = [number for number in ages if number not in held]
    assert others == sorted(others) and list(ages) != sorted(ages)
    assert part([ages[number] for number in held], 0.5) < 36


def test_a_policer_drops_and_does_not_delay(network):
    net = network("seconds 5\nat 0 both delay 5 policer 1000 40000\n")
    traffic = Traffic(net.left, net.right)
    net.start()
    traffic.stream(2_000, 3)
    time.sleep(0.1)
    ages = traffic.ages()
    assert part(list(ages.values()), 0.95) < 6.5
    net.stop()
    # 375 kB in three seconds, and the forty that the bucket held at first; less if the source was kept from sending.
    packets = sorted((packet for packet in net.packets() if packet.direction == "forward"), key=lambda packet: packet.entered)
    expected, bucket, last = 0, 40_000, packets[0].entered
    for packet in packets:
        bucket, last = min(40_000, bucket + (packet.entered - last) * 125_000), packet.entered
        if bucket >= packet.size:
            expected, bucket = expected + 1, bucket - packet.size
    assert expected <= 415 and abs(len(ages) / expected - 1) < 0.02, (len(ages), expected)
    policed = sum(row["policed"] for row in net.counts() if row["direction"] == "forward")
    assert policed == len(packets) - len(ages) and policed > 100


def test_marks_what_waited_too_long_and_can_be_told(network):
    """With ECN: packets that say they are of a flow that understands it (ECT(1)), and no others."""
    text = "seconds 3\nat 0 both rate 4000 delay 5 queue 200 mark 20\n"
    net = network(text)
    able, unable = Traffic(net.left, net.right, tos=1), Traffic(net.right, net.left)
    net.start()
    able.burst(50)
    unable.burst(50)
    time.sleep(0.3)
    net.stop()
    marks = {number: ecn for number, _, ecn in able.arrived()}
    assert len(marks) == 50
    assert all(marks[number] == 1 for number in range(8)) and all(marks[number] == 3 for number in range(13, 50)), marks
    assert all(ecn == 0 for _, _, ecn in unable.arrived())
    assert 35 <= sum(packet.is_marked for packet in net.packets()) <= 42


def test_the_trace_knows_streams_by_their_headers(network):
    net = network("seconds 2\nat 0 both delay 5\n")
    traffic = Traffic(net.left, net.right)
    net.start()
    # Version 2, an extension of two words, payload type 96 with a marker, 30 bytes of payload.
    rtp = struct.pack(">BBHII", 0x90, 0xE0, 7, 90_000, 0xABCD) + struct.pack(">HH", 0xBEDE, 2) + bytes(8) + bytes(30)
    rtcp = struct.pack(">BBHI", 0x80, 200, 1, 5) + bytes(20)
    for payload in (rtp, rtcp):
        traffic.sender.sendto(payload, traffic.target)
    time.sleep(0.1)
    net.stop()
    first, second = net.packets()
    assert (first.is_rtp, first.payload_type, first.sequence_number, first.timestamp, first.ssrc, first.payload_size) == (
        True, 96, 7, 90_000, 0xABCD, 30)
    assert not second.is_rtp and first.destination == (2, PORT) and first.size == len(rtp) + HEADERS
    assert 0.005 <= first.way < 0.0055


def test_tcp_fills_the_link(network):
    net = network("seconds 4\nat 0 both rate 10000 delay 10 queue 100\n")
    listener = net.right.socket(socket.SOCK_STREAM)
    listener.bind((net.right.address, PORT))
    listener.listen()
    sender = net.left.socket(socket.SOCK_STREAM)
    sender.connect((net.right.address, PORT))
    receiver, _ = listener.accept()
    net.start()
    sender.setblocking(False)
    receiver.setblocking(False)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        for transfer in (lambda: sender.send(bytes(65_536)), lambda: receiver.recv(1 << 20)):
            with contextlib.suppress(BlockingIOError):
                transfer()
        time.sleep(0.001)
    net.stop()
    rows = [row for row in net.counts() if row["direction"] == "forward" and 1 < row["seconds"] <= 2.8]
    rate = sum(row["sentBytes"] for row in rows) * 8 / 1000 / (len(rows) * 0.1)
    assert 9_000 < rate < 10_100, rate
    assert {packet.protocol for packet in net.packets()} == {6}


@pytest.mark.parametrize("line", [
    "at 1 both speed 7", "at 1 both rate", "at 1 both rate fast", "at 1 sideways rate 7", "at 1 both reorder 0.1", "at 1 both stall",
    "at 1 both stall perhaps",
])
def test_what_is_no_schedule_is_refused(tmp_path, line):
    """By the link itself, and by what reads schedules in here."""
    path = tmp_path / "wrong.txt"
    path.write_text(f"seconds 9\nat 0 both rate 1000\n{line}\n")
    with pytest.raises(schedules.ScheduleError):
        schedules.load(str(path))
    assert subprocess.run([program(), "--check", path], capture_output=True).returncode == 2


def test_all_schedules_are_read(tmp_path):
    found = sorted(schedules.FOLDER.glob("*.txt"))
    assert len(found) >= 15
    for path in found:
        schedule = schedules.load(path.stem)
        assert schedule.title, path
        assert subprocess.run([program(), "--check", path]).returncode == 0


def test_a_schedule_knows_the_capacity():
    schedule = schedules.parse(
        "seconds 9\nat 0 both rate 1000\nat 2 forward rate 3000\nat 4 forward stall on\nat 5 forward stall off\n")
    assert schedule.capacity("forward", 0, 4) == 2_000
    assert schedule.capacity("forward", 3, 6) == pytest.approx(2_000)
    assert schedule.capacity("backward", 3, 6) == 1_000
    assert schedule.changes("forward") == [0, 2, 4, 5]
