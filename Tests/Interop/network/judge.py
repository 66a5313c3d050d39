"""The quality of a call on a link, measured from outside: by the link's trace, the numbers in displayed frames, and the audio
that was played. The same for every engine: what an end reports about itself does not count. docs/network-tests.md explains the
figures.
"""
import bisect
import math
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import film as films
from . import sound as sounds

TAG = 10
"""Bytes that SRTP adds to a payload; with AEAD six more, which is half a per cent of a packet."""


@dataclass
class Direction:
    """The data of one direction of a call for rating it. Times are seconds since the beginning of the link's schedule."""
    schedule: object
    direction: str
    packets: list
    """All of this direction, other calls' and downloads' too."""
    video: int
    """The SSRC of the pictures; that of retransmissions does not count."""
    watched: object
    film: films.Film
    began: float
    """`time.monotonic()` when the schedule began."""
    connected: float
    end: float
    fec_bytes: int = 0


def judge(call, skip=5.0):
    """The figures of a direction, from `skip` seconds after the connection until its end."""
    begin, end = call.connected + skip, call.end
    shown = new_pictures(call)
    times = [picture.time for picture in shown]
    within = [t for t in times if begin <= t < end]
    frozen, longest, count = freezes(times, begin, end)
    per_second = pictures_per_second(times, begin, end)
    waits = waits_per_second(call.packets, begin, end)
    all_of_it = sum(rate(call.packets, begin, end, kind) for kind in ("udp", "tcp"))
    capacity = call.schedule.capacity(call.direction, begin, end)
    psnr, ssim = quality(call, begin, end)
    torn, late = heard(call, begin, end)
    heights = sorted(picture.height for picture in shown if begin <= picture.time < end)
    return {
        "goodputKbps": goodput(call, shown, begin, end),
        "sentKbps": rate(of_this_call(call), begin, end), "tcpKbps": rate(call.packets, begin, end, "tcp"),
        "linkShare": all_of_it / capacity if capacity else None,
        "queueMedianMs": part(waits, 0.5), "queueP95Ms": part(waits, 0.95), "queueMaxMs": part(waits, 1.0),
        "frozenSeconds": frozen, "freezes": count, "longestGapMs": longest * 1000,
        "picturesPerSecond": len(within) / (end - begin),
        "secondsBelow10": sum(count < 10 for count in per_second), "secondsBelow2": sum(count < 2 for count in per_second),
        "psnr": psnr, "ssim": ssim, "height": heights[len(heights) // 2] if heights else None,
        "soundTornShare": torn, "soundLateP95Ms": late,
        "dropped": sum(packet.fate == "queueFull" and begin <= packet.entered < end for packet in call.packets),
        "rampSeconds": ramp(call), "drainSeconds": drain(call),
    }


def part(values, share):
    """The quantile of values; None without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


# MARK: The link


def waits_per_second(packets, begin, end):
    """For each second, the 95th percentile of the time in the bottleneck, in milliseconds."""
    seconds = {}
    for packet in packets:
        if begin <= packet.entered < end and packet.fate in ("delivered", "lost"):
            seconds.setdefault(int(packet.entered - begin), []).append(packet.wait * 1000)
    return [part(waits, 0.95) for _, waits in sorted(seconds.items())]


def rate(packets, begin, end, kind="udp"):
    """The bitrate of the bottleneck in kbit/s, headers included."""
    protocol = {"udp": 17, "tcp": 6}[kind]
    total = sum(packet.size for packet in packets if packet.protocol == protocol and packet.fate in ("delivered", "lost")
                and begin <= packet.entered + packet.wait < end)
    return total * 8 / 1000 / (end - begin)


def of_this_call(call):
    """The packets between the two sockets that carry the video."""
    sockets = {(packet.source, packet.destination) for packet in call.packets if packet.is_rtp and packet.ssrc == call.video}
    return [packet for packet in call.packets if (packet.source, packet.destination) in sockets]


def ramp(call, share=0.9, window=0.5):
    """Seconds from the connection until half a second was filled to nine tenths, by any traffic."""
    sent = sorted((packet.entered + packet.wait, packet.size) for packet in call.packets
                  if packet.fate in ("delivered", "lost"))
    total, first = 0, 0
    for t, size in sent:
        total += size
        while sent[first][0] <= t - window:
            total -= sent[first][1]
            first += 1
        capacity = call.schedule.capacity(call.direction, max(0.0, t - window), t) if t > 0 else None
        if capacity and t > call.connected + window and total * 8 / 1000 / window >= share * capacity:
            return t - window - call.connected
    return None


def drain(call, limit=0.1):
    """The longest time in seconds from a fall of the rate to half or less until no packet waited 100 ms for half a second; None
    without a fall."""
    schedule, found = call.schedule, []
    for t in schedule.changes(call.direction):
        before, after = schedule.rate(call.direction, t - 1e-6), schedule.rate(call.direction, t)
        if not t or not before or not after or after > before / 2 or not call.connected < t < call.end - 1:
            continue
        until = min([later for later in schedule.changes(call.direction) if later > t] + [call.end])
        last = t
        for packet in call.packets:
            leaves = packet.entered + packet.wait
            if t <= leaves < until and packet.wait > limit and leaves - last <= 0.5 + packet.wait:
                last = leaves
        found.append(last - t)
    return max(found) if found else None


# MARK: Pictures


def new_pictures(call):
    """The displayed frames, in the link's time, without repetitions."""
    found, last = [], None
    for picture in call.watched.shown:
        if picture.number is None or picture.number != last:
            found.append(type(picture)(picture.time - call.began, picture.number, picture.width, picture.height))
        last = picture.number
    return found


def freezes(times, begin, end):
    """Seconds frozen, the longest gap, and the number of freezes between two times.

    A gap between two frames is a freeze if it is at least three times the mean of the 30 gaps before, and 150 ms longer than it
    (webrtc-stats), however long. A gap at the end counts.
    """
    frozen, longest, count, gaps = 0.0, 0.0, 0, []
    edges = [t for t in times if t < end] + [end]
    if len(edges) == 1:
        return end - begin, end - begin, 1
    for earlier, later in zip(edges, edges[1:]):
        gap = later - earlier
        inside = later - max(earlier, begin)
        if inside > 0:
            longest = max(longest, gap)
            mean = sum(gaps) / len(gaps) if gaps else 0.04
            if gap >= max(3 * mean, mean + 0.15):
                frozen += inside
                count += 1
        gaps = [*gaps[-29:], gap]
    return frozen, longest, count


def pictures_per_second(times, begin, end):
    counts = [0] * int(end - begin)
    for t in times:
        if begin <= t < begin + len(counts):
            counts[int(t - begin)] += 1
    return counts


def goodput(call, shown, begin, end):
    """The payload of the displayed frames, in kbit/s.

    The trace has the packets of each frame by timestamp. Retransmissions count once, and packets of frames that were not
    displayed do not count.
    """
    payload, complete = {}, {}
    for packet in call.packets:
        if not packet.is_rtp or packet.ssrc != call.video:
            continue
        size = max(0, packet.payload_size - TAG)
        payload.setdefault(packet.timestamp, {})[packet.sequence_number] = size
        complete[packet.timestamp] = max(complete.get(packet.timestamp, 0), packet.entered + packet.way)
    seen = set()
    for window in range(math.ceil(end / WINDOW)):
        part_of_it = [picture for picture in shown if window * WINDOW <= picture.time < (window + 1) * WINDOW]
        seen |= {timestamp for picture, timestamp in timestamps_of(call, part_of_it, complete) if begin <= picture.time < end}
    total = sum(sum(payload[timestamp].values()) for timestamp in seen)
    return max(0, total - call.fec_bytes) * 8 / 1000 / (end - begin)


WINDOW = 2.0
"""Seconds for which a camera's clock and its pictures' numbers go together: a browser's is one per cent off."""


def timestamps_of(call, shown, complete):
    """The timestamps of displayed frames: (frame, timestamp) of those that have one.

    Numbers and timestamps advance alike, so only their difference is needed: of the possible ones, since a frame arrives before
    it is displayed, the one under which most of the frames were sent.
    """
    numbered, last = [], None
    for picture in shown:
        if picture.number is not None:
            number = picture.number
            if last is not None:  # numbers go round
                expected = last[1] + (picture.time - last[0]) * call.film.rate
                number += round((expected - number) / call.film.pictures) * call.film.pictures
            last = (picture.time, number)
            numbered.append((picture, number))
    step = 90_000 / call.film.rate
    base = next(iter(complete), 0)
    order = sorted(((timestamp - base + 2**31) % 2**32 - 2**31, timestamp) for timestamp in complete)
    ticks = [tick for tick, _ in order]

    def matches(offset):
        found, place = [], 0
        for picture, number in numbered:
            wanted = offset + number * step
            # The nearest remaining one; on a busy machine a camera's clock is off by a frame.
            place = max(place, bisect.bisect_left(ticks, wanted - 1.5 * step))
            while place + 1 < len(order) and abs(ticks[place + 1] - wanted) < abs(ticks[place] - wanted):
                place += 1
            if place < len(order) and ticks[place] < wanted + 1.5 * step and complete[order[place][1]] <= picture.time + 0.005:
                found.append((picture, order[place][1]))
                place += 1
        return found
    offsets = {round((tick - number * step) / (step / 2)) * step / 2
               for picture, number in numbered[:20]
               for tick, timestamp in order if picture.time - 3 <= complete[timestamp] <= picture.time}
    return max((matches(offset) for offset in sorted(offsets, reverse=True)), key=len, default=[])


def quality(call, begin, end):
    """PSNR and SSIM of the screen each 400 ms: against the source frame of that number, or, without a new frame, against those
    that should have followed."""
    film, watched = call.film, call.watched
    pairs = {}
    for t, place, picture in watched.moments:
        shown = watched.shown[place]
        if not begin <= t - call.began < end or shown.number is None or shown.number >= film.pictures:
            continue
        passed = int((t - shown.time) * film.rate)
        reference = (shown.number + passed) % film.pictures
        width, height, luma = watched.pictures[picture]
        pairs.setdefault((width, height), []).append((luma, reference))
    values = []
    for (width, height), found in pairs.items():
        values += _compare(film, width, height, found)
    if not values:
        return None, None
    return sum(psnr for psnr, _ in values) / len(values), sum(ssim for _, ssim in values) / len(values)


def _compare(film, width, height, pairs):
    """(PSNR, SSIM) of each pair, the frame scaled to the source's size."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        with open(folder / "shown", "wb") as shown, open(folder / "film", "wb") as wanted:
            for (luma, _), reference in zip(pairs, films.lumas(film, (reference for _, reference in pairs))):
                shown.write(luma)
                wanted.write(reference)
        size = f"{film.width}x{film.height}"

        def raw(size, name):
            return ["-f", "rawvideo", "-pix_fmt", "gray", "-video_size", size, "-framerate", "1", "-i", str(folder / name)]
        subprocess.run(
            ["ffmpeg", "-v", "error", "-nostdin", *raw(f"{width}x{height}", "shown"), *raw(size, "film"), "-lavfi",
             f"[0:v]scale={film.width}:{film.height}:flags=bilinear,split[a][b];[1:v]split[c][d];"
             f"[a][c]psnr=stats_file={folder}/psnr[p];[b][d]ssim=stats_file={folder}/ssim[s]",
             "-map", "[p]", "-f", "null", "-", "-map", "[s]", "-f", "null", "-"], check=True)
        psnr = [min(60.0, float(value)) for value in re.findall(r"psnr_avg:(\S+)", (folder / "psnr").read_text())]
        ssim = [float(value) for value in re.findall(r"All:(\S+)", (folder / "ssim").read_text())]
        return list(zip(psnr, ssim, strict=True))


# MARK: Sound


def heard(call, begin, end):
    """The share of the audio that was changed or missing, and the 95th percentile of its delay beyond the minimum, in
    milliseconds."""
    moments = [moment for moment in sounds.listen(call.watched.sound, call.watched.sound_began - call.began)
               if begin <= moment.time < end]
    wanted = (end - begin) / 0.02
    torn = (sum(moment.is_torn for moment in moments) + max(0.0, wanted - len(moments) - 25)) / wanted
    late = [delay for _, delay in sounds.delays(moments)]
    return min(1.0, torn), part(late, 0.95) * 1000 if late else None


# MARK: Curves


def curves(call, reports, step=0.5):
    """Over time: the link's capacity, the sent bitrate, the sender's target (as it reports), and the longest wait."""
    count = math.ceil(call.end / step)
    sent, wait = [0] * count, [0.0] * count
    for packet in of_this_call(call):
        if packet.fate in ("delivered", "lost") and 0 <= (t := packet.entered + packet.wait) < call.end:
            sent[int(t / step)] += packet.size
            wait[int(t / step)] = max(wait[int(t / step)], packet.wait * 1000)
    times = [index * step for index in range(count)]
    return {
        "capacity": [[t, call.schedule.rate(call.direction, t)] for t in call.schedule.changes(call.direction) if t < call.end],
        "sent": [[t, round(bytes * 8 / 1000 / step)] for t, bytes in zip(times, sent)],
        "target": [[round(said["time"] - call.began, 2), round(said["target"] / 1000)] for said in reports if said.get("target")],
        "queue": [[t, round(longest, 1)] for t, longest in zip(times, wait)],
    }


