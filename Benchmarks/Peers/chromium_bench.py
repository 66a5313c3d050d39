"""Measures Chromium the way duet is measured: two peer connections in one page, the processor time of all its processes.

    chromium_bench.py throughput SIZE SECONDS
    chromium_bench.py setup RUNS
    chromium_bench.py firstFrame RUNS      from createOffer to the first picture and the first sound
    chromium_bench.py call SECONDS FILM    a call with the film's pictures both ways

Each prints one JSON object.
"""
import json
import os
import sys
import time
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
const joined = async (one, other) => {
    const held = { one: [], other: [] };
    const forward = (from, to, name) => from.onicecandidate = ({ candidate }) => {
        if (!candidate) return;
        if (to.remoteDescription) to.addIceCandidate(candidate); else held[name].push(candidate);
    };
    forward(one, other, 'other');
    forward(other, one, 'one');
    await one.setLocalDescription(await one.createOffer());
    await other.setRemoteDescription(one.localDescription);
    for (const candidate of held.other) other.addIceCandidate(candidate);
    await other.setLocalDescription(await other.createAnswer());
    await one.setRemoteDescription(other.localDescription);
    for (const candidate of held.one) one.addIceCandidate(candidate);
};
// A picture is decoded only if somebody looks: as small as can be, so that little is spent on painting it.
const watch = (track, width) => {
    const video = Object.assign(document.createElement('video'), { muted: true, autoplay: true, width });
    video.srcObject = new MediaStream([track]);
    document.body.append(video);
    return video;
};
window.firstFrame = async (runs) => {
    const stream = await navigator.mediaDevices.getUserMedia({
        audio: true, video: { width: 640, height: 480, frameRate: 30 } });
    const times = [];
    for (let i = 0; i < runs; i++) {
        const one = new RTCPeerConnection(), other = new RTCPeerConnection();
        for (const track of stream.getTracks()) one.addTrack(track, stream);
        const seen = new Promise((done) => other.addEventListener('track', ({ track }) => {
            if (track.kind === 'video') watch(track, 64).requestVideoFrameCallback(() => done(performance.now()));
        }));
        // The first packet of sound is what unmutes its track: decoding comes after that.
        const heard = new Promise((done) => other.addEventListener('track', ({ track }) => {
            if (track.kind === 'audio') track.onunmute = () => done(performance.now());
        }));
        const start = performance.now();
        await joined(one, other);
        times.push(Math.max(await seen, await heard) - start);
        one.close();
        other.close();
        document.body.replaceChildren();
    }
    return times.sort((a, b) => a - b);
};
window.call = async () => {
    const stream = await navigator.mediaDevices.getUserMedia({
        audio: true, video: { width: 1280, height: 720, frameRate: 30 } });
    const one = window.one = new RTCPeerConnection(), other = window.other = new RTCPeerConnection();
    const vp8 = RTCRtpSender.getCapabilities('video').codecs.filter(({ mimeType }) => mimeType === 'video/VP8');
    for (const peer of [one, other]) {
        peer.ontrack = ({ track }) => { if (track.kind === 'video') watch(track, 16); };
        for (const track of stream.getTracks()) peer.addTrack(track, stream);
    }
    for (const transceiver of one.getTransceivers())
        if (transceiver.sender.track.kind === 'video') transceiver.setCodecPreferences(vp8);
    await joined(one, other);
    // Both are compared at the full size: by itself it makes its picture smaller when the processor is busy.
    for (const peer of [one, other])
        for (const sender of peer.getSenders()) {
            if (sender.track.kind !== 'video') continue;
            await sender.setParameters(
                Object.assign(sender.getParameters(), { degradationPreference: 'maintain-resolution' }));
        }
};
window.frames = async () => {
    const found = [];
    for (const peer of [one, other])
        for (const entry of (await peer.getStats()).values())
            if (entry.type === 'inbound-rtp' && entry.kind === 'video') found.push(entry);
    return found.map(({ framesDecoded, bytesReceived, frameWidth, frameHeight }) =>
        ({ framesDecoded, bytesReceived, frameWidth, frameHeight }));
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


def say(what, **members):
    print(json.dumps({"peer": "chromium", "benchmark": what} | members))


def throughput(page, size, seconds):
    before = cpu_of_descendants()
    result = page.evaluate("([size, seconds]) => measure(size, seconds)", [int(size), int(seconds)])
    used = cpu_of_descendants() - before
    say("throughput", size=int(size), megabytesPerSecond=result["bytes"] / 1e6 / result["seconds"],
        cpuSecondsPerGB=used / (result["bytes"] / 1e9))


def say_times(what, times):
    runs = len(times)
    say(what, runs=runs, medianMs=times[runs // 2], minimumMs=times[0], p95Ms=times[runs * 95 // 100])


def setup(page, runs):
    say_times("setup", page.evaluate("runs => setup(runs)", int(runs)))


def first_frame(page, runs):
    say_times("firstFrame", page.evaluate("runs => firstFrame(runs)", int(runs)))


def call(page, seconds, film):
    page.evaluate("() => call()")
    page.wait_for_timeout(8_000)
    start, used, before = time.monotonic(), cpu_of_descendants(), page.evaluate("() => frames()")
    page.wait_for_timeout(int(seconds) * 1_000)
    passed, used = time.monotonic() - start, cpu_of_descendants() - used
    after = page.evaluate("() => frames()")
    say("call", cpuSecondsPerSecond=used / passed,
        framesPerSecond=sum(b["framesDecoded"] - a["framesDecoded"] for a, b in zip(before, after)) / 2 / passed,
        kilobitsPerSecond=sum(b["bytesReceived"] - a["bytesReceived"] for a, b in zip(before, after)) / 250 / passed / 2,
        width=after[0]["frameWidth"], height=after[0]["frameHeight"])


WHAT = {"throughput": throughput, "setup": setup, "firstFrame": first_frame, "call": call}


def main():
    what, numbers = sys.argv[1], sys.argv[2:]
    media = what in ("firstFrame", "call")
    film = [f"--use-file-for-fake-video-capture={numbers[1]}"] if what == "call" else []
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright, chromium.PLAIN_ADDRESSES, *film)
        page = browser.new_page()
        page.set_default_timeout(120_000)
        if media:
            # Cameras are for secure origins. Nothing leaves the machine for it.
            page.route("https://bench.test/", lambda route: route.fulfill(body="<!doctype html>"))
            page.goto("https://bench.test/")
        page.add_script_tag(content=SCRIPT)
        WHAT[what](page, *numbers)
        browser.close()


main()
