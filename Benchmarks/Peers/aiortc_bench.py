"""Measures aiortc the way duet is measured.

    aiortc_bench.py throughput SIZE SECONDS   between two processes
    aiortc_bench.py call SECONDS FILM         a call with the film's pictures both ways, between two processes
    aiortc_bench.py setup RUNS                two ends in one process
    aiortc_bench.py firstFrame RUNS           two ends in one process: from createOffer to the first decoded frame

Each prints one JSON object.
"""
import asyncio
import json
import resource
import subprocess
import sys
import time

import aioice.turn
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpSender, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer
from aiortc.mediastreams import AudioStreamTrack, VideoStreamTrack
from measuring import call_figures, say, throughput_figures, time_figures

# What duet asks for, too: 256 KiB overflow as soon as the receiver has to wait for the processor.
aioice.turn.UDP_SOCKET_BUFFER_SIZE = 2 << 20


def cpu():
    """What this process and its ended children have used, in seconds."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def connection():
    return RTCPeerConnection(RTCConfiguration(iceServers=[]))


def tell(stream, **members):
    stream.write(json.dumps(members) + "\n")
    stream.flush()


def description(peer):
    return {"sdp": peer.localDescription.sdp, "type": peer.localDescription.type}


async def line(stream):
    return json.loads(await asyncio.get_running_loop().run_in_executor(None, stream.readline))


def second_process(*arguments):
    return subprocess.Popen([sys.executable, __file__, *map(str, arguments)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


async def offer(peer, other):
    await peer.setLocalDescription(await peer.createOffer())
    tell(other.stdin, **description(peer))
    await peer.setRemoteDescription(RTCSessionDescription(**await line(other.stdout)))


async def answer(peer):
    await peer.setRemoteDescription(RTCSessionDescription(**await line(sys.stdin)))
    await peer.setLocalDescription(await peer.createAnswer())
    tell(sys.stdout, **description(peer))


async def throughput(size, seconds):
    receiver = second_process("receive")
    peer = connection()
    channel = peer.createDataChannel("bench")
    opened, low = asyncio.Event(), asyncio.Event()
    channel.on("open", opened.set)
    channel.bufferedAmountLowThreshold = 256 << 10
    channel.on("bufferedamountlow", low.set)
    await offer(peer, receiver)
    await opened.wait()

    before, message, end = cpu(), bytes(size), time.monotonic() + seconds
    while time.monotonic() < end:
        channel.send(message)
        if channel.bufferedAmount > 1 << 20:
            low.clear()
            await low.wait()
    channel.send("end")
    result = await line(receiver.stdout)
    used = cpu() - before + result["cpu"]
    await peer.close()
    receiver.stdin.close()
    receiver.wait(10)
    say("aiortc", "throughput", size=size, **throughput_figures(result["bytes"], result["seconds"], used))


async def receive():
    peer = connection()
    seen = {"bytes": 0}

    @peer.on("datachannel")
    def adopt(channel):
        @channel.on("message")
        def count(message):
            if isinstance(message, str):
                tell(sys.stdout, bytes=seen["bytes"], seconds=seen["last"] - seen["first"], cpu=cpu() - seen["cpu"])
                return
            seen["last"] = time.monotonic()
            if not seen["bytes"]:
                seen["first"], seen["cpu"] = seen["last"], cpu()
            seen["bytes"] += len(message)

    await answer(peer)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)  # until the sender is done
    await peer.close()


async def join(one, other):
    await one.setLocalDescription(await one.createOffer())
    await other.setRemoteDescription(one.localDescription)
    await other.setLocalDescription(await other.createAnswer())
    await one.setRemoteDescription(other.localDescription)


async def setup(runs):
    times = []
    for _ in range(runs):
        one, other = connection(), connection()
        channel = one.createDataChannel("data")
        opened = asyncio.Event()
        channel.on("open", opened.set)
        start = time.perf_counter()
        await join(one, other)
        await opened.wait()
        times.append((time.perf_counter() - start) * 1e3)
        await one.close()
        await other.close()
    say("aiortc", "setup", **time_figures(times))


async def first_frame(runs):
    times = []
    for _ in range(runs):
        one, other = connection(), connection()
        one.addTrack(VideoStreamTrack())
        one.addTrack(AudioStreamTrack())
        seen = asyncio.get_running_loop().create_future()

        async def read(track):
            await track.recv()
            if track.kind == "video":
                seen.set_result(time.perf_counter())

        tasks = []
        other.on("track", lambda track: tasks.append(asyncio.ensure_future(read(track))))
        start = time.perf_counter()
        await join(one, other)
        times.append((await seen - start) * 1e3)
        await one.close()
        await other.close()
        await asyncio.gather(*tasks, return_exceptions=True)
    say("aiortc", "firstFrame", **time_figures(times))


class Caller:
    """One end of a call: sends the film and silence, counts the frames that it receives."""

    def __init__(self, film):
        self.peer, self.readers = connection(), []
        self.count, self.size = 0, (0, 0)
        self.peer.on("track", lambda track: self.readers.append(asyncio.ensure_future(self.read(track))))
        self.player = MediaPlayer(film, loop=True)
        self.peer.addTrack(self.player.video)
        self.peer.addTrack(AudioStreamTrack())
        vp8 = [c for c in RTCRtpSender.getCapabilities("video").codecs if c.mimeType == "video/VP8"]
        for transceiver in self.peer.getTransceivers():
            if transceiver.kind == "video":
                transceiver.setCodecPreferences(vp8)

    async def read(self, track):
        while True:
            frame = await track.recv()
            if track.kind == "video":
                self.count += 1
                self.size = frame.width, frame.height

    def state(self):
        return {"frames": self.count, "width": self.size[0], "height": self.size[1], "cpu": cpu()}

    async def close(self):
        for reader in self.readers:
            reader.cancel()
        await self.peer.close()


async def call(seconds, film):
    other, caller = second_process("callee", film), Caller(film)

    async def states():
        tell(other.stdin, say="state")
        return [caller.state(), await line(other.stdout)]

    await offer(caller.peer, other)
    await asyncio.sleep(8)
    start, before = time.perf_counter(), await states()
    await asyncio.sleep(seconds)
    passed, after = time.perf_counter() - start, await states()
    used = sum(b["cpu"] - a["cpu"] for a, b in zip(before, after))
    say("aiortc", "call", **call_figures(before, after, passed, used))
    other.stdin.close()
    await caller.close()
    other.wait(20)


async def callee(film):
    caller = Caller(film)
    await answer(caller.peer)
    while await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        tell(sys.stdout, **caller.state())
    await caller.close()


WHAT = {"throughput": throughput, "receive": receive, "setup": setup, "firstFrame": first_frame, "call": call,
        "callee": callee}
asyncio.run(WHAT[sys.argv[1]](*(int(a) if a.isdigit() else a for a in sys.argv[2:])))
