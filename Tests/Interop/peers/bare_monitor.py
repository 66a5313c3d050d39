"""GStreamer alone reports devices that come and go, to show what it reports and when. Run by the system's Python.

    bare_monitor.py [CLASS]     devices of GStreamer's class, such as Audio/Source; cameras by default"""
import json
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)
monitor = Gst.DeviceMonitor()
monitor.add_filter(sys.argv[1] if len(sys.argv) > 1 else "Video/Source", None)
monitor.start()
print("ready", flush=True)
bus = monitor.get_bus()
WORDS = {Gst.MessageType.DEVICE_ADDED: "added", Gst.MessageType.DEVICE_REMOVED: "removed"}
while True:
    message = bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.DEVICE_ADDED | Gst.MessageType.DEVICE_REMOVED)
    at = time.monotonic()
    if message.type not in WORDS:
        continue  # newer ones let changes through as well
    parse = message.parse_device_added if message.type == Gst.MessageType.DEVICE_ADDED else message.parse_device_removed
    print(json.dumps({"event": WORDS[message.type], "name": parse().get_display_name(), "at": at}), flush=True)
