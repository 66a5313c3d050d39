"""libdatachannel 0.22, as the Python package pylibdatachannel carries it: a third implementation of ICE and SCTP."""
import threading

import pylibdatachannel as rtc


class LibdatachannelPeer:
    def __init__(self, channels=()):
        self._lock = threading.Lock()
        self._signals, self.channels, self.messages = [], {}, {}
        self.connection = rtc.PeerConnection()
        self.connection.on_local_description(self._described)
        self.connection.on_local_candidate(self._gathered)
        self.connection.on_data_channel(self._adopt)
        for label in channels:
            self._adopt(self.connection.create_data_channel(label))

    def _described(self, description):
        with self._lock:
            self._signals.append({"type": description.type.name.lower(), "sdp": str(description)})

    def _gathered(self, candidate):
        text = candidate.candidate.removeprefix("a=")
        with self._lock:
            self._signals.append({"candidate": text, "sdpMid": candidate.mid, "sdpMLineIndex": 0})

    def _adopt(self, channel):
        label = channel.label
        with self._lock:
            self.channels[label] = channel
            messages = self.messages.setdefault(label, [])
        channel.on_message(messages.append)

    def signals(self):
        with self._lock:
            said, self._signals = self._signals, []
        return said

    def accept(self, signal):
        if "type" in signal:
            kind = rtc.DescriptionType.from_string(signal["type"])
            self.connection.set_remote_description(rtc.Description(signal["sdp"], kind))
        elif signal["candidate"]:
            self.connection.add_remote_candidate(rtc.Candidate(signal["candidate"], signal.get("sdpMid") or "0"))

    @property
    def state(self):
        return self.connection.state.name.lower()

    def is_open(self, label):
        with self._lock:
            channel = self.channels.get(label)
        return channel is not None and channel.is_open

    def open(self, label):
        self._adopt(self.connection.create_data_channel(label))

    def send(self, label, message):
        self.channels[label].send(message)

    def received(self, label):
        return list(self.messages.get(label, []))

    def close_channel(self, label):
        self.channels[label].close()

    def close(self):
        # Callbacks arrive on the library's threads, so they are removed before the objects are released.
        for channel in self.channels.values():
            channel.reset_callbacks()
        self.connection.reset_callbacks()
        self.connection.close()

    def describe(self):
        return f"libdatachannel: {self.state}, {[(l, c.is_open) for l, c in self.channels.items()]}"
