"""A real WebKitGTK with cameras and microphones that exist in it alone: what pages may do, and what they are told."""
import datetime
import re
import ssl
import threading
import time

import pytest

from peers.screen import Screen
from peers.web_view import Desktop, Site, WebView, free_port

pytestmark = pytest.mark.timeout(120)

CAPTURE = """<title>ready</title><script>
const media = navigator.mediaDevices;
async function capture(want) {
  try {
    window.stream = await media.getUserMedia(want);
    return 'granted ' + stream.getTracks().map((track) => track.kind).sort().join('+');
  } catch (error) { return 'refused ' + error.name; }
}
async function go(want = {audio: true, video: true}) { document.title = '…'; document.title = await capture(want); }
async function names() {
  document.title = '…';
  const devices = await media.enumerateDevices();
  document.title = 'devices ' + devices.map((device) => device.kind + ':' + device.label).join('|');
}
async function crowd() {
  document.title = '…';
  const all = await Promise.all([1, 2, 3, 4].flatMap(() => [capture({audio: true, video: true}), media.enumerateDevices()]));
  document.title = 'crowd ' + all.filter((one) => typeof one == 'string').join(',');
}
</script><body>A page that captures</body>"""

DIALOGS = """<title>ready</title><script>
function say(value) { document.title = 'said ' + JSON.stringify(value === undefined ? 'undefined' : value); }
const later = (body) => setTimeout(body, 0);
</script><body>A page that asks</body>"""

INNER = """<script>navigator.mediaDevices.getUserMedia({video: true}).then(
  () => parent.postMessage('granted', '*'), (error) => parent.postMessage('refused ' + error.name, '*'))</script>"""


def frame(attribute):
    def page(handler):
        port = handler.server.site.port
        handler.reply(CAPTURE + f"""<script>onmessage = (event) => {{ document.title = 'frame ' + event.data; }}</script>
            <iframe {attribute} src="http://inner.localhost:{port}/inner"></iframe>""")
    return page


def redirect(to):
    return lambda handler: handler.reply("", status=302, Location=to)


PAGES = {
    "/capture": CAPTURE, "/dialogs": DIALOGS, "/inner": INNER,
    "/frame": frame(""), "/delegating": frame('allow="camera; microphone"'),
    "/plain": "<title>plain</title><body>Nothing to see</body>",
    "/links": """<title>links</title><a id=app href="MyApp://callback?code=1">app</a>
        <a id=outside href="outside:number/5">outside</a> <a id=nobody href="nobody-knows:5">nobody</a>
        <a id=window target=_blank href="/plain">window</a> <a id=file href="/file">file</a>""",
    "/to-app": redirect("myapp://callback?code=302"), "/to-outside": redirect("outside:number/302"),
    "/file": lambda handler: handler.reply(b"12345", kind="application/octet-stream",
                                           Content_Disposition='attachment; filename="../../evil name.bin"'),
    "/unload": "<title>unload</title><script>onbeforeunload = (event) => event.preventDefault()</script><body>Stay</body>",
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
def shared(desktop):
    """One window for the tests that need nothing special; each has an origin of its own."""
    view = WebView(desktop, "--app", "myapp")
    yield view
    view.close()


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

@pytest.mark.smoke
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
    before = len(view.lines)
    view.do("accept")
    assert view.title("crowd") == "crowd " + ",".join(["granted audio+video"] * 4)
    assert not [line for line in view.lines[before:] if line["event"] == "panel"]


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
        view.do("open", site.url("/capture", f"{name}.trusted.localhost"))
        view.do("load", site.url("/capture", f"{name}.trusted.localhost"))
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
    assert not view.events("panel")


def test_frames_that_the_app_lets_ask(opened, site):
    view = opened("--frames")
    view.do("load", site.url("/delegating", "outer.localhost"))
    panel = view.wait("panel")
    assert panel["title"] == f"inner.localhost:{site.port} wants to use your camera"
    assert f"outer.localhost:{site.port}" in panel["message"]
    view.do("accept")
    assert view.title("frame") == "frame granted"


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
          if (kind == 'videoinput') { film.srcObject = stream; await wait('loadedmetadata'); seen.push(film.videoWidth > 0); }
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
    assert view.script("String(window.webkit?.messageHandlers?.duetBridge)") == "undefined"
    assert not view.events("call")


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


def test_dialogs_by_mouse_and_keys(at, screen):
    view = at("/dialogs", "keys")
    run(view, "later(() => say(prompt('Which?', 'blue')))")
    view.wait("panel")
    screen.press("y")  # the prefilled text is selected: typing replaces it
    screen.press("Return")
    assert view.title("said") == 'said "y"'
    run(view, "later(() => say(confirm('Really?')))")
    view.wait("panel")
    screen.press("Escape")
    assert view.title("said") == "said false"
    run(view, "later(() => say(confirm('Really?')))")
    view.wait("panel")
    screen.press("Return")
    assert view.title("said") == "said true"


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
    assert shown == 10 and not view.events("panel")
    view.do("reload")  # another page may speak again, until the person has enough
    view.wait("finished")
    run(view, "later(() => { const all = []; for (let n = 0; n < 5; n += 1) all.push(confirm('Once more')); say(all.join()); })")
    view.wait("panel")
    view.do("accept")
    view.wait("panel")
    view.do("silence")
    assert view.title("said") == 'said "true,true,false,false,false"'


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
    assert view.script("document.title") == "links"  # the page stays, and no error is shown
    assert not view.events("failed-provisionally")


def test_schemes_of_other_programs(at, desktop, site):
    view = at("/links", "outside")
    opened = desktop.home / "opened"
    for number, start in ((5, lambda: run(view, "document.getElementById('outside').click()")),
                          (302, lambda: view.do("load", site.url("/to-outside", "outside.localhost")))):
        start()
        assert view.wait("outside")["url"] == f"outside:number/{number}"
        end = time.monotonic() + 10
        while not (opened.exists() and f"outside:number/{number}\n" in opened.read_text()):
            assert time.monotonic() < end, "the program was not started"
            time.sleep(0.02)
    run(view, "document.getElementById('nobody').click()")
    assert view.wait("refused")["url"] == "nobody-knows:5"
    assert view.script("document.title") == "links"


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
    end = time.monotonic() + 10
    while not (path.exists() and path.read_bytes() == b"12345"):
        assert time.monotonic() < end, list(tmp_path.iterdir())
        time.sleep(0.02)


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
    view.do("load", site.url("/plain"))  # this machine itself is as safe
    view.title("plain")


def test_a_page_that_would_rather_not_be_left(at, site, screen):
    view = at("/unload", "unload")
    screen.click(400, 400)  # without a person's touch there is no question
    view.do("load", site.url("/plain", "unload.localhost"))
    if view.wait("panel")["title"] == "Leave this page?":
        view.do("accept")
    view.wait("finished", url=site.url("/plain", "unload.localhost"))


# Trouble

def certificate(folder, name, names=("localhost",), days=30):
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
    site = Site(PAGES, files, most=ssl.TLSVersion.TLSv1_1)
    try:
        view = opened("--certificate", "localhost", fingerprint)
        view.do("load", site.url("/plain"))
        view.wait("failed-provisionally")
        assert site.count("/plain") == 0
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
    view = opened("--timeout", "1")
    try:
        view.do("load", site.url("/slow"))
        failure = view.wait("failed-provisionally")
        assert failure["title"] == "The server takes too long to answer"
        view.title("The server takes too long to answer")
        text = view.script("document.body.innerText")
        assert f"localhost:{site.port}" in text and "Try again" in text
        go.set()
        run(view, "document.querySelector('a').click()")
        view.title("at last")
        # What is there of a page stays, and the app is told.
        view.do("load", site.url("/half"))
        assert view.wait("failed")["title"] == "The server takes too long to answer"
        assert view.script("document.body.innerText").startswith("The beginning")
        stalled.set()
        # Nobody there; then somebody is.
        port = free_port()
        view.do("load", f"http://localhost:{port}/")
        assert view.wait("failed-provisionally")["title"] == "The server cannot be reached"
        view.title("The server cannot be reached")
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
