"""Measures aiortc the way duet is measured: throughput between two processes, set-up in one.

    aiortc_bench.py throughput SIZE SECONDS
    aiortc_bench.py setup RUNS

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


WHAT = {"throughput": throughput, "receive": receive, "setup": setup}
asyncio.run(WHAT[sys.argv[1]](*map(int, sys.argv[2:])))
