"""GStreamer's webrtcbin, in a process with the interface of `duet peer`."""
import json
from pathlib import Path

from .duet import DuetPeer


class WebrtcbinPeer(DuetPeer):
    """It sends video of 320 × 180 and a tone of 1,000 hertz, of the named kinds, from the beginning."""

    def __init__(self, role, *kinds):
        # The system's Python has GObject introspection.
        script = Path(__file__).with_name("webrtcbin_process.py")
        super().__init__(role, *kinds, command=("/usr/bin/python3", str(script)))

    def send(self, label, message):
        self.line(json.dumps({"send": label, "text": message}))
