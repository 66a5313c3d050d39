"""Chromium, driven by Playwright."""
import base64
import shutil
from pathlib import Path

from .patience import at_most

SCRIPT, MEDIA_SCRIPT = ((Path(__file__).parent / name).read_text() for name in ("chromium.js", "chromium_media.js"))

# Loopback and plain host addresses are used as candidates, and no permission is requested. Fake cameras have ten frames per
# second: at twenty, the browsers took a third of the tests' processor time.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--allow-loopback-in-peer-connection", "--autoplay-policy=no-user-gesture-required",
    "--use-fake-device-for-media-stream=device-count=3,fps=10", "--use-fake-ui-for-media-stream", "--disable-dev-shm-usage",
]
PLAIN_ADDRESSES = "--disable-features=WebRtcHideLocalIpsWithMdns"
MDNS_ADDRESSES = "--enable-features=WebRtcHideLocalIpsWithMdns"


def path():
    """The program: preferably Chromium without its windows, which takes less than half of the processor time for a page."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise AssertionError("there is no Chromium: Scripts/setup test installs it")


def launch(playwright, *flags):
    return playwright.chromium.launch(executable_path=path(), headless=True, args=[*FLAGS, *flags])


class ChromiumPeer:
    def __init__(self, browser, polite=True, trickle=True, waits=False, configuration=None):
        """`waits`: makes no offer before it has received one."""
        self.page = browser.new_page()
        self.page.set_default_timeout(1_000 * at_most(30))
        self.page.goto("about:blank")
        self.page.add_script_tag(content=SCRIPT)
        self.page.add_script_tag(content=MEDIA_SCRIPT)
        self.page.evaluate("options => { createPeer(options); addMedia(); }",
                           {"polite": polite, "trickle": trickle, "waits": waits, "configuration": configuration or {}})
        self._messages = {}

    def look(self):
        return self.page.evaluate("peer.look()")

    def signals(self):
        return self.page.evaluate("peer.drain()")

    def accept(self, signal):
        self.page.evaluate("signal => peer.accept(signal)", signal)

    @property
    def state(self):
        return self.page.evaluate("peer.connection.connectionState")

    def channel(self, label):
        return self.look()["channels"].get(label)

    def is_open(self, label):
        return self.page.evaluate("label => peer.channels[label]?.readyState === 'open'", label)

    def closings(self, label):
        """How often a channel of this name was closed."""
        return self.look()["closed"].get(label, 0)

    def open(self, label, **options):
        self.page.evaluate("([label, options]) => peer.open(label, options)", [label, options])

    def send(self, label, message):
        message = {"text": message} if isinstance(message, str) else {"base64": base64.b64encode(message).decode()}
        self.page.evaluate("([label, message]) => peer.send(label, message)", [label, message])

    def send_numbers(self, label, count):
        self.page.evaluate("([label, count]) => peer.sendNumbers(label, count)", [label, count])

    def received(self, label):
        had = self._messages.setdefault(label, [])
        new = self.page.evaluate("([label, from]) => (peer.messages[label] ?? []).slice(from)", [label, len(had)])
        had += [m["text"] if "text" in m else base64.b64decode(m["base64"]) for m in new]
        return had

    def close_channel(self, label):
        self.page.evaluate("label => peer.channels[label].close()", label)

    def restart_ice(self):
        self.page.evaluate("peer.connection.restartIce()")

    def stats(self, kind):
        return [s for s in self.page.evaluate("peer.stats()") if s["type"] == kind]

    def dtls_version(self):
        """1.2 or 1.3, from the transport's statistics."""
        return {"FEFD": "1.2", "FEFC": "1.3"}[self.stats("transport")[0]["tlsVersion"].upper()]

    def srtp_profile(self):
        """By the names of RFC 5764 and RFC 7714."""
        return self.stats("transport")[0].get("srtpCipher")

    # Sound and picture

    def add_track(self, *kinds):
        """Sends the test picture, or a tone of 1,000 hertz; one offer contains all tracks."""
        self.page.evaluate("kinds => { for (const kind of kinds) peer.addTrack(kind); }", kinds)

    def remove_track(self, kind):
        self.page.evaluate("kind => peer.removeTrack(kind)", kind)

    def set_muted(self, kind, muted):
        self.page.evaluate("([kind, muted]) => peer.setMuted(kind, muted)", [kind, muted])

    def set_layers(self, mode):
        """Sends pictures in layers from now on: of W3C's names, such as L1T2."""
        self.page.evaluate("mode => peer.setLayers(mode)", mode)

    def content(self, kind):
        """The current content of the newest track of this kind, as a dict; None without one."""
        return self.page.evaluate("kind => peer.content(kind)", kind)

    def codec(self, kind, direction="inbound"):
        """The name of the codec that is received, or sent: of the newest stream."""
        stats = self.page.evaluate("peer.stats()")
        streams = [s for s in stats if s["type"] == f"{direction}-rtp" and s["kind"] == kind and s.get("codecId")]
        names = [c["mimeType"].split("/")[1] for c in stats if streams and c["id"] == streams[-1]["codecId"]]
        return names[0].lower() if names else None

    def close(self):
        if not self.page.is_closed():
            self.page.evaluate("peer.connection.close()")
            self.page.close()

    def describe(self):
        """The state of the page, and the packets of each stream, since an existing stream may be silent."""
        if self.page.is_closed():
            return "chromium: closed"
        wanted = ("mid", "kind", "active", "packetsReceived", "packetsSent", "packetsLost", "packetsDiscarded", "audioLevel",
                  "totalAudioEnergy", "totalSamplesReceived", "concealedSamples", "framesDecoded", "jitterBufferDelay")
        streams = [{"type": entry["type"], **{name: entry[name] for name in wanted if name in entry}}
                   for entry in self.page.evaluate("peer.stats()") if entry["type"] in ("inbound-rtp", "outbound-rtp")]
        heard = self.page.evaluate("({audio: peer.content('audio'), video: peer.content('video')})")
        return "\n".join(["chromium: " + str(self.look()), f"  seen and heard: {heard}", *(f"  {stream}" for stream in streams)])
