"""A real WebKitGTK with cameras and microphones that exist in it alone: what pages may do, and what they are told."""
import datetime
import io
import math
import re
import socket
import ssl
import struct
import subprocess
import threading
import time
import wave

import pytest

from peers.duet import BINARY as DUET
from peers.patience import Wait, at_most
from peers.screen import Screen
from peers.web_view import Desktop, Site, WebView, free_port

pytestmark = pytest.mark.timeout(180)

# A number behind each title: no two are the same, and the window's program says each.
TELL = "const tell = (text) => { document.title = text + ' #' + Math.floor(Math.random() * 1e9); };"

CAPTURE = """<title>ready</title><script>""" + TELL + """
const media = navigator.mediaDevices;
async function capture(want) {
  try {
    window.stream = await media.getUserMedia(want);
    return 'granted ' + stream.getTracks().map((track) => track.kind).sort().join('+');
  } catch (error) { return 'refused ' + error.name; }
}
async function go(want = {audio: true, video: true}) { tell(await capture(want)); }
async function names() {
  const devices = await media.enumerateDevices();
  tell('devices ' + devices.map((device) => device.kind + ':' + device.label).join('|'));
}
async function crowd() {
  const all = await Promise.all([1, 2, 3, 4].flatMap(() => [capture({audio: true, video: true}), media.enumerateDevices()]));
  tell('crowd ' + all.filter((one) => typeof one == 'string').join(','));
}
</script><body>A page that captures</body>"""

DIALOGS = """<title>ready</title><script>""" + TELL + """
function say(value) { tell('said ' + JSON.stringify(value === undefined ? 'undefined' : value)); }
const later = (body) => setTimeout(body, 0);
</script><body>A page that asks</body>"""

# A frame that asks when it is there, and when it is told to.
INNER = """<script>
const ask = () => navigator.mediaDevices.getUserMedia({video: true}).then(
  () => top.postMessage('granted', '*'), (error) => top.postMessage('refused ' + error.name, '*'));
onmessage = ask;
if (location.search != '?quiet') ask();
</script>"""

FRAMED = CAPTURE + "<script>onmessage = (event) => tell('frame ' + event.data);</script>"
FOREIGN = "http://inner.localhost:{port}/inner"


def framed(body):
    """A page that says what came of its frame's wish. FOREIGN stands for the address of a frame of another origin."""
    def page(handler):
        handler.reply(FRAMED + body.replace("FOREIGN", FOREIGN.format(port=handler.server.site.port)))
    return page


def frame(attribute, query=""):
    return framed(f'<iframe {attribute} src="FOREIGN{query}"></iframe>')


def holder(handler):
    """A document of the page's own origin with a frame of another one, as those of advertisements and widgets are."""
    handler.reply(f'<iframe allow="camera" src="{FOREIGN.format(port=handler.server.site.port)}"></iframe>')


def sandboxed(handler):
    """What somebody uploaded to a server, which is made nobody's by a header."""
    handler.reply(CAPTURE, Content_Security_Policy="sandbox allow-scripts")


def tone():
    """A second of 440 Hz, as a file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, 8_000, 0, "NONE", ""))
        writer.writeframes(b"".join(struct.pack("<h", int(8_000 * math.sin(n * math.tau * 440 / 8_000))) for n in range(8_000)))
    return file.getvalue()


TONE = tone()


def cached(handler):
    """A page that may be kept for an hour, and is still good when somebody asks."""
    if handler.headers.get("If-None-Match") == '"one"':
        return handler.reply("", status=304, ETag='"one"', Cache_Control="max-age=3600")
    handler.reply("<title>cached</title>", ETag='"one"', Cache_Control="max-age=3600")


def private(handler):
    if handler.headers.get("Authorization") == "Basic YWxpY2U6c2VjcmV0":  # alice:secret
        return handler.reply("<title>private</title>")
    handler.reply("<title>who are you?</title>", status=401, WWW_Authenticate='Basic realm="staff"')


def redirect(to):
    return lambda handler: handler.reply("", status=302, Location=to)


PAGES = {
    "/capture": CAPTURE, "/dialogs": DIALOGS, "/inner": INNER,
    "/frame": frame(""), "/delegating": frame('allow="camera; microphone"'),
    "/quiet-frame": frame('allow="camera; microphone"', "?quiet"), "/holder": holder,
    "/nested": framed('<iframe src="/holder"></iframe>'),
    "/srcdoc": framed("""<iframe srcdoc='<iframe allow="camera" src="FOREIGN"></iframe>'></iframe>"""),
    "/object": framed('<object data="/holder" type="text/html"></object>'),
    "/embed": framed('<embed src="/holder" type="text/html">'),
    "/closed-shadow": framed("""<div id=host></div><script>document.getElementById('host').attachShadow({mode: 'closed'})
        .innerHTML = '<iframe allow="camera" src="FOREIGN"></iframe>'</script>"""),
    "/gone-attribute": framed("""<iframe id=one allow="camera" src="FOREIGN?quiet"></iframe><script>
        onload = () => { one.removeAttribute('allow'); one.contentWindow.postMessage('ask', '*'); }</script>"""),
    "/sandboxed": sandboxed, "/private": private,
    # It hangs from the moment on in which it asks the server for something more.
    "/hangs": """<title>hangs</title><script>onload = () => setTimeout(() => { const last = new XMLHttpRequest();
        last.open('GET', '/hanging', false); last.send(); while (true); }, 300)</script>""",
    # On a slow machine all come to one; another comes later.
    "/opener": """<title>opener</title><script>const go = () => location = 'outside:frame';
        for (let n = 0; n < 50; n += 1) setTimeout(go, n); setTimeout(go, 2000)</script>""",
    "/opening-frame": framed("""<iframe src="FOREIGN?quiet"></iframe><iframe src="/opener"></iframe>"""),
    "/nags": """<title>nags</title><script>onload = () => setTimeout(() => { alert('Call us now'); location.reload(); }, 50)
        </script>""",
    # What it takes a server far away to answer.
    "/far": lambda handler: (time.sleep(0.7), handler.reply("<title>far</title>")),
    # It opens a window when it is touched, and says what it got.
    "/popper": "<title>popper</title><script>" + TELL + """onpointerup = () => {
        const other = open('/plain?opened'); tell('window ' + (other ? 'there' : 'none')); }</script><body>Touch me</body>""",
    # Scripts that a test runs count as a person's touch: what a page does by itself, it does by itself.
    "/film": "<title>film</title><video id=film></video><script>" + TELL + """onload = async () => {
        film.srcObject = await navigator.mediaDevices.getUserMedia({video: true});
        try { await film.play(); } catch (error) { return tell('refused ' + error.name); }
        tell('playing ' + film.webkitDisplayingFullscreen); }</script>""",
    "/sound": "<title>sound</title><script>" + TELL + """
        const play = (when) => new Audio('/tone').play().then(() => tell(when + ' playing'), (error) => tell(when + ' refused ' + error.name));
        onload = () => play('alone');
        onpointerup = () => play('touched');</script><body>Sound</body>""",
    "/tone": lambda handler: handler.reply(TONE, kind="audio/wav"),
    "/cached": lambda handler: cached(handler),
    "/plain": "<title>plain</title><body>Nothing to see</body>",
    "/links": """<title>links</title><a id=app href="MyApp://callback?code=1">app</a>
        <a id=outside href="outside:number/5">outside</a> <a id=nobody href="nobody-knows:5">nobody</a>
        <a id=window target=_blank href="/plain">window</a> <a id=file href="/file">file</a>""",
    "/to-app": redirect("myapp://callback?code=302"), "/to-outside": redirect("outside:number/302"),
    "/file": lambda handler: handler.reply(b"12345", kind="application/octet-stream",
                                           Content_Disposition='attachment; filename="../../evil name.bin"'),
    "/unload": "<title>unload</title><script>" + TELL + """onpointerup = () => tell('touched');
        onbeforeunload = (event) => event.preventDefault()</script><body>Stay</body>""",
}


@pytest.fixture(scope="module")
def screen():
    screen = Screen(1000, 720)
    yield screen
    screen.close()


@pytest.fixture(scope="module")
def desktop(screen):
    desktop = Desktop(screen)
    desktop.register("outside", f'echo "$1" >> {desktop.home}/opened')
    yield desktop
    desktop.close()


@pytest.fixture(scope="module")
def site():
    site = Site(PAGES)
    yield site
    site.close()


@pytest.fixture(scope="module")
def windows(desktop):
    """The window that most tests share, as the first of a list: another one takes its place if it is lost."""
    windows = [WebView(desktop, "--app", "myapp")]
    yield windows
    for view in windows:
        view.close()


@pytest.fixture
def shared(desktop, windows):
    """One window for the tests that need nothing special; each has an origin of its own."""
    if not windows[0].is_running():
        windows.insert(0, WebView(desktop, "--app", "myapp"))
    return windows[0]


@pytest.fixture
def opened(desktop, request):
    """Windows with options of their own."""
    views = []

    def make(*options):
        views.append(WebView(desktop, *options))
        return views[-1]

    yield make
    for view in views:
        view.close()


@pytest.fixture
def at(site, shared):
    """Shows a page of an origin of its own in the shared window."""
    def show(path, host):
        shared.do("load", site.url(path, f"{host}.localhost"))
        shared.wait("finished", url=site.url(path, f"{host}.localhost"))
        return shared
    return show


def run(view, script):
    """Runs a script whose outcome is waited for by the title."""
    view.do("run", " ".join(script.split()))


# Permission

def test_granted_and_asked_once(at, site):
    view = at("/capture", "granted")
    run(view, "names()")
    assert view.title("devices") == "devices audioinput:|videoinput:"  # a name tells something about the person
    run(view, "go()")
    panel = view.wait("panel")
    assert panel["title"] == f"granted.localhost:{site.port} wants to use your microphone and camera"
    view.do("accept")
    assert view.title("granted") == "granted audio+video"
    run(view, "names()")
    assert re.search(r"audioinput:Mock.*videoinput:Mock", view.title("devices"))
    for _ in range(2):
        view.do("reload")
        view.wait("finished")
        run(view, "go()")
        assert view.title("granted") == "granted audio+video"
        run(view, "go({video: true})")
        assert view.title("granted") == "granted video"
    assert len([line for line in view.lines if line["event"] == "panel" and "granted" in line["title"]]) == 1


def test_denied_and_remembered(at):
    view = at("/capture", "denied")
    run(view, "go()")
    view.wait("panel")
    view.do("cancel")
    assert view.title("refused") == "refused NotAllowedError"
    view.do("reload")
    view.wait("finished")
    run(view, "go({audio: true})")
    assert view.title("refused") == "refused NotAllowedError"
    assert not [line for line in view.lines if line["event"] == "panel" and "denied" in line["title"]][1:]


def test_dismissed_is_no_answer(at):
    view = at("/capture", "dismissed")
    run(view, "go()")
    view.wait("panel")
    view.do("dismiss")
    assert view.title("refused") == "refused NotAllowedError"
    view.do("reload")
    view.wait("finished")
    run(view, "go()")
    view.wait("panel")
    view.do("accept")
    view.title("granted")


def test_many_at_once_make_one_question(at):
    view = at("/capture", "crowd")
    run(view, "crowd()")
    view.wait("panel")
    view.do("accept")
    assert view.title("crowd") == "crowd " + ",".join(["granted audio+video"] * 4)
    assert view.never("panel")


def test_revoked(at, site):
    view = at("/capture", "revoked")
    run(view, "go()")
    view.wait("panel")
    view.do("accept")
    view.title("granted")
    view.do("revoke", site.origin("revoked.localhost"))
    view.wait("capture", kind="camera", state="none")
    view.wait("finished")
    run(view, "go()")
    view.wait("panel")
    view.do("cancel")
    view.title("refused")


def test_a_trusted_origin_is_never_asked_about(opened, site):
    view = opened("--trust", f"http://*.trusted.localhost:{site.port}")
    for name in ("a", "b"):
        view.do("open", site.url("/capture", f"{name}.trusted.localhost"))  # the second in place of the first
        view.wait("finished")
        run(view, "go()")
        assert view.title("granted") == "granted audio+video"
    assert not [line for line in view.lines if line["event"] == "panel"]
    view.do("decide", site.origin("a.trusted.localhost"))
    times = view.wait("decision")
    assert times["median"] < 1_000, times  # microseconds


def test_a_trusted_page_that_the_app_itself_may_not_serve(opened, site):
    view = opened("--trust", site.origin("t.localhost"), "--refuse", "camera", "--anyway")
    view.do("open", site.url("/capture", "t.localhost"))
    view.wait("finished")
    run(view, "go()")
    assert view.title("refused") == "refused NotAllowedError"
    run(view, "go({audio: true})")
    assert view.title("granted") == "granted audio"


def test_after_a_refusal_of_the_system_nothing_is_loaded(opened, site):
    view = opened("--refuse", "microphone")
    before = site.count("/capture")
    view.do("open", site.url("/capture", "never.localhost"))
    assert view.wait("refused-capture")["kinds"] == ["microphone"]
    view.title("No permission for the microphone")
    text = view.script("document.body.innerText")
    assert "this app has no permission to use it" in text and "Privacy" in text and "Try again" in text
    assert site.count("/capture") == before
    run(view, "document.querySelector('a').click()")
    assert view.wait("refused-capture")["kinds"] == ["microphone"]
    view.do("load", site.url("/plain", "never.localhost"))  # whatever was on its way before is there by then
    view.title("plain")
    assert site.count("/capture") == before


def test_frames_of_another_origin(at, shared):
    # Without the page's leave, WebKit refuses; the page itself may ask all the same.
    view = at("/frame", "page-a")
    assert view.title("frame") == "frame refused NotAllowedError"
    run(view, "go()")
    assert "page-a.localhost" in view.wait("panel")["title"]
    view.do("accept")
    view.title("granted")
    # With it, the frame is refused by us, and nobody is asked.
    shared.do("load", "about:blank")
    view = at("/delegating", "page-b")
    assert view.title("frame") == "frame refused NotAllowedError"
    assert view.never("panel")


@pytest.mark.parametrize("path", ["/nested", "/srcdoc", "/object", "/embed", "/closed-shadow", "/gone-attribute"])
def test_frames_that_are_hidden_in_a_trusted_page(opened, site, path):
    view = opened("--trust", site.origin("host.localhost"))
    view.do("load", site.url(path, "host.localhost"))
    assert view.title("frame") == "frame refused NotAllowedError"
    assert view.never("panel", "capture")


def test_a_frame_that_comes_back_with_its_page(opened, site):
    view = opened("--trust", site.origin("host.localhost"))
    there, elsewhere = site.url("/quiet-frame", "host.localhost"), site.url("/plain", "host.localhost")
    view.do("load", there)
    view.wait("finished", url=there)
    view.do("load", elsewhere)
    view.wait("finished", url=elsewhere)
    view.do("back")
    view.wait("committed", url=there)
    # Until its frame is there again, it does not answer.
    run(view, """(() => { const timer = setInterval(() => frames[0]?.postMessage('ask', '*'), 200);
        addEventListener('message', () => clearInterval(timer)); })()""")
    assert view.title("frame") == "frame refused NotAllowedError"
    assert view.never("panel", "capture")


def test_a_page_that_asks_itself_beside_a_frame_without_leave(opened, site):
    view = opened("--trust", site.origin("host.localhost"))
    view.do("load", site.url("/frame", "host.localhost"))
    assert view.title("frame") == "frame refused NotAllowedError"
    run(view, "go()")
    assert view.title("granted") == "granted audio+video"


def test_a_document_that_its_server_made_nobodys(opened, site):
    view = opened("--trust", site.origin("host.localhost"), "--calls", site.origin("host.localhost"))
    url = site.url("/sandboxed", "host.localhost")
    view.do("load", url)
    view.wait("finished", url=url)
    run(view, "duet.call('bob'); go()")
    view.title("refused")
    assert view.never("panel", "capture", "call")


def test_frames_that_the_app_lets_ask(opened, site):
    view = opened("--frames")
    view.do("load", site.url("/delegating", "outer.localhost"))
    # WebKitGTK does not say which of the two asks: so the page answers for both.
    panel = view.wait("panel")
    assert panel["title"] == f"outer.localhost:{site.port} wants to use your camera"
    assert f"inner.localhost:{site.port}" in panel["message"]
    view.do("accept")
    assert view.title("frame") == "frame granted"
    view.wait("capture", kind="camera", state="active")
    view.do("revoke", site.origin("inner.localhost"))
    view.wait("capture", kind="camera", state="none")
    assert view.wait("panel")["title"] == f"outer.localhost:{site.port} wants to use your camera"
    view.do("cancel")
    assert view.title("frame") == "frame refused NotAllowedError"


def test_audio_and_video_asked_for_apart(at):
    # WebKit hands over one request of a page after the other: the second is there once the first is answered.
    both = "Promise.all([capture({audio: true}), capture({video: true})]).then((all) => tell('apart ' + all.join()))"
    view = at("/capture", "apart")
    run(view, both)
    assert view.wait("panel")["title"].endswith("your microphone")
    view.do("cancel")
    assert view.title("apart") == "apart refused NotAllowedError,refused NotAllowedError"
    assert view.never("panel")
    view = at("/capture", "apart-2")
    run(view, both)
    assert view.wait("panel")["title"].endswith("your microphone")
    view.do("accept")
    assert view.wait("panel")["title"].endswith("your camera")
    view.do("accept")
    assert view.title("apart") == "apart granted audio,granted video"


def test_two_windows_that_want_the_same_page_make_one_question(opened, site):
    view = opened()
    url = site.url("/capture", "windows.localhost")
    view.do("load", url)
    view.wait("finished", url=url)
    run(view, "go({audio: true})")
    view.wait("panel")
    view.do("window")
    view.do("load", url)
    view.wait("finished", url=url)
    run(view, "go({video: true})")
    title = f"windows.localhost:{site.port} wants to use your microphone and camera"
    view.wait("panel", title=title)
    view.do("accept-all")
    view.title("granted")


def test_right_after_a_refusal_nothing_is_asked(at):
    view = at("/capture", "again")
    run(view, "capture({audio: true}).then(() => capture({video: true})).then((said) => tell('then ' + said))")
    view.wait("panel")
    view.do("cancel")
    assert view.title("then") == "then refused NotAllowedError"
    assert view.never("panel")


def test_answers_outlive_the_program(opened, site, tmp_path):
    for number in (1, 2):
        view = opened("--permissions", str(tmp_path / "permissions.json"), "--keep")
        view.do("load", site.url("/capture", "kept.localhost"))
        view.wait("finished")
        run(view, "go()")
        if number == 1:
            view.wait("panel")
            view.do("accept")
        view.title("granted")
        assert len([line for line in view.lines if line["event"] == "panel"]) == 2 - number
        view.close()


def test_capture_states_and_muting(at):
    view = at("/capture", "states")
    run(view, "go()")
    view.wait("panel")
    view.do("accept")
    for kind in ("camera", "microphone"):
        view.wait("capture", kind=kind, state="active")
    run(view, "stream.getVideoTracks()[0].onmute = () => document.title = 'muted', "
        "stream.getVideoTracks()[0].onunmute = () => document.title = 'unmuted'")
    view.do("mute", "camera")
    view.wait("capture", kind="camera", state="muted")
    view.title("muted")
    view.do("unmute", "camera")
    view.wait("capture", kind="camera", state="active")
    view.title("unmuted")
    run(view, "stream.getTracks().forEach((track) => track.stop())")
    for kind in ("camera", "microphone"):
        view.wait("capture", kind=kind, state="none")


def test_the_page_of_devices(at):
    """Like the sample `input-output` of webrtc.github.io: a picture, and other devices chosen from lists."""
    view = at("/capture", "devices")
    run(view, "go()")
    view.wait("panel")
    view.do("accept")
    view.title("granted")
    run(view, """(async () => {
      const film = document.body.appendChild(document.createElement('video'));
      film.playsInline = film.autoplay = film.muted = true;
      const wait = (what) => new Promise((resolve) => film.addEventListener(what, resolve, {once: true}));
      const seen = [];
      for (const kind of ['videoinput', 'audioinput']) {
        for (const device of (await media.enumerateDevices()).filter((device) => device.kind == kind)) {
          const name = kind == 'videoinput' ? 'video' : 'audio';
          stream.getTracks().forEach((track) => track.stop());
          window.stream = await media.getUserMedia({[name]: {deviceId: {exact: device.deviceId}}});
          seen.push(stream.getTracks()[0].label == device.label && stream.getTracks()[0].readyState);
          if (kind == 'videoinput') {
            film.srcObject = stream;
            await wait('loadedmetadata');
            /* WebKit may know the size only with the first picture. */
            for (let tries = 0; !film.videoWidth && tries < 100; tries++) await new Promise((go) => setTimeout(go, 100));
            seen.push(film.videoWidth > 0);
          }
        }
      }
      document.title = 'seen ' + seen.join(' ');
    })()""")
    assert view.title("seen", timeout=60) == "seen live true live true live live live"


def test_a_call_in_a_page(opened, site):
    view = opened("--calls", site.origin("calls.localhost"))
    view.do("load", site.url("/plain", "calls.localhost"))
    view.title("plain")
    run(view, "duet.call('bob').then(() => document.title = 'calling')")
    assert view.wait("call")["peer"] == "bob"
    view.title("calling")
    run(view, "duet.call('nobody').catch((error) => document.title = error.name + ': ' + error.message)")
    assert view.title("OperationError") == "OperationError: nobody is not there"
    run(view, "duet.statistics().then((all) => document.title = 'sent ' + all.bytesSent)")
    assert view.title("sent") == "sent 1200"
    run(view, "duet.addEventListener('incoming', (event) => { document.title = event.detail.peer; duet.answer(false); })")
    view.do("incoming", "it's <alice> \\ \"a\"")
    assert view.wait("answer")["accept"] is False
    assert view.title("it's") == "it's <alice> \\ \"a\""
    run(view, "duet.setMuted('microphone', true).then(() => duet.hangUp())")
    assert view.wait("muted")["track"] == "microphone"
    view.wait("hang-up")
    # Another origin has the words and nobody who hears them; nor can a page speak to the app past our script.
    view.do("load", site.url("/plain", "others.localhost"))
    view.wait("finished", url=site.url("/plain", "others.localhost"))
    run(view, "duet.call('bob'); window.webkit?.messageHandlers?.duetBridge?.postMessage('x'); document.title = 'asked'")
    view.title("asked")
    assert view.never("call")
    assert view.script("String(window.webkit?.messageHandlers?.duetBridge)") == "undefined"
    assert view.script("String(window.webkit?.messageHandlers?.duetFrames)") == "undefined"


# Dialogs

def test_dialogs_and_their_answers(at, site):
    view = at("/dialogs", "dialogs")
    run(view, "later(() => say(alert('Hello\\u202E there')))")
    panel = view.wait("panel")
    assert (panel["title"], panel["message"], panel["cancel"]) == (
        f"dialogs.localhost:{site.port} says", "Hello there", None)
    view.do("accept")
    assert view.title("said") == 'said "undefined"'
    for answer, said in (("accept", "true"), ("cancel", "false")):
        run(view, "later(() => say(confirm('Really?')))")
        assert view.wait("panel")["cancel"] == "Cancel"
        view.do(answer)
        assert view.title("said") == f"said {said}"
    for answer, said in ((("accept",), '"blue"'), (("accept", "green"), '"green"'), (("cancel",), "null")):
        run(view, "later(() => say(prompt('Which?', 'blue')))")
        assert view.wait("panel")["text"] == "blue"
        view.do(*answer)
        assert view.title("said") == f"said {said}"


def test_dialogs_by_mouse_and_keys(at):
    view = at("/dialogs", "keys")
    run(view, "later(() => say(prompt('Which?', 'blue')))")
    view.wait("panel")
    time.sleep(0.5)  # nobody types at a panel that is not painted yet
    view.press("y")  # the prefilled text is selected: typing replaces it
    view.press("Return")
    assert view.title("said") == 'said "y"'
    run(view, "later(() => say(confirm('Really?')))")
    view.wait("panel")
    view.press("Escape")
    assert view.title("said") == "said false"
    run(view, "later(() => say(confirm('Really?')))")
    view.wait("panel")
    view.press("Return")
    assert view.title("said") == "said true"


def test_the_text_of_each_dialog_is_selected(at):
    """Also after one whose text stayed selected until its end."""
    view = at("/dialogs", "selected")
    for _ in range(4):
        run(view, "later(() => { const said = [prompt('One', 'red'), prompt('Two', 'blue')]; say(said.join()); })")
        view.wait("panel", message="One")
        view.do("accept")
        view.wait("panel", message="Two")
        time.sleep(0.3)
        view.press("y")
        view.press("Return")
        assert view.title("said") == 'said "red,y"'


def test_a_flood_of_dialogs_ends(at):
    view = at("/dialogs", "flood")
    run(view, "later(() => { let shown = 0; for (let n = 0; n < 60; n += 1) shown += confirm('Again ' + n) ? 1 : 0; say(shown); })")
    shown = 0
    for number in range(10):
        panel = view.wait("panel", message=f"Again {number}")
        assert panel["silence"] == (number > 0)
        shown += 1
        view.do("accept")
    assert view.title("said") == "said 10"
    assert shown == 10 and view.never("panel")
    view.do("reload")  # another page may speak again, until the person has enough
    view.wait("finished")
    run(view, "later(() => { const all = []; for (let n = 0; n < 5; n += 1) all.push(confirm('Once more')); say(all.join()); })")
    view.wait("panel")
    view.do("accept")
    view.wait("panel")
    view.do("silence")
    assert view.title("said") == 'said "true,true,false,false,false"'


def test_a_page_that_loads_itself_anew_to_nag(at, shared, site):
    view = at("/nags", "nags")
    shown = 0
    for number in range(10):
        panel = view.wait("panel")
        # Where more than ten seconds pass in ten of them, a slow machine has been slower than the limit.
        shown += panel["silence"]
        view.do("silence" if panel["silence"] else "accept")
        if panel["silence"]:
            break
    assert shown == 1, "the second one offers to be the last"
    view.wait("finished", url=site.url("/nags", "nags.localhost"))
    assert view.never("panel")
    # It goes on loading itself, and is left all the same.
    at("/far", "left")


def test_a_dialog_keeps_nobody_from_leaving(at, shared, site):
    view = at("/nags", "speaks")
    view.wait("panel")
    at("/plain", "left-speaking")


def test_another_page_takes_the_dialog_away(at, site, shared):
    view = at("/capture", "gone")
    run(view, "go()")
    view.wait("panel")
    view.do("load", site.url("/plain", "gone.localhost"))
    view.wait("no-panel")
    view.wait("finished", url=site.url("/plain", "gone.localhost"))


# Navigation

@pytest.mark.parametrize("how", ["link", "script", "302"])
def test_the_apps_own_scheme(at, site, how):
    view = at("/links", "custom")
    if how == "302":
        view.do("load", site.url("/to-app", "custom.localhost"))
    elif how == "link":
        run(view, "document.getElementById('app').click()")
    else:
        run(view, "location = 'myapp://callback?code=1'")
    url = view.wait("app-url")["url"]
    assert url.lower() == f"myapp://callback?code={'302' if how == '302' else '1'}"
    assert view.never("failed-provisionally")
    assert view.script("document.title") == "links"  # the page stays, and no error is shown


def test_schemes_of_other_programs(at, desktop, site):
    view = at("/links", "outside")
    opened = desktop.home / "opened"
    for number, start in ((5, lambda: run(view, "document.getElementById('outside').click()")),
                          (302, lambda: view.do("load", site.url("/to-outside", "outside.localhost")))):
        start()
        assert view.wait("outside")["url"] == f"outside:number/{number}"
        wait = Wait(45)
        while not (opened.exists() and f"outside:number/{number}\n" in opened.read_text()):
            assert not wait.is_over, "the program was not started"
            time.sleep(0.02)
    run(view, "document.getElementById('nobody').click()")
    assert view.wait("refused")["url"] == "nobody-knows:5"
    assert view.script("document.title") == "links"


def test_frames_open_no_other_program(at, desktop, site):
    view = at("/opening-frame", "frames-outside")
    view.wait("refused", url="outside:frame")
    # The script of a page, by itself: one, and then somebody has to touch it.
    view.do("load", site.url("/opener", "pages-outside.localhost"))
    assert view.wait("outside")["url"] == "outside:frame"
    view.wait("refused", url="outside:frame")
    view.do("load", site.url("/plain", "pages-outside.localhost"))
    view.title("plain")
    of_frames = [line for line in view.lines if line["event"] == "outside" and line["url"] == "outside:frame"]
    assert len(of_frames) == 1, of_frames


def test_the_entry_of_the_app(shared):
    for url, ours in (("MYAPP://callback?code=1", True), ("other://callback", False), ("myapplication:x", False)):
        shared.do("handle", url)
        assert shared.wait("handled")["ours"] == ours


def test_windows_and_downloads(at, opened, site, tmp_path):
    view = at("/links", "windows")
    run(view, "document.getElementById('window').click()")
    assert view.wait("popup")["url"] == site.url("/plain", "windows.localhost")
    run(view, "document.getElementById('file').click()")
    refused = view.wait("refused-download")
    assert refused["name"] == "evil name.bin"
    assert view.script("document.title") == "links"
    view = opened("--downloads", str(tmp_path))
    view.do("load", site.url("/file"))
    path = tmp_path / "evil name.bin"
    assert view.wait("downloading")["path"] == str(path)
    assert view.wait("downloaded")["path"] == str(path)
    assert path.read_bytes() == b"12345"
    # A file that is there is not written over.
    view.do("load", site.url("/file"))
    failed = view.wait("download-failed")
    assert failed["path"] == str(path) and failed["reason"], failed
    view.do("load", site.url("/plain"))
    view.title("plain")
    assert [line["event"] for line in view.lines].count("downloaded") == 1


def test_a_window_that_a_script_wants(opened, site, screen):
    """It is left to the app, and the script is told that it has none."""
    view = opened()
    view.do("load", site.url("/popper"))
    view.title("popper")
    for _ in range(20):
        screen.click(400, 400)
        try:
            assert view.title("window", timeout=2) == "window none"
            break
        except AssertionError:
            continue  # the window was not drawn yet
    assert view.wait("popup")["url"] == site.url("/plain?opened")


def test_a_window_that_a_sign_in_may_not_open_is_said_to_the_person(opened, site):
    """The script is told that it has none, the person in a panel, and the app by an event; then the page goes on."""
    view = opened("--task", "--sign-in")
    url = site.url("/dialogs", "sign-in.localhost")
    view.do("load", url)
    view.wait("finished", url=url)
    run(view, "tell('window ' + (open('nobody-has-this:1') ? 'there' : 'none'))")
    assert view.title("window") == "window none"
    assert view.wait("refused-window")["url"] == "nobody-has-this:1"
    panel = view.wait("panel")
    assert (panel["title"], panel["cancel"], panel["text"]) == ("A window was not opened", None, None)
    assert f"sign-in.localhost:{site.port} wanted to open another window" in panel["message"]
    assert not view.events("popup"), "it is not left to an app that has no window for it"
    view.press("Return")
    view.wait("no-panel")
    run(view, "tell('goes on')")
    view.title("goes on")


def test_bound_to_origins(opened, site):
    view = opened("--bound", site.origin("bound.localhost"))
    view.do("load", site.url("/plain", "bound.localhost"))
    view.title("plain")
    run(view, f"location = '{site.url('/dialogs', 'elsewhere.localhost')}'")
    view.wait("refused", url=site.url("/dialogs", "elsewhere.localhost"))
    assert view.script("document.title") == "plain"


def test_https_only(opened, site):
    view = opened("--https-only")
    view.do("load", "http://10.77.0.1/plain")
    view.wait("refused", url="http://10.77.0.1/plain")
    assert view.wait("failed-provisionally")["title"] == "This app does not show that page"
    view.title("This app does not show that page")
    view.do("load", site.url("/plain"))  # this machine itself is as safe
    view.title("plain")


def touch(view, screen):
    """A person's touch, without which no page is asked whether it may be left."""
    for _ in range(20):
        screen.click(400, 400)
        try:
            return view.title("touched", timeout=2)
        except AssertionError:
            continue  # the window was not drawn yet
    raise AssertionError("the page was never touched")


def test_a_page_that_would_rather_not_be_left(opened, site, screen):
    view = opened()
    view.do("load", site.url("/unload", "unload.localhost"))
    view.title("unload")
    touch(view, screen)
    view.do("load", site.url("/plain", "unload.localhost"))
    assert view.wait("panel")["title"] == "Leave this page?"
    view.do("accept")
    view.wait("finished", url=site.url("/plain", "unload.localhost"))


def test_a_page_that_may_not_speak_any_more_can_be_left(opened, site, screen):
    view = opened()
    view.do("load", site.url("/unload", "silent.localhost"))
    view.title("unload")
    touch(view, screen)
    run(view, "setTimeout(() => { for (let n = 0; n < 5; n += 1) confirm('Again ' + n); tell('silenced'); }, 0)")
    view.wait("panel", message="Again 0")
    view.do("accept")
    view.wait("panel", message="Again 1")
    view.do("silence")
    view.title("silenced")
    view.do("load", site.url("/plain", "silent.localhost"))
    view.wait("finished", url=site.url("/plain", "silent.localhost"))
    assert view.never("panel")


# Trouble

def certificate(folder, name, names=("localhost",), days=30, authority=False):
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.timezone.utc)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=90))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(one) for one in names]), False)
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), True)
            .sign(key, hashes.SHA256()))
    paths = folder / f"{name}.pem", folder / f"{name}.key"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                           serialization.NoEncryption()))
    return [str(path) for path in paths], made.fingerprint(hashes.SHA256()).hex()


def test_certificates(opened, tmp_path):
    files, fingerprint = certificate(tmp_path, "unknown")
    other, _ = certificate(tmp_path, "other", days=-1)
    site, expired = Site(PAGES, files), Site(PAGES, other)
    try:
        # By code alone, and this certificate alone: another one at the same host is refused.
        view = opened("--certificate", "localhost", fingerprint)
        view.do("load", expired.url("/plain"))
        failure = view.wait("failed-provisionally")
        assert failure["title"] == "The connection is not safe" and "expired" in failure["detail"], failure
        view.do("load", site.url("/plain"))
        assert view.title("plain") == "plain"
        view = opened()
        view.do("load", site.url("/plain"))
        failure = view.wait("failed-provisionally")
        assert failure["title"] == "The connection is not safe" and "no authority" in failure["detail"], failure
        view.title("The connection is not safe")
        assert site.count("/plain") == 1
    finally:
        site.close()
        expired.close()


def test_deprecated_tls(opened, tmp_path):
    files, fingerprint = certificate(tmp_path, "old")
    site, newer = Site(PAGES, files, most=ssl.TLSVersion.TLSv1_1), Site(PAGES, files, most=ssl.TLSVersion.TLSv1_2)
    try:
        # This server does speak 1.1, with whoever still does.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.set_ciphers("ALL:@SECLEVEL=0")
        with socket.create_connection(("127.0.0.1", site.port)) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as connection:
                assert connection.version() == "TLSv1.1"
        view = opened("--certificate", "localhost", fingerprint)
        view.do("load", newer.url("/plain"))
        view.title("plain")
        view.do("load", site.url("/plain"))
        view.wait("failed-provisionally")
        assert site.count("/plain") == 0
    finally:
        site.close()
        newer.close()


def test_a_server_that_wants_a_name_and_a_password(opened, site):
    view = opened("--person", "alice", "secret")
    view.do("load", site.url("/private", "staff.localhost"))
    challenge = view.wait("challenge")
    assert (challenge["method"], challenge["realm"], challenge["host"]) == ("basic", "staff", "staff.localhost")
    assert not challenge["retry"] and not challenge["proxy"]
    view.title("private")
    view = opened("--person", "alice", "wrong")
    view.do("load", site.url("/private", "staff.localhost"))
    assert not view.wait("challenge")["retry"]
    assert view.wait("challenge", retry=True)  # which is left alone
    view.wait("finished", url=site.url("/private", "staff.localhost"))
    assert view.script("document.title") != "private"


def test_a_challenge_that_comes_before_its_load_is_said_to_have_begun(opened, site):
    view = opened("--person", "alice", "secret")
    before = site.count("/private")
    view.do("withdraw")
    view.do("load", site.url("/private", "staff.localhost"))
    view.title("private")
    view.wait("finished")  # a title is said before the page has loaded
    assert len(view.events("started")) == 1 and len(view.events("challenge")) == 1
    assert not view.events("failed-provisionally") and len(view.events("finished")) == 1
    assert site.count("/private") - before == 3  # asked, asked again, and answered


def test_a_server_that_wants_a_certificate(opened, tmp_path):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.serialization import pkcs12
    from cryptography.x509 import load_pem_x509_certificate
    files, fingerprint = certificate(tmp_path, "server")
    own, _ = certificate(tmp_path, "person", authority=True)
    key = serialization.load_pem_private_key(open(own[1], "rb").read(), None)
    proof = tmp_path / "person.p12"
    proof.write_bytes(pkcs12.serialize_key_and_certificates(
        b"person", key, load_pem_x509_certificate(open(own[0], "rb").read()), None,
        serialization.BestAvailableEncryption(b"open sesame")))
    site = Site(PAGES, files, clients=own[0])
    try:
        view = opened("--certificate", "localhost", fingerprint, "--proof", str(proof), "open sesame")
        view.do("load", site.url("/plain"))
        assert view.wait("challenge")["method"] == "clientCertificate"
        view.title("plain")
        view = opened("--certificate", "localhost", fingerprint, "--proof", str(proof), "another word")
        view.do("load", site.url("/plain"))
        assert view.wait("challenge")["method"] == "clientCertificate"
        view.wait("failed-provisionally")
        assert site.count("/plain") == 1
    finally:
        site.close()


def test_slow_and_dead_servers(opened):
    go = threading.Event()
    stalled = threading.Event()

    def slow(handler):
        go.wait(20)
        handler.reply("<title>at last</title>")

    def half(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        handler.wfile.write(b"<title>half</title><body>The beginning" + b" " * 20_000)
        handler.wfile.flush()
        stalled.wait(20)

    site = Site({"/slow": slow, "/half": half})
    view = opened("--timeout", "60")
    try:
        view.do("load", site.url("/plain"))  # programs that have to be started are not what is waited for here
        view.title("nothing here")
        view.do("timeout", "1")
        view.do("load", site.url("/slow"))
        failure = view.wait("failed-provisionally")
        assert failure["title"] == "The server takes too long to answer"
        view.title("The server takes too long to answer")
        text = view.script("document.body.innerText")
        assert f"localhost:{site.port}" in text and "Try again" in text
        go.set()
        view.do("timeout", "60")
        run(view, "document.querySelector('a').click()")
        view.title("at last")
        # What is there of a page stays, and the app is told.
        view.do("load", site.url("/half"))
        view.wait("committed", url=site.url("/half"))
        view.do("timeout", "1")
        assert view.wait("failed")["title"] == "The server takes too long to answer"
        assert view.script("document.body.innerText").startswith("The beginning")
        stalled.set()
        view.do("timeout", "60")
        port = free_port()
        view.do("load", f"http://localhost:{port}/")
        assert view.wait("failed-provisionally")["title"] == "The server cannot be reached"
        view.title("The server cannot be reached")
        view.do("load", "http://localhost:9/")  # a port that the Fetch standard keeps from pages
        assert view.wait("failed-provisionally")["title"] == "This address cannot be shown"
        view.title("This address cannot be shown")
    finally:
        go.set()
        stalled.set()
        site.close()


def test_the_web_process_ends(opened, site):
    view = opened()
    view.do("load", site.url("/plain"))
    view.title("plain")
    for _ in range(3):
        view.do("crash")
        assert view.wait("process-ended")["reloading"]
        view.wait("finished", url=site.url("/plain"))
    view.do("crash")
    assert not view.wait("process-ended")["reloading"]
    view.title("The page stopped working")
    run(view, "document.querySelector('a').click()")
    view.title("plain")


def test_a_page_that_hangs(opened, site):
    view = opened("--timeout", "60")
    view.do("load", site.url("/hangs", "hangs.localhost"))
    view.wait("finished", url=site.url("/hangs", "hangs.localhost"))
    wait = Wait(45)
    while not site.count("/hanging"):
        assert not wait.is_over, "it does not hang"
        time.sleep(0.05)
    view.do("timeout", "1")
    view.do("load", site.url("/plain", "hangs.localhost"))
    view.wait("failed-provisionally")
    # Neither that page nor ours can be shown by this process: after ten seconds another one shows it.
    view.do("timeout", "60")
    view.do("load", site.url("/plain", "hangs.localhost"))
    view.wait("finished", timeout=60, url=site.url("/plain", "hangs.localhost"))
    assert view.script("document.title") == "plain"


def test_the_command(desktop, site):
    """`duet web` on a machine without cameras, microphones and portal, which is nothing to wait for."""
    process = subprocess.Popen(
        [DUET, "web", site.url("/capture", "command.localhost"), "--ephemeral", "--verbose"], env=desktop.environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(iter(process.stdout.readline, "")), daemon=True)
        reader.start()
        wait = Wait(60)
        while not any(line.startswith("shown") for line in lines):
            assert not wait.is_over and process.poll() is None, lines
            time.sleep(0.05)
        assert not any(line.startswith("no permission") for line in lines), lines
    finally:
        process.terminate()
        process.wait()
    done = subprocess.run([DUET, "web", "http://example.com/"], env=desktop.environment, capture_output=True, text=True,
                          timeout=at_most(60))
    assert done.returncode != 0 and "unencrypted" in done.stderr, done


def test_a_second_view_shares_the_network_process(opened, site):
    from pathlib import Path

    def network_processes(view):
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    line = (folder / "cmdline").read_bytes().split(b"\0")
                    parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                except (OSError, IndexError):
                    continue
                if line[0].endswith(b"WebKitNetworkProcess") and parent == view.process.pid:
                    found.append(folder.name)
        return found

    view = opened()
    view.do("load", site.url("/plain"))
    view.title("plain")
    first = network_processes(view)
    assert len(first) == 1
    view.do("window")
    view.do("load", site.url("/links"))
    view.title("links")
    assert network_processes(view) == first


# What seed 000 promises of media, of the cache, and of a page that is on its way

def test_films_play_in_the_page(opened, site):
    """By themselves. Over the whole screen, where an app wants it so, nothing may begin without a person's touch."""
    for options, title in [((), "playing false"), (("--no-inline",), "refused NotAllowedError")]:
        view = opened("--trust", site.origin(), *options)
        view.do("load", site.url("/film"))
        assert view.title(title.split()[0]) == title


def test_sound_waits_for_nobody_unless_the_app_says_so(opened, site, screen):
    view = opened()
    view.do("load", site.url("/sound"))
    assert view.title("alone") == "alone playing"
    view = opened("--user-action")
    view.do("load", site.url("/sound"))
    assert view.title("alone") == "alone refused NotAllowedError"
    for _ in range(20):
        screen.click(400, 400)
        try:
            assert view.title("touched", timeout=2) == "touched playing"
            return
        except AssertionError:
            continue  # the window was not drawn yet
    raise AssertionError("a person's touch does not help")


def test_what_is_cached_is_asked_about(opened, site):
    """A page that the app loads is shown from the cache once its server says that it is good; a link's takes it as it is."""
    def conditions():
        with site.lock:
            return [headers.get("If-None-Match") for _, path, _, headers in site.hits if path == "/cached"]

    view = opened("--keep")
    for path in ("/cached", "/plain", "/cached", "/plain"):
        view.do("load", site.url(path))
        view.wait("finished", url=site.url(path))
    assert conditions() == [None, '"one"']
    run(view, f"location = '{site.url('/cached')}'")
    view.wait("finished", url=site.url("/cached"))
    assert view.script("document.title") == "cached" and len(conditions()) == 2, "the cache has it"
