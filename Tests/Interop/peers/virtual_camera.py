"""A camera that is a program: PipeWire shows it as it shows a real one. Run by the system's Python, with GStreamer.

    virtual_camera.py '["node", "Name", "caps", {"more": "properties"}]'

Reads lines: `plug`, `pull`, and `flap COUNT SECONDS` for both in turn, that many times."""
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


def tell(event):
    print(json.dumps({"event": event, "at": time.monotonic()}), flush=True)


def make_room(sink):
    """Of compressed pictures the sink does not know the size, and would let readers and server agree on none."""
    query = Gst.Query.new_allocation(Gst.Caps.from_string(caps), True)
    sink.get_static_pad("sink").query(query)
    pool = query.parse_nth_allocation_pool(0)[0]
    settings = pool.get_config()
    Gst.BufferPool.config_set_params(settings, Gst.Caps.from_string(caps), 1 << 20, 2, 8)
    pool.set_config(settings)


def plug():
    global pipeline
    if pipeline:
        return
    encoder = " ! jpegenc" if caps.startswith("image/jpeg") else ""
    raw = caps.replace("image/jpeg", "video/x-raw,format=I420")
    pipeline = Gst.parse_launch(f"videotestsrc is-live=true ! {raw}{encoder} ! pipewiresink name=sink mode=provide")
    structure = Gst.Structure.new_empty("properties")
    for key, value in properties.items():
        structure.set_value(key, value)
    sink = pipeline.get_by_name("sink")
    sink.set_property("stream-properties", structure)
    if encoder:
        make_room(sink)
    tell("plugged")
    pipeline.set_state(Gst.State.PLAYING)


def pull():
    global pipeline
    tell("pulled")
    if pipeline:
        pipeline.set_state(Gst.State.NULL)
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
