"""aiortc: DTLS 1.2, no trickle ICE, no ICE restart. All its peers share one event loop in a thread."""
import asyncio
import threading

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.sdp import candidate_from_sdp

from .aiortc_media import Pictures, Sine, Watcher
from .patience import at_most


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, work, timeout=20):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(at_most(timeout))

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)


class AiortcPeer:
    def __init__(self, loop, offers=False, channels=(), tracks=()):
        self.loop = loop
        self.channels, self.messages, self._signals, self.errors = {}, {}, [], []
        self.senders, self.watchers = {}, []
        self.loop.run(self._make(offers, channels, tracks))

    async def _make(self, offers, channels, tracks):
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.connection.on("datachannel", self._adopt)
        self.connection.on("track", lambda track: self.watchers.append(Watcher(track)))
        self._last = asyncio.Lock()
        for kind in tracks:
            self._add(kind)
        for label, options in dict(channels).items():
            self._adopt(self.connection.createDataChannel(label, **options))
        if offers:
            await self._offer()

    async def _offer(self):
        await self.connection.setLocalDescription(await self.connection.createOffer())
        self._say()

    def _say(self):
        description = self.connection.localDescription
        self._signals.append({"type": description.type, "sdp": description.sdp})

    def _adopt(self, channel):
        self.channels[channel.label] = channel
        self.messages.setdefault(channel.label, [])
        channel.on("message", self.messages[channel.label].append)

    async def _accept(self, signal):
        async with self._last:
            try:
                if "type" in signal:
                    await self.connection.setRemoteDescription(RTCSessionDescription(signal["sdp"], signal["type"]))
                    if signal["type"] == "offer":
                        await self.connection.setLocalDescription(await self.connection.createAnswer())
                        self._say()
                elif not signal["candidate"]:
                    await self.connection.addIceCandidate(None)
                else:
                    candidate = candidate_from_sdp(signal["candidate"].split(":", 1)[1])
                    candidate.sdpMid, candidate.sdpMLineIndex = signal.get("sdpMid"), signal.get("sdpMLineIndex")
                    await self.connection.addIceCandidate(candidate)
            except Exception as error:  # kept for describe(): the test that waits for a result fails and shows it
                self.errors.append(repr(error))

    def signals(self):
        # The loop's thread may append at any moment.
        said = list(self._signals)
        del self._signals[:len(said)]
        return said

    def accept(self, signal):
        # Not awaited: the answer comes after gathering, and the other peer's candidates must not wait for that.
        asyncio.run_coroutine_threadsafe(self._accept(signal), self.loop.loop)

    @property
    def state(self):
        return self.connection.connectionState

    def is_open(self, label):
        return label in self.channels and self.channels[label].readyState == "open"

    def open(self, label, **options):
        async def work():
            self._adopt(self.connection.createDataChannel(label, **options))
        self.loop.run(work())

    def send(self, label, message):
        async def work():
            self.channels[label].send(message)
        self.loop.run(work())

    def received(self, label):
        return list(self.messages.get(label, []))

    def close_channel(self, label):
        async def work():
            self.channels[label].close()
        self.loop.run(work())

    # Sound and picture

    def _add(self, kind):
        self.senders[kind] = self.connection.addTrack(Pictures() if kind == "video" else Sine())

    def add_track(self, kind):
        """Sends the test picture, or a tone of 1,000 hertz; makes an offer for it."""
        async def work():
            self._add(kind)
            await self._offer()
        self.loop.run(work())

    def set_muted(self, kind, muted):
        self.senders[kind].track.is_enabled = not muted

    def content(self, kind):
        """The last received content of the newest track of this kind; None without one."""
        async def work():
            watchers = [watcher for watcher in self.watchers if watcher.track.kind == kind]
            return {"track": len(watchers), **watchers[-1].content()} if watchers else None
        return self.loop.run(work())

    def codec(self, kind):
        """The name of the codec that is sent."""
        codecs = [t._codecs[0] for t in self.connection.getTransceivers() if t.kind == kind and t._codecs]
        return codecs[-1].mimeType.split("/")[1].lower() if codecs else None

    def close(self):
        self.loop.run(self.connection.close())

    def describe(self):
        channels = {label: channel.readyState for label, channel in self.channels.items()}
        return f"aiortc: {self.state}, {channels}, errors {self.errors}"
