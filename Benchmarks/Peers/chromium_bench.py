"""Measures Chromium the way duet is measured: two peer connections in one page, the processor time of all its processes.

    chromium_bench.py throughput SIZE SECONDS
    chromium_bench.py setup RUNS

Each prints one JSON object.
"""
import json
import os
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests/Interop"))

from peers import chromium  # noqa: E402

SCRIPT = """
window.connect = async () => {
    const one = new RTCPeerConnection(), other = new RTCPeerConnection();
    const held = { one: [], other: [] };
    const forward = (from, to, name) => from.onicecandidate = ({ candidate }) => {
        if (!candidate) return;
        if (to.remoteDescription) to.addIceCandidate(candidate); else held[name].push(candidate);
    };
    forward(one, other, 'other');
    forward(other, one, 'one');
    const channel = one.createDataChannel('data');
    const received = new Promise((done) => other.ondatachannel = (event) => done(event.channel));
    const opened = new Promise((done) => channel.onopen = done);
    const start = performance.now();
    await one.setLocalDescription(await one.createOffer());
    await other.setRemoteDescription(one.localDescription);
    for (const candidate of held.other) other.addIceCandidate(candidate);
    await other.setLocalDescription(await other.createAnswer());
    await one.setRemoteDescription(other.localDescription);
    for (const candidate of held.one) one.addIceCandidate(candidate);
    await opened;
    const milliseconds = performance.now() - start;
    return { one, other, channel, received: await received, milliseconds };
};
window.measure = async (size, seconds) => {
    const { channel, received, one, other } = await connect();
    let bytes = 0, first = 0, last = 0;
    const finished = new Promise((done) => received.onmessage = ({ data }) => {
        if (typeof data === 'string') return done();
        last = performance.now();
        if (!bytes) first = last;
        bytes += data.byteLength;
    });
    received.binaryType = 'arraybuffer';
    channel.bufferedAmountLowThreshold = 1 << 20;
    const message = new Uint8Array(size), end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
        if (channel.bufferedAmount > 4 << 20) await new Promise((done) => channel.onbufferedamountlow = done);
        for (let i = 0; i < 16; i++) channel.send(message);
    }
    channel.send('end');
    await finished;
    one.close();
    other.close();
    return { bytes, seconds: (last - first) / 1000 };
};
window.setup = async (runs) => {
    const times = [];
    for (let i = 0; i < runs; i++) {
        const { one, other, milliseconds } = await connect();
        times.push(milliseconds);
        one.close();
        other.close();
    }
    return times.sort((a, b) => a - b);
};
"""


def cpu_of_descendants():
    """Seconds that all living descendants of this process have used: the browser, its renderer, its network service."""
    ticks = os.sysconf("SC_CLK_TCK")
    parents, used = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents[int(folder.name)] = int(fields[1])
            used[int(folder.name)] = (int(fields[11]) + int(fields[12])) / ticks
    total = 0.0
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != os.getpid():
            ancestor = parents[ancestor]
        if ancestor == os.getpid() and process != os.getpid():
            total += used[process]
    return total


def main():
    what, numbers = sys.argv[1], [int(a) for a in sys.argv[2:]]
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright, chromium.PLAIN_ADDRESSES)
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.add_script_tag(content=SCRIPT)
        if what == "throughput":
            before = cpu_of_descendants()
            result = page.evaluate("([size, seconds]) => measure(size, seconds)", numbers)
            used = cpu_of_descendants() - before
            print(json.dumps({
                "peer": "chromium", "benchmark": "throughput", "size": numbers[0],
                "megabytesPerSecond": result["bytes"] / 1e6 / result["seconds"],
                "cpuSecondsPerGB": used / (result["bytes"] / 1e9)}))
        else:
            runs, times = numbers[0], page.evaluate("runs => setup(runs)", numbers[0])
            print(json.dumps({"peer": "chromium", "benchmark": "setup", "runs": runs, "medianMs": times[runs // 2],
                              "minimumMs": times[0], "p95Ms": times[runs * 95 // 100]}))
        browser.close()


main()
