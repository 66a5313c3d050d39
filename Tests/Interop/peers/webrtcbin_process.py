"""GStreamer's webrtcbin as a peer, run by the system's Python: reads signals like `duet peer`, one JSON object per line, and
prints its own signals and events in the same way.

    webrtcbin_process.py ROLE [KIND…]        offer or answer; audio, video"""
import array
import json
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

Gst.init(None)
role, kinds = sys.argv[1], sys.argv[2:]
# Duet's payload types: webrtcbin sends only with the negotiated numbers.
SOURCES = {
    "audio": "audiotestsrc is-live=true freq=1000 volume=0.25 ! audio/x-raw,rate=48000,channels=1 ! opusenc ! rtpopuspay ! "
             "application/x-rtp,media=audio,encoding-name=OPUS,payload=111 ! rtc.",
    "video": "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=180,framerate=30/1 ! "
             "vp8enc deadline=1 keyframe-max-dist=60 ! rtpvp8pay ! "
             "application/x-rtp,media=video,encoding-name=VP8,payload=96 ! rtc.",
}
WANTED = {"audio": "audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate=48000,channels=1", "video": "videoconvert"}
channels, turn = {}, threading.Lock()


def say(**members):
    with turn:  # GStreamer calls from many threads
        print(json.dumps(members), flush=True)


def frequency(samples):
    """From upward zero crossings."""
    rises = [i for i in range(1, len(samples)) if samples[i - 1] < 0 <= samples[i]]
    return (len(rises) - 1) * 48_000 / (rises[-1] - rises[0]) if len(rises) > 10 else None


def watch(kind, sink):
    """Reports four times a second what is received: the number of frames and their size; the tone."""
    samples, count = array.array("h"), 0

    def take(_, buffer, pad):
        nonlocal count
        count += 1
        if kind == "audio":
            samples.frombytes(buffer.extract_dup(0, buffer.get_size()))
            if len(samples) >= 12_000:
                say(event="audio", frequency=frequency(samples))
                del samples[:]
        elif count % 8 == 0:
            caps = pad.get_current_caps().get_structure(0)
            say(event="video", frames=count, width=caps.get_value("width"), height=caps.get_value("height"))
    sink.connect("handoff", take)


def received(_, pad):
    if pad.direction != Gst.PadDirection.SRC:
        return
    kind = pad.get_current_caps().get_structure(0).get_string("media")
    decoder = Gst.ElementFactory.make("decodebin")

    def decoded(_, pad):
        end = Gst.parse_bin_from_description(
            f"{WANTED[kind]} ! fakesink name=sink signal-handoffs=true sync=false", True)
        watch(kind, end.get_by_name("sink"))
        pipeline.add(end)
        end.sync_state_with_parent()
        pad.link(end.get_static_pad("sink"))
    decoder.connect("pad-added", decoded)
    pipeline.add(decoder)
    decoder.sync_state_with_parent()
    pad.link(decoder.get_static_pad("sink"))


def adopt(channel):
    label = channel.get_property("label")
    channels[label] = channel
    channel.connect("on-open", lambda _: say(event="dataChannel", label=label, state="open"))
    channel.connect("on-close", lambda _: say(event="dataChannel", label=label, state="closed"))
    channel.connect("on-message-string", lambda _, text: say(event="message", label=label, text=text))
    if channel.get_property("ready-state") == GstWebRTC.WebRTCDataChannelState.OPEN:
        say(event="dataChannel", label=label, state="open")


def describe(kind):
    def made(promise):
        reply = promise.get_reply()  # whose the description is
        description = reply.get_value(kind)
        rtc.emit("set-local-description", description, Gst.Promise.new())
        say(type=kind, sdp=description.sdp.as_text())
    rtc.emit(f"create-{kind}", None, Gst.Promise.new_with_change_func(made))


def accept(line):
    signal = json.loads(line)
    if "type" in signal:
        kind = getattr(GstWebRTC.WebRTCSDPType, signal["type"].upper())
        description = GstWebRTC.WebRTCSessionDescription.new(kind, GstSdp.SDPMessage.new_from_text(signal["sdp"])[1])

        def done(promise):
            reply = promise.get_reply()
            if reply and reply.has_field("error"):
                say(event="error", message=reply.to_string())
            elif signal["type"] == "offer":
                describe("answer")
        rtc.emit("set-remote-description", description, Gst.Promise.new_with_change_func(done))
    elif signal.get("candidate"):
        rtc.emit("add-ice-candidate", signal.get("sdpMLineIndex") or 0, signal["candidate"])
    elif "send" in signal:
        channels[signal["send"]].emit("send-string", signal["text"])


def read():
    for line in sys.stdin:
        GLib.idle_add(accept, line)
    GLib.idle_add(loop.quit)


# A second element is needed, since one alone is no pipeline.
pipeline = Gst.parse_launch(" ".join(
    ["webrtcbin name=rtc bundle-policy=max-bundle", *(SOURCES[kind] for kind in kinds), "fakesrc num-buffers=1 ! fakesink"]))
rtc = pipeline.get_by_name("rtc")
rtc.connect("on-ice-candidate", lambda _, index, text: say(candidate=text, sdpMLineIndex=index))
rtc.connect("notify::connection-state",
            lambda *_: say(event="connectionState", value=rtc.get_property("connection-state").value_nick))
rtc.connect("pad-added", received)
rtc.connect("on-data-channel", lambda _, channel: adopt(channel))
if role == "offer":
    rtc.connect("on-negotiation-needed", lambda _: describe("offer"))
pipeline.set_state(Gst.State.PLAYING)
if role == "offer":
    adopt(rtc.emit("create-data-channel", "data", None))
threading.Thread(target=read, daemon=True).start()
loop = GLib.MainLoop()
loop.run()
pipeline.set_state(Gst.State.NULL)
