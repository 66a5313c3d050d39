"""Measures aiortc the way duet is measured: throughput between two processes, set-up in one.

    aiortc_bench.py throughput SIZE SECONDS
    aiortc_bench.py setup RUNS
    aiortc_bench.py firstFrame RUNS      from createOffer to the first picture and the first sound
    aiortc_bench.py call SECONDS FILM    a call with the film's pictures both ways, in one process

Each prints one JSON object.
"""
import asyncio
import json
import resource
import subprocess
import sys
import time

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription


def cpu():
    """What this process and its ended children have used, in seconds."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def connection():
    return RTCPeerConnection(RTCConfiguration(iceServers=[]))


def say(**members):
    print(json.dumps(members), flush=True)


def description(peer):
    return {"sdp": peer.localDescription.sdp, "type": peer.localDescription.type}


async def line(stream):
    return json.loads(await asyncio.get_running_loop().run_in_executor(None, stream.readline))


async def throughput(size, seconds):
    receiver = subprocess.Popen([sys.executable, __file__, "receive"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True)
    peer = connection()
    channel = peer.createDataChannel("bench")
    opened, low = asyncio.Event(), asyncio.Event()
    channel.on("open", opened.set)
    channel.bufferedAmountLowThreshold = 256 << 10
    channel.on("bufferedamountlow", low.set)
    await peer.setLocalDescription(await peer.createOffer())
    receiver.stdin.write(json.dumps(description(peer)) + "\n")
    receiver.stdin.flush()
    await peer.setRemoteDescription(RTCSessionDescription(**await line(receiver.stdout)))
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
    say(peer="aiortc", benchmark="throughput", size=size, megabytesPerSecond=result["bytes"] / 1e6 / result["seconds"],
        cpuSecondsPerGB=used / (result["bytes"] / 1e9))


async def receive():
    peer = connection()
    seen = {"bytes": 0}

    @peer.on("datachannel")
    def adopt(channel):
        @channel.on("message")
        def count(message):
            if isinstance(message, str):
                say(bytes=seen["bytes"], seconds=seen["last"] - seen["first"], cpu=cpu() - seen["cpu"])
                return
            seen["last"] = time.monotonic()
            if not seen["bytes"]:
                seen["first"], seen["cpu"] = seen["last"], cpu()
            seen["bytes"] += len(message)

    await peer.setRemoteDescription(RTCSessionDescription(**await line(sys.stdin)))
    await peer.setLocalDescription(await peer.createAnswer())
    say(**description(peer))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)  # until the sender is done
    await peer.close()


async def setup(runs):
    times = []
    for _ in range(runs):
        one, other = connection(), connection()
        channel = one.createDataChannel("data")
        opened = asyncio.Event()
        channel.on("open", opened.set)
        start = time.perf_counter()
        await one.setLocalDescription(await one.createOffer())
        await other.setRemoteDescription(one.localDescription)
        await other.setLocalDescription(await other.createAnswer())
        await one.setRemoteDescription(other.localDescription)
        await opened.wait()
        times.append((time.perf_counter() - start) * 1e3)
        await one.close()
        await other.close()
    times.sort()
    say(peer="aiortc", benchmark="setup", runs=runs, medianMs=times[runs // 2], minimumMs=times[0],
        p95Ms=times[runs * 95 // 100])


async def connect(one, other):
    await one.setLocalDescription(await one.createOffer())
    await other.setRemoteDescription(one.localDescription)
    await other.setLocalDescription(await other.createAnswer())
    await one.setRemoteDescription(other.localDescription)


async def first_frame(runs):
    from aiortc.mediastreams import AudioStreamTrack, VideoStreamTrack
    times = []
    for _ in range(runs):
        one, other = connection(), connection()
        one.addTrack(VideoStreamTrack())
        one.addTrack(AudioStreamTrack())
        tasks, both = [], asyncio.Event()

        @other.on("track")
        def read(track):
            tasks.append(asyncio.ensure_future(track.recv()))
            if len(tasks) == 2:
                both.set()

        start = time.perf_counter()
        await connect(one, other)
        await both.wait()
        await asyncio.gather(*tasks)
        times.append((time.perf_counter() - start) * 1e3)
        await one.close()
        await other.close()
    times.sort()
    say(peer="aiortc", benchmark="firstFrame", runs=runs, medianMs=times[runs // 2], p95Ms=times[runs * 95 // 100])


async def call(seconds, film):
    from aiortc import RTCRtpSender
    from aiortc.contrib.media import MediaPlayer
    from aiortc.mediastreams import AudioStreamTrack
    one, other = connection(), connection()
    counts = [0, 0]
    size = [0, 0]

    async def read(track, place):
        while True:
            frame = await track.recv()
            if track.kind == "video":
                counts[place] += 1
                size[:] = [frame.width, frame.height]

    readers = []
    for place, peer in enumerate((one, other)):
        peer.on("track", lambda track, place=place: readers.append(asyncio.ensure_future(read(track, place))))
    players = [MediaPlayer(film, loop=True) for _ in range(2)]
    for peer, player in zip((one, other), players):
        peer.addTrack(player.video)
        peer.addTrack(AudioStreamTrack())
    vp8 = [c for c in RTCRtpSender.getCapabilities("video").codecs if c.mimeType == "video/VP8"]
    for transceiver in one.getTransceivers():
        if transceiver.kind == "video":
            transceiver.setCodecPreferences(vp8)
    await connect(one, other)
    await asyncio.sleep(8)
    before, counts[:], start = cpu(), [0, 0], time.perf_counter()
    await asyncio.sleep(seconds)
    used, passed = cpu() - before, time.perf_counter() - start
    say(peer="aiortc", benchmark="call", cpuSecondsPerSecond=used / passed, framesPerSecond=sum(counts) / 2 / passed,
        width=size[0], height=size[1])
    for reader in readers:
        reader.cancel()
    await one.close()
    await other.close()


WHAT = {"throughput": throughput, "receive": receive, "setup": setup, "firstFrame": first_frame, "call": call}
asyncio.run(WHAT[sys.argv[1]](*(int(a) if a.isdigit() else a for a in sys.argv[2:])))
