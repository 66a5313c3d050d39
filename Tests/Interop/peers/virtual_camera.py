"""A camera provided by a program: PipeWire shows it like a real one. Run by the system's Python, with GStreamer.

    virtual_camera.py '["node", "Name", "caps", {"more": "properties"}]'

It shows bars: white, yellow, cyan, green, magenta, red, blue. Reads lines: `plug`, `pull`, and `flap COUNT SECONDS` for both in
turn, that many times. Prints `streaming` when a reader has received its first frame, and `broken` with GStreamer's message."""
import json
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)
node, name, caps, more = json.loads(sys.argv[1])
properties = {
    "media.class": "Video/Source", "media.role": "Camera", "node.name": node, "node.description": name, **more}
pipeline = None
ENCODERS = {
    "image/jpeg": "jpegenc",
    # A late reader must not wait long for a key frame.
    "video/x-h264": "openh264enc gop-size=5 ! h264parse config-interval=-1 ! "
                    "video/x-h264,stream-format=byte-stream,alignment=au",
}


def tell(event, **more):
    print(json.dumps({"event": event, "at": time.monotonic(), **more}), flush=True)


def make_room(sink):
    """The sink does not know the size of compressed frames, and would prevent readers and server from agreeing on buffers."""
    query = Gst.Query.new_allocation(Gst.Caps.from_string(caps), True)
    sink.get_static_pad("sink").query(query)
    pool = query.parse_nth_allocation_pool(0)[0]
    settings = pool.get_config()
    Gst.BufferPool.config_set_params(settings, Gst.Caps.from_string(caps), 1 << 20, 2, 8)
    pool.set_config(settings)


def heard(bus, message):
    if message.type == Gst.MessageType.ERROR:
        tell("broken", message=" ".join(map(str, message.parse_error())))
    return Gst.BusSyncReply.DROP


def plug():
    global pipeline
    if pipeline:
        return
    kind = caps.split(",")[0]
    encoder = f" ! {ENCODERS[kind]}" if kind in ENCODERS else ""
    raw = caps.replace(kind, "video/x-raw,format=I420") if encoder else caps
    pipeline = Gst.parse_launch(
        f"videotestsrc is-live=true pattern=smpte100 ! {raw}{encoder} ! pipewiresink name=sink mode=provide")
    structure = Gst.Structure.new_empty("properties")
    for key, value in properties.items():
        structure.set_value(key, value)
    sink = pipeline.get_by_name("sink")
    sink.set_property("stream-properties", structure)
    if encoder:
        make_room(sink)
    pipeline.get_bus().set_sync_handler(heard)

    def first(pad, info):
        tell("streaming")
        return Gst.PadProbeReturn.REMOVE

    sink.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, first)
    tell("plugged")
    pipeline.set_state(Gst.State.PLAYING)


def pull():
    global pipeline
    if pipeline:
        pipeline.set_state(Gst.State.NULL)
    tell("pulled")
    pipeline = None


print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "plug":
        plug()
    elif words[0] == "pull":
        pull()
    elif words[0] == "flap":
        for _ in range(int(words[1])):
            plug()
            time.sleep(float(words[2]))
            pull()
            time.sleep(float(words[2]))
        print("flapped", flush=True)
