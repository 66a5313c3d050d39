"""`--trace`: what a connection's congestion control did, in numbers and nothing else, and its plot."""
import re
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

import pytest

from network import trace
from test_command_line import pair

ROOT = Path(__file__).resolve().parents[2]
SECRET = "a message that nobody else may read"


def test_a_trace_tells_what_a_call_did_and_nothing_of_its_content(ring, tmp_path):
    paths = [tmp_path / "one.trace", tmp_path / "other.trace"]
    one, other, session = pair(ring, ["--trace", str(paths[0]), "--video", "test:320x192@15", "--audio", "tone", "--stats"],
                               ["--trace", str(paths[1]), "--content"])
    one.send("data", SECRET)
    session.pump(lambda: other.events("message"), what="the message")
    session.pump(lambda: len(one.events("stats")) > 6, what="some seconds of a call")
    sent = {entry["kind"]: entry for entry in one.events("stats")[-1]["outboundRTP"]}
    for peer in (one, other):
        peer.end_input()
        assert peer.wait() == 0
    for path in paths:
        text = path.read_text()
        assert path.stat().st_mode & 0o777 == 0o600
        # Numbers alone: no address, no name, no key, nothing that was said.
        first, *rest = text.splitlines()
        assert re.fullmatch(r"# duet trace 1 \d{13} \d{1,6}", first)
        rest = [line for line in rest if line != first]
        assert rest and all(re.fullmatch(r"[sdvVaApx]( -?\d+)+", line) for line in rest), text
        assert len(text) < 2_000 * (rest[-1] and int(rest[-1].split()[1]) / 1000 + 2)
    found = trace.read(paths[0])[-1]
    samples = found.samples
    assert sum(sample.bytes_sent for sample in samples) > 30_000
    told = sum(sample.packets_acknowledged + sample.packets_lost for sample in samples)
    assert 0.9 * sum(sample.packets_sent for sample in samples) < told <= sum(sample.packets_sent for sample in samples)
    assert all(sample.target >= 50_000 for sample in samples) and all(0 <= sample.round_trip < 1_000 for sample in samples)
    times = [sample.time for sample in samples]
    assert times == sorted(times) and max(after - before for before, after in zip(times, times[1:])) < 3_000
    video = [line for line in found.streams if line.kind == "v"]
    assert video[-1].width == 320 and video[-1].height == 192
    # Each picture is a packet or more. What is sent again, padding included, the statistics count too.
    assert 0.9 * sent["video"]["framesSent"] <= sum(line.packets for line in video) <= 1.1 * sent["video"]["packetsSent"]
    assert any(line.kind == "a" for line in found.streams) and found.path_changes
    received = trace.read(paths[1])[-1]
    assert {line.kind for line in received.streams} >= {"V", "A"}
    # The plot.
    out = tmp_path / "plot.svg"
    subprocess.run([sys.executable, ROOT / "Scripts/plot-trace", paths[0], "--out", out], check=True)
    assert len(xml.dom.minidom.parse(str(out)).getElementsByTagName("polyline")) == 3


def test_a_trace_that_cannot_be_written_ends_with_status_2(tmp_path):
    from peers.duet import BINARY
    done = subprocess.run([BINARY, "peer", "offer", "--trace", str(tmp_path / "none" / "trace")], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "trace" in done.stderr


def test_traces_that_are_cut_off_are_read_as_far_as_they_go(tmp_path):
    path = tmp_path / "cut.trace"
    path.write_text("s 5 1\n# duet trace 1 1700000000000\ns 100 1 900 1 900 0 0 6000 500000 0 0 40 0 0 0\ns 200 1 90")
    (found,) = trace.read(path)
    assert len(found.samples) == 1 and found.samples[0].bytes_sent == 900 and found.began == 1_700_000_000_000
    path.write_text("nothing of the kind")
    with pytest.raises(ValueError, match="no trace"):
        trace.read(path)


def test_the_lines_of_connections_that_write_to_one_file_are_told_apart(tmp_path):
    path = tmp_path / "both.trace"
    path.write_text("# duet trace 1 1700000000000 5\np 1\n# duet trace 1 1700000000000 9\np 2\n# duet trace 1 1700000000000 5\np 3\n")
    one, other = trace.read(path)
    assert (one.number, one.path_changes) == (5, [1, 3]) and (other.number, other.path_changes) == (9, [2])
