"""A camera read by GStreamer alone, for comparison: the time to open it, and the processor time. Run by the system's Python.

    bare_pipeline.py NODE first COUNT CAPS       milliseconds to the first frame, each time
    bare_pipeline.py NODE rate SECONDS CAPS      frames, and seconds of processor time"""
import json
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)
node, what, amount, caps = sys.argv[1:5]
LINE = (f"pipewiresrc name=source ! {caps} ! videoconvert ! video/x-raw,format=I420 "
        "! appsink name=sink sync=false max-buffers=2 drop=true enable-last-sample=false")


def tell(**line):
    print(json.dumps(line), flush=True)


def start():
    pipeline = Gst.parse_launch(LINE)
    pipeline.get_by_name("source").set_property("target-object", node)
    sink = pipeline.get_by_name("sink")
    pipeline.set_state(Gst.State.PLAYING)
    return pipeline, sink


if what == "first":
    for _ in range(int(amount)):
        before = time.monotonic()
        pipeline, sink = start()
        assert sink.emit("try-pull-sample", 10 * Gst.SECOND)
        tell(event="first", ms=(time.monotonic() - before) * 1000)
        pipeline.set_state(Gst.State.NULL)
else:
    pipeline, sink = start()
    assert sink.emit("try-pull-sample", 10 * Gst.SECOND)
    before, end, count = time.process_time(), time.monotonic() + float(amount), 0
    while time.monotonic() < end:
        count += sink.emit("try-pull-sample", Gst.SECOND // 5) is not None
    tell(event="rate", frames=count, cpu=time.process_time() - before)
    pipeline.set_state(Gst.State.NULL)
