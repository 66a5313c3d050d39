"""Page to page through the server: every way a call can go, and what it survives."""
import random
import re
import subprocess
import time
from pathlib import Path

import pytest

from peers.page import CallPage, Server, closing_without_errors

SPECIFICATION = Path(__file__).parents[2] / "docs" / "security.md"

pytestmark = pytest.mark.timeout(240)  # two or three pages that send and show pictures, on a machine that may be busy


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture(scope="module")
def metered_server():
    server = Server("--metrics")
    yield server
    server.close()


@pytest.fixture
def own_server():
    """For tests that kill it."""
    server = Server()
    yield server
    server.close()


@pytest.fixture
def pages(browser, request):
    """Makes pages, and demands at the end that none of them complained."""
    with closing_without_errors() as made:
        def make(server, name=None, **options):
            made.append(CallPage(browser, server, name, **options))
            return made[-1]

        yield make


@pytest.fixture(scope="module")
def verifier(browser, server):
    """A page whose parts are tried one by one."""
    page = CallPage(browser, server)
    yield page.page
    page.close()


@pytest.fixture
def people():
    """Names of one test only: its calls are nobody else's."""
    number = random.randrange(10**9)
    return [f"{name}.{number}" for name in ("alice", "bob", "carol")]


def connect(alice, bob):
    alice.call(bob.name)
    bob.accept()
    for page in (alice, bob):
        page.wait_for("running")
        page.wait_for_picture()


def has_dialog(page):
    return page.page.is_visible("#incoming")


# A call, and its ends

def test_a_call_from_sign_in_to_hang_up(server, pages, people):
    alice, bob = pages(server, panel="statistics"), pages(server, panel="statistics")
    alice.sign_in(people[0])
    bob.sign_in(people[1])
    for page in (alice, bob):
        page.wait_for_screen("lobby")
    alice.page.fill("#call-name", people[1])
    alice.wait(lambda: "is here" in alice.text("#call-hint"), "alice seeing that bob is there")
    alice.page.keyboard.press("Enter")
    alice.wait_for("ringing")
    assert "Ringing" in alice.text("#call-state")
    bob.wait_for("incoming")
    assert bob.text("#incoming-title") == f"{people[0]} calls"
    assert bob.text("#incoming-text") == "Video call"
    bob.accept()
    for page in (alice, bob):
        page.wait_for("running")
        page.wait_for_picture()
        page.wait(lambda: page.text("#call-state") == "Connected", "the words for it")
        page.wait(lambda: page.figure("Picture", "Codec") and page.figure("Picture", "Codec", 1),
                  "figures of the picture")
        page.wait(lambda: "320" in (page.figure("Picture", "Size") or ""), "the size of the picture")
        page.wait(lambda: page.figure("Sound", "Codec") == "opus" and page.figure("Sound", "Bitrate") != "0 kbit/s",
                  "sound")
        # What is told of each second is another on a busy machine.
        page.wait(lambda: page.figure("Connection", "State") == "connected", "the connection's state")
        page.wait(lambda: (page.figure("Connection", "Route") or "").startswith("direct, UDP"), "the route")
        page.wait(lambda: "ms" in (page.figure("Connection", "Round trip") or ""), "the round trip")
        page.wait(lambda: page.figure("Picture", "Loss") == "0.0 %", "a second without loss")
    alice.hang_up()
    alice.wait_for_end("hungUp")
    bob.wait_for_end("theyHungUp")
    bob.wait_for_notice(f"{people[0]} hung up. The call lasted 0:")
    # Each has the other among their people now.
    for page, other in ((alice, people[1]), (bob, people[0])):
        page.wait(lambda: page.page.is_visible(f"#people li[data-user='{other}'][data-state=online]"),
                  "the other being listed")


def test_the_one_who_was_called_calls_back_from_the_list(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    connect(alice, bob)
    bob.hang_up()
    alice.wait_for_end("theyHungUp")
    bob.wait_for_end("hungUp")
    bob.page.click(f"#people li[data-user='{people[0]}'] button.secondary")
    alice.accept()
    for page in (alice, bob):
        page.wait_for_picture()


def test_a_name_that_anybody_can_give_themselves_has_the_user_beside_it(server, pages):
    """In the dialog, in the call and in what is said of it later."""
    number = random.randrange(10**9)
    alice, bob, carol = pages(server, f"Alice {number}"), pages(server, f"bob.{number}"), pages(server, f"Zoë {number}")
    alice.page.fill("#call-name", f"bob.{number}")
    alice.page.keyboard.press("Enter")
    bob.wait_for("incoming")
    assert bob.text("#incoming-title") == f"Alice {number} calls"
    assert bob.text("#incoming-text") == f"Video call from alice.{number}"
    assert bob.page.title().startswith(f"Alice {number} (alice.{number}) calls")
    bob.accept()
    for page in (alice, bob):
        page.wait_for("running")
    assert bob.text("#call-title") == f"Alice {number}"
    assert bob.page.is_visible("#call-user") and bob.text("#call-user") == f"alice.{number}"
    assert not alice.page.is_visible("#call-user"), "a name that is the user needs nothing beside it"
    carol.page.fill("#call-name", f"bob.{number}")
    carol.page.keyboard.press("Enter")
    bob.wait_for_notice(f"Zoë {number} (zoe.{number}) called while you were in a call")
    alice.hang_up()
    bob.wait_for_end("theyHungUp")
    bob.wait_for_notice(f"Alice {number} (alice.{number}) hung up")


def test_a_proven_name_stands_alone(server, pages, people):
    """The server says which it is: here by a word that is put into what it says."""
    prove = """
        const taken = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
        Object.defineProperty(WebSocket.prototype, 'onmessage', { ...taken, set(react) {
            taken.set.call(this, ({ data }) => {
                const message = JSON.parse(data);
                if (message.from) message.from = { ...message.from, name: 'Alice Example', nameIsProven: true };
                react.call(this, { data: JSON.stringify(message) });
            });
        } });
    """
    alice, bob = pages(server, people[0]), pages(server, people[1], prepare=prove)
    alice.call(people[1])
    bob.wait_for("incoming")
    assert bob.text("#incoming-title") == "Alice Example calls"
    assert bob.text("#incoming-text") == "Video call"
    bob.accept()
    bob.wait_for("running")
    assert bob.text("#call-title") == "Alice Example"
    assert not bob.page.is_visible("#call-user")


def test_a_rejected_call(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    alice.call(people[1])
    bob.reject()
    bob.wait_for_end("rejected")
    alice.wait_for_end("declined")
    alice.wait_for_notice("declined the call")


def test_busy(server, pages, people):
    alice, bob, carol = (pages(server, name) for name in people)
    connect(alice, bob)
    carol.call(people[1])
    carol.wait_for_end("busy")
    carol.wait_for_notice("is in another call")
    bob.wait_for_notice(f"{people[2]} called while you were in a call")
    assert alice.state == bob.state == "running"


def test_a_cancelled_call(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    alice.call(people[1])
    bob.wait_for("incoming")
    alice.wait_for("ringing")
    alice.hang_up()
    alice.wait_for_end("cancelled")
    bob.wait_for_end("missed")
    assert not has_dialog(bob)
    bob.wait_for_notice(f"You missed a call from {people[0]}")


def test_nobody_answers(server, pages, people):
    alice, bob = pages(server, people[0], lifetime=10), pages(server, people[1])
    alice.call(people[1])
    bob.wait_for("incoming")
    alice.wait_for_end("noAnswer")
    alice.wait_for_notice("did not answer")
    bob.wait_for_end("missed")
    # The button of the notice tries it again.
    alice.page.click(".notice button.secondary")
    bob.accept()
    alice.wait_for("running")


def test_nobody_is_there(server, pages, people):
    alice = pages(server, people[0])
    alice.call(people[1])
    alice.wait_for_end("unavailable")
    alice.wait_for_notice("is not here")


def test_answered_and_declined_on_another_device(server, pages, people):
    alice, phone, desk = pages(server, people[0]), pages(server, people[1]), pages(server, people[1])
    alice.page.fill("#call-name", people[1])
    alice.wait(lambda: "on 2 devices" in alice.text("#call-hint"), "alice seeing both devices")
    alice.page.keyboard.press("Enter")
    phone.wait_for("incoming")
    desk.accept()
    phone.wait_for_end("answeredElsewhere")
    phone.wait_for_notice("Answered on another device")
    alice.wait_for_picture()
    desk.wait_for_picture()
    desk.hang_up()
    alice.wait_for_end()
    desk.wait_for_end()

    alice.call(people[1])
    desk.wait_for("incoming")
    phone.reject()
    desk.wait_for_end("rejectedElsewhere")
    alice.wait_for_end("declined")


PRESS = "document.getElementById('call-submit').click()"


@pytest.mark.parametrize("attempt", range(3))
def test_both_press_at_once(server, pages, people, attempt):
    alice, bob = both = pages(server, people[0]), pages(server, people[1])
    for page, other in (both, reversed(both)):
        page.page.fill("#call-name", other.name)
    for page in both:
        page.page.evaluate(PRESS)
    # Either they crossed, and are in one call at once; or one was first, and it rings at the other.
    alice.wait(lambda: "incoming" in (alice.state, bob.state) or alice.state == bob.state == "running",
               f"a call: {alice.state}, {bob.state}")
    for page in both:
        if page.state == "incoming":
            page.accept()
    for page in both:
        page.wait_for("running")
        page.wait_for_picture()
        assert not has_dialog(page)
    alice.hang_up()
    for page in both:
        page.wait_for_end()


# Holds what the page says from its next invitation on until `release()`, and gives its calls identifiers that begin
# with the byte that stands for FIRST.
HOLD = """
    const random = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = (array) => { random(array)[0] = FIRST; return array; };
    const send = WebSocket.prototype.send;
    const held = [];
    window.rang = false;
    document.addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
        window.rang ||= document.body.dataset.call === 'incoming';
    }).observe(document.body, { attributes: true }));
    WebSocket.prototype.send = function (text) {
        if (held.length || !window.released && text.includes('"type":"invite"')) held.push(() => send.call(this, text));
        else send.call(this, text);
    };
    window.holds = () => held.length > 0;
    window.release = () => { window.released = true; for (const say of held.splice(0)) say(); };
"""


@pytest.mark.parametrize("first", ["alice", "bob"])
def test_invitations_that_cross_are_one_call(metered_server, pages, people, first):
    """Each has invited before it hears of the other. Alice's call has the lesser identifier, and wins."""
    server = metered_server
    alice = pages(server, people[0], prepare=HOLD.replace("FIRST", "0x00"))
    bob = pages(server, people[1], prepare=HOLD.replace("FIRST", "0xff"))
    both = [alice, bob] if first == "alice" else [bob, alice]
    before = server.metric("glares_total"), server.metric("answers_total")
    for page, other in (both, reversed(both)):
        page.page.fill("#call-name", other.name)
        page.page.evaluate(PRESS)
    for page in both:
        page.wait(lambda: page.page.evaluate("holds()"), f"{page.name} having said its invitation")
    for page in both:
        page.page.evaluate("release()")
    for page in both:
        page.wait_for("running")
        page.wait_for_picture()
        assert not page.page.evaluate("rang")
    assert server.metric("glares_total") == before[0] + 1
    assert server.metric("answers_total") == before[1] + 1
    assert alice.wait_for_code() == bob.wait_for_code()
    alice.write("one call")
    bob.wait_for_messages("one call")
    bob.hang_up()
    alice.wait_for_end("theyHungUp")
    bob.wait_for_end("hungUp")
    for page in both:
        assert not has_dialog(page)
    connect(alice, bob)


# Hanging up at each moment

@pytest.mark.parametrize("who", ["caller", "callee", "both"])
@pytest.mark.parametrize("moment", ["ringing", "accepting", "answered", "running"])
def test_hanging_up_at_each_moment(server, pages, people, moment, who):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    hang_up = "document.querySelector('#screen-call [data-action=hang-up]').click()"
    accept = "document.getElementById('incoming-accept').click()"
    alice.call(people[1])
    alice.wait_for("ringing")
    bob.wait_for("incoming")
    leave = {"caller": [alice], "callee": [bob], "both": [alice, bob]}[who]
    if moment == "ringing":
        for page in leave:
            page.page.evaluate(hang_up if page is alice else "document.getElementById('incoming-reject').click()")
    elif moment == "accepting":
        bob.page.evaluate(f"{accept}; {hang_up if bob in leave else ''}")
        if alice in leave:
            alice.page.evaluate(hang_up)
    else:
        bob.page.evaluate(accept)
        alice.wait_for("connecting" if moment == "answered" else "running", "running")
        for page in leave:
            page.page.evaluate(hang_up)
    for page in (alice, bob):
        page.wait_for_end()
        assert not has_dialog(page)
    # Nothing is left over: the next call works.
    connect(bob, alice)


def test_a_page_that_is_closed_says_so(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    connect(alice, bob)
    alice.page.close(run_before_unload=False)
    bob.wait_for_end("theyHungUp")
    bob.wait_for_notice(f"{people[0]}")


def test_signing_out_ends_the_call(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    connect(alice, bob)
    alice.page.evaluate("document.getElementById('sign-out').click()")
    alice.wait_for_screen("sign-in")
    bob.wait_for_end("theyHungUp")


# Chat

def test_chat(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    connect(alice, bob)
    alice.write("Grüße 🎉")
    bob.wait(lambda: bob.page.is_visible("#chat-badge") and bob.text("#chat-badge") == "1", "one unread message")
    bob.write("<b>not bold</b> & so on")
    assert not bob.page.is_visible("#chat-badge")
    for page in (alice, bob):
        page.wait_for_messages("Grüße 🎉", "<b>not bold</b> & so on")
    assert [kind for kind, _ in alice.messages] == ["mine", "theirs"]
    assert [kind for kind, _ in bob.messages] == ["theirs", "mine"]
    # Another call begins with nothing.
    alice.hang_up()
    bob.wait_for_end()
    connect(bob, alice)
    assert alice.messages == bob.messages == []


# Camera and microphone

def test_camera_off_and_on_again(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    connect(alice, bob)
    alice.press("camera")
    bob.wait(lambda: not bob.sees_picture, "bob seeing no picture")
    assert "no picture" in bob.text("#call-state")
    assert not alice.page.is_visible("#self")
    alice.press("camera")
    bob.wait_for_picture()
    assert alice.page.is_visible("#self")


def test_mute(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    connect(alice, bob)
    assert not alice.page.is_visible("#self-muted")
    alice.press("microphone")
    assert alice.page.is_visible("#self-muted")
    button = alice.page.locator("#screen-call [data-action=microphone]")
    assert button.get_attribute("aria-pressed") == "true" and button.get_attribute("aria-label") == "Unmute microphone"
    alice.page.keyboard.press("Alt+m")
    assert button.get_attribute("aria-pressed") == "false"


def test_another_camera_in_mid_call(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    connect(alice, bob)
    alice.press("devices")
    choices = alice.page.locator("#device-video option")
    values = [choices.nth(index).get_attribute("value") for index in range(choices.count())]
    assert "none" in values and len(values) >= 2
    alice.page.select_option("#device-video", "none")
    bob.wait(lambda: not bob.sees_picture, "bob seeing no picture")
    alice.page.select_option("#device-video", next(value for value in values if value not in ("none", "")))
    bob.wait_for_picture()
    alice.page.click("#devices button[type=submit]")


@pytest.mark.parametrize("without", ["caller", "callee", "both"])
def test_without_any_device(server, pages, people, without):
    nothing = {"audio": "none", "video": "none"}
    alice = pages(server, people[0], **(nothing if without != "callee" else {}))
    bob = pages(server, people[1], **(nothing if without != "caller" else {}))
    alice.call(people[1])
    bob.accept()
    for page in (alice, bob):
        page.wait_for("running")
    if without != "both":
        (alice if without == "caller" else bob).wait_for_picture()
    bob.write("I hear nothing")
    alice.wait_for_messages("I hear nothing")


def test_a_camera_that_comes_in_mid_call(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1], video="none")
    alice.call(people[1])
    bob.accept()
    bob.wait_for_picture()
    assert not alice.sees_picture
    bob.press("camera")
    alice.wait_for_picture()


@pytest.mark.parametrize("error, words", [
    ("NotAllowedError", "may not use your camera and microphone"),
    ("NotFoundError", "No camera or microphone was found"),
    ("NotReadableError", "Another program uses your camera and microphone"),
])
def test_what_is_wrong_with_the_devices_is_said(server, pages, people, error, words):
    refuse = f"navigator.mediaDevices.getUserMedia = async () => {{ throw new DOMException('no', '{error}'); }};"
    alice, bob = pages(server, people[0], prepare=refuse), pages(server, people[1])
    alice.wait(lambda: words in alice.text("#lobby-problems"), f"being told “{words}”")
    alice.call(people[1])
    bob.accept()
    alice.wait_for_picture()
    alice.press("camera")
    alice.wait_for_notice("camera")


# Nobody in the middle

def test_both_pages_show_the_same_code(server, pages, people):
    alice, bob = pages(server, people[0]), pages(server, people[1])
    connect(alice, bob)
    code = alice.wait_for_code()
    assert bob.wait_for_code() == code
    shown, names = code
    assert re.fullmatch(r"\S{5,} \d{3}\xa0\d{3}\xa0\d{3}", shown), shown
    assert len(names.split(", ")) == 5
    # On demand there are the names, and what to do with them.
    assert not alice.page.is_visible("#code-text")
    alice.page.click("#code-short")
    assert people[1] in alice.text("#code-text") and "nobody is in the middle" in alice.text("#code-text")
    assert alice.page.is_visible("#code-pictures li")
    assert alice.text("#code-digits") == shown.split(" ")[1]
    # What is negotiated in the call does not touch it.
    alice.press("camera")
    bob.wait(lambda: not bob.sees_picture, "bob seeing no picture")
    alice.page.wait_for_timeout(2_500)  # by then the page has looked at the certificates again
    assert alice.code == bob.code == code
    alice.press("camera")
    alice.hang_up()
    for page in (alice, bob):
        page.wait_for_end()
    # Each call has its own, and nothing of the old one is left.
    connect(bob, alice)
    assert not alice.page.is_visible("#code-text")
    assert alice.wait_for_code() == bob.wait_for_code() != code


def test_a_code_where_the_browser_shows_no_certificates(server, pages, people):
    """Then it is made of what the descriptions announce: here at one side only."""
    hide = """const getStats = RTCPeerConnection.prototype.getStats;
        RTCPeerConnection.prototype.getStats = async function () {
            const report = await getStats.call(this);
            return new Map([...report].filter(([, { type }]) => type !== 'certificate' && type !== 'transport'));
        };"""
    alice, bob = pages(server, people[0], prepare=hide), pages(server, people[1])
    connect(alice, bob)
    assert alice.wait_for_code() == bob.wait_for_code()


# Does something with the page's messages of the verification before they leave. CHANGE: (step, value) => value or null.
MEDDLE = """
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (text) {
        const message = JSON.parse(text);
        if (message.kind !== 'verify') return send.call(this, text);
        const said = JSON.parse(atob(message.data));
        const value = (CHANGE)(said.step, said.value);
        const data = btoa(JSON.stringify({ ...said, value }));
        return send.call(this, JSON.stringify(value === null ? { type: 'ping', id: 1 } : { ...message, data }));
    };
"""


def test_who_is_told_no_code_is_told_so(server, pages, people):
    """The other side sends nothing of it, as an old program does, and a server that withholds it."""
    insecure = "Object.defineProperty(crypto, 'subtle', { value: undefined });"
    alice, bob = pages(server, people[0], prepare=insecure), pages(server, people[1])
    began = time.monotonic()
    connect(alice, bob)
    alice.wait_for_code("impossible")
    alice.page.click("#code-short")
    assert "HTTPS" in alice.text("#code-text")
    assert alice.text("#code-short") == "No code"
    assert bob.code_status == "waiting" or time.monotonic() - began > 10  # so long it is waited for
    bob.wait_for_code("silent")
    bob.page.click("#code-short")
    assert bob.text("#code-short") == "No code"
    assert "cannot be told" in bob.text("#code-text")
    assert bob.state == "running"


def test_a_commitment_that_does_not_fit_is_told(server, pages, people):
    zeros = "'A'.repeat(43) + '='"
    meddle = MEDDLE.replace("CHANGE", f"(step, value) => step === 'reveal' ? {zeros} : value")
    alice, bob = pages(server, people[0], prepare=meddle), pages(server, people[1])
    connect(alice, bob)
    bob.wait_for_code("failed")
    assert "may be in the middle" in bob.text("#code-short")
    assert "does not fit together" in bob.text("#code-text")
    assert bob.state == "running"
    bob.hang_up()
    alice.wait_for_end()
    # The next call begins anew, and the caller is another.
    connect(bob, alice)
    assert bob.wait_for_code() == alice.wait_for_code()


def test_another_nonce_is_another_code(server, pages, people):
    zeros = "'A'.repeat(43) + '='"
    meddle = MEDDLE.replace("CHANGE", f"(step, value) => step === 'nonce' ? {zeros} : value")
    alice, bob = pages(server, people[0]), pages(server, people[1], prepare=meddle)
    connect(alice, bob)
    ours, theirs = alice.wait_for_code(), bob.wait_for_code()
    assert ours[0].split(" ")[0] != theirs[0].split(" ")[0] and ours[0].split(" ")[1] != theirs[0].split(" ")[1]


# Lets messages of the verification go where nobody looks, until `heals` is set: nothing is missing of the session.
LOSE = """
    const say = WebSocket.prototype.send;
    WebSocket.prototype.send = function (text) {
        const message = JSON.parse(text);
        if (message.kind !== 'verify' || window.heals) return say.call(this, text);
        window.lost = true;
        return say.call(this, JSON.stringify({ ...message, kind: 'lost' }));
    };
"""


@pytest.mark.parametrize("loses", ["caller", "callee"])
def test_a_server_that_dies_in_the_exchange_of_the_code(own_server, pages, people, loses):
    """What it took along is said again when it is back, and both have the code."""
    alice = pages(own_server, people[0], prepare=LOSE if loses == "caller" else None)
    bob = pages(own_server, people[1], prepare=LOSE if loses == "callee" else None)
    connect(alice, bob)
    loser = alice if loses == "caller" else bob
    loser.wait(lambda: loser.page.evaluate("window.lost === true"), "a message of the verification being lost")
    own_server.kill()
    for page in (alice, bob):
        page.wait_for_notice("Your call goes on")
    assert alice.code is None and bob.code is None
    loser.page.evaluate("window.heals = true")
    own_server.start()
    assert alice.wait_for_code() == bob.wait_for_code()


# The browser's figures get a second transport, which has not connected, or has another certificate.
SECOND = """
    const getStats = RTCPeerConnection.prototype.getStats;
    RTCPeerConnection.prototype.getStats = async function () {
        const report = await getStats.call(this);
        if (!window.second) return report;
        return new Map([...report, ['second', { id: 'second', type: 'transport', dtlsState: window.second,
            localCertificateId: 'other', remoteCertificateId: 'other' }],
            ['other', { id: 'other', type: 'certificate', base64Certificate: btoa('another one') }]]);
    };
"""


def test_the_code_is_not_kept_while_a_part_of_the_connection_is_unsettled(server, pages, people):
    """Behind it another certificate could come. If it does, the code is gone for good."""
    alice, bob = pages(server, people[0], prepare=SECOND), pages(server, people[1])
    connect(alice, bob)
    code = alice.wait_for_code()
    alice.page.evaluate("window.second = 'connecting'")
    alice.wait_for_code("withdrawn")
    assert alice.code is None and "No code" in alice.text("#code-short")
    alice.page.evaluate("window.second = null")
    assert alice.wait_for_code() == code
    alice.page.evaluate("window.second = 'connecting'")
    alice.wait_for_code("withdrawn")
    alice.page.evaluate("window.second = 'connected'")
    alice.wait_for_code("failed")
    alice.page.evaluate("window.second = null")
    alice.page.wait_for_timeout(2_500)  # by then the page has looked again
    assert alice.code_status == "failed" and alice.state == "running"


# The sections of a description with their ports, what is said of bundles, and whether all share one transport.
@pytest.mark.parametrize("groups, sections, fits", [
    (["0 1 2"], ["9:0", "9:1", "9:2"], True),
    (["0 1"], ["9:0", "9:1", "9:2"], False),
    (["0 1", "2"], ["9:0", "9:1", "9:2"], False),
    (["0 1"], ["9:0", "9:1", "0:2"], True),          # refused
    (["0 1"], ["9:0", "9:1", "0:2:bundle-only"], False),
    (["0 2"], ["9:0", "0:2:bundle-only"], True),
    ([], ["9:0"], True),
    ([], ["9:0", "9:1"], False),
    (["0"], ["9:0", "9:"], False),                   # without a name
    ([], [], True),
])
def test_all_sections_share_one_transport(verifier, groups, sections, fits):
    lines = ["v=0", *(f"a=group:BUNDLE {group}" for group in groups), "a=group:LS 0 1 2"]
    for section in sections:
        port, mid, *more = section.split(":")
        lines += [f"m=audio {port} UDP/TLS/RTP/SAVPF 111", *([f"a=mid:{mid}"] if mid else []), *(f"a={one}" for one in more)]
    sdp = "".join(f"{line}\r\n" for line in lines)
    assert fits == verifier.evaluate("""async (sdp) => {
        const { demandOneTransport } = await import('/call/link.js');
        try { demandOneTransport({ sdp }); return true; } catch { return false; }
    }""", sdp)


@pytest.mark.parametrize("first", [True, False], ids=["invitation", "later"])
def test_a_section_beside_the_bundle_is_refused(server, pages, people, first):
    unbundle = """
        const say = WebSocket.prototype.send;
        WebSocket.prototype.send = function (text) {
            const message = JSON.parse(text);
            if (!(WHEN) || message.description?.type !== 'offer') return say.call(this, text);
            const sdp = message.description.sdp.replace(/^(a=group:BUNDLE \\S+).*$/m, '$1');
            return say.call(this, JSON.stringify({ ...message, description: { type: 'offer', sdp } }));
        };
    """.replace("WHEN", "true" if first else "message.type === 'negotiate'")
    alice, bob = pages(server, people[0], prepare=unbundle), pages(server, people[1])
    if first:
        alice.call(people[1])
        bob.accept()
    else:
        connect(alice, bob)
        alice.press("camera")  # which is an offer
    bob.wait_for_end("mediaFailed")
    alice.wait_for_end()


# The vectors of docs/security.md: fingerprints, nonces, commitment, and the code.
VECTORS = [
    (bytes(range(32)).hex(), bytes(range(32, 64)).hex(), bytes(range(64, 96)).hex(), bytes(range(96, 128)).hex(),
     "1a0bfbf196a4e1a846ed0a822d41d59874b6fd4caf0470a61451db43321ce56b",
     "🧀🐘🎁🐘🎁", "cheese elephant gift elephant gift", "272330816"),
    ("09a95249dcdb8e56444d5fddbac4dcc3debe1a0005524c2d51e9d472fb15b669",
     "2df5397391f1fb2803238cd26bbdf03fccc624fd37e9c7166c86fc21b953b660",
     "68b24a20cb8ff18e2a8fc6e06f73da83e306e8d2b94cad26c2c358a6485572df",
     "5635f69b9431e45e80a4f6dcf73182d52bfbb8ca429932a9bb5b06145787f794",
     "924e9e762df6ddbef8f673ebf7d24329252b360172be1198307639b7884bc108",
     "🎺🍩🦀🍄🔨", "trumpet doughnut crab mushroom hammer", "006269732"),
]

IMPORT = """
    const { Verification, base64From, codeOf, commitmentOf } = await import('/call/verification.js');
    const { fingerprintsOf } = await import('/call/fingerprints.js');
    const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
    const fill = (byte, size = 32) => new Uint8Array(size).fill(byte);
    const settle = () => new Promise((done) => setTimeout(done, 20));
    const until = async (holds) => { for (let n = 0; n < 1000 && !holds(); n += 1) await settle(); };
"""


@pytest.mark.parametrize("vector", VECTORS)
def test_the_vectors_of_the_specification(server, pages, vector):
    *fields, commitment, symbols, names, digits = vector
    found = pages(server).page.evaluate("""async (fields) => {""" + IMPORT + """
        const [caller, callee, callerNonce, calleeNonce] = fields.map(bytes);
        const commitment = await commitmentOf({ caller, callee }, callerNonce);
        const { emoji, digits } = await codeOf({ caller, callee }, callerNonce, calleeNonce);
        return [Array.from(commitment), emoji.map(({ symbol }) => symbol).join(''),
            emoji.map(({ name }) => name).join(' '), digits];
    }""", fields)
    assert found == [list(bytes.fromhex(commitment)), symbols, names, digits]


def test_the_pictures_are_those_of_the_specification(server, pages):
    lines = SPECIFICATION.read_text().splitlines()
    rows = [line.split("|")[2:-1] for line in lines if re.match(r"\| \*\*\d+\*\* ", line)]
    specified = [cell.strip().split(" ", 1) for row in rows for cell in row]
    assert len(specified) == 64
    assert specified == pages(server).page.evaluate(
        "async () => (await import('/call/verification-emoji.js')).EMOJI")


# Each side where it stands, and a message that does not belong there. Some begin with what does.
@pytest.mark.parametrize("side, before, message", [
    (side, before, message)
    for side, before, fitting in [
        ("caller", [], None), ("caller", ["begin"], "nonce"), ("caller", ["begin", "nonce"], None),
        ("callee", [], "commit"), ("callee", ["commit"], None), ("callee", ["begin"], "commit"),
        ("callee", ["begin", "commit"], None), ("callee", ["begin", "commit", "reveal"], None)]
    for message in ["commit", "nonce", "reveal", "hello", "short", "long", "no base64", "no object"]
    if message != fitting
])
def test_messages_that_do_not_belong_there(verifier, side, before, message):
    """They make it fail, and nothing that comes later helps. Where a `reveal` is awaited, one comes that does not fit."""
    status, said = verifier.evaluate("""async ([side, before, message]) => {""" + IMPORT + """
        const isCaller = side === 'caller', said = [];
        const one = new Verification({ isCaller, nonce: fill(1) });
        one.addEventListener('message', ({ detail }) => said.push(detail.step));
        const mine = fill(2), theirs = fill(3), callerNonce = fill(4);
        const fingerprints = isCaller ? { caller: mine, callee: theirs } : { caller: theirs, callee: mine };
        const right = {
            commit: base64From(await commitmentOf(fingerprints, callerNonce)),
            nonce: base64From(fill(5)), reveal: base64From(callerNonce),
        };
        const begin = () => one.begin({ local: mine, remote: theirs });
        for (const step of before) await (step === 'begin' ? begin() : one.receive({ step, value: right[step] }));
        const awaited = isCaller ? 'nonce' : before.includes('commit') ? 'reveal' : 'commit';
        if (one.status === 'failed') return ['failed too early', said];
        const bad = {
            short: { step: awaited, value: base64From(fill(0, 31)) },
            long: { step: awaited, value: base64From(fill(0, 33)) },
            'no base64': { step: awaited, value: '?'.repeat(44) },
            'no object': null,
        };
        await one.receive(message in bad ? bad[message] : { step: message, value: base64From(fill(9)) });
        const after = said.length;
        await begin();
        for (const [step, value] of Object.entries(right)) await one.receive({ step, value });
        return [one.code === null ? one.status : 'a code', said.slice(after)];
    }""", [side, before, message])
    assert (status, said) == ("failed", [])


@pytest.mark.parametrize("later", ["{ local: fill(1), remote: fill(3) }", "null"], ids=["other", "unknown"])
def test_other_certificates_later_take_the_code_away(verifier, later):
    """Also ones that can no longer be known."""
    found = verifier.evaluate("""async () => {""" + IMPORT + """
        const [one, other] = [true, false].map((isCaller) => new Verification({ isCaller }));
        one.addEventListener('message', ({ detail }) => other.receive(detail));
        other.addEventListener('message', ({ detail }) => one.receive(detail));
        one.begin({ local: fill(1), remote: fill(2) });
        await settle();
        other.begin({ local: fill(2), remote: fill(1) });
        await until(() => one.code && other.code);
        const codes = [one, other].map(({ code }) => JSON.stringify(code));
        one.begin({ local: fill(1), remote: fill(2) });
        await settle();
        const before = one.status;
        one.begin(""" + later + """);
        await until(() => one.status !== before);
        return [codes[0] !== 'null' && codes[0] === codes[1], before, one.status, one.code];
    }""")
    assert found == [True, "code", "failed", None]


# What the browser tells of a connection, and the first byte of what is made of it on either side.
@pytest.mark.parametrize("description, certificates, expected", [
    ("A", None, [0xAA, 0xAA]),
    ("AA", None, [0xAA, 0xAA]),      # the same in two sections
    ("AB", None, None),              # a peer needs only one of them
    ("a", None, None),               # of another hash function
    ("Aa", None, None),
    ("", None, None),
    ("B", "connected", [0xCA, 0x3E]),    # SHA-256 of one letter each: what DTLS has verified counts
    ("AB", "connected", [0xCA, 0x3E]),
    ("A", "connecting", "not yet"),
])
def test_which_fingerprints_count(verifier, description, certificates, expected):
    found = verifier.evaluate("""async ([description, dtlsState]) => {""" + IMPORT + """
        const line = (letter) => `a=fingerprint:${letter < 'a' ? 'sha-256' : 'sha-384'} `
            + Array(letter < 'a' ? 32 : 48).fill(letter.toUpperCase().repeat(2)).join(':');
        const sdp = ['v=0', ...description].map((one) => one === 'v=0' ? one : line(one)).join('\\r\\n') + '\\r\\n';
        const stats = dtlsState ? [
            { id: 'T', type: 'transport', dtlsState, localCertificateId: 'L', remoteCertificateId: 'R' },
            { id: 'L', type: 'certificate', base64Certificate: btoa('a') },
            { id: 'R', type: 'certificate', base64Certificate: btoa('b') },
        ] : [];
        const found = await fingerprintsOf({
            getStats: async () => new Map(stats.map((one) => [one.id, one])),
            currentLocalDescription: { sdp }, currentRemoteDescription: { sdp },
        });
        return found === undefined ? 'not yet' : found && [found.local[0], found.remote[0]];
    }""", [description, certificates])
    assert found == expected


# What two transports say of their certificates.
@pytest.mark.parametrize("states, certificates, expected", [
    (["connected", "connected"], "aa", [0xCA, 0xCA]),
    (["connected", "connecting"], "aa", "not yet"),
    (["connected", "new"], "ab", "not yet"),
    (["connected", "connected"], "ab", None),    # whatever the descriptions announce
])
def test_several_transports(verifier, states, certificates, expected):
    found = verifier.evaluate("""async ([states, certificates]) => {""" + IMPORT + """
        const sdp = 'v=0\\r\\na=fingerprint:sha-256 ' + Array(32).fill('AA').join(':') + '\\r\\n';
        const stats = states.flatMap((dtlsState, index) => [
            { id: `T${index}`, type: 'transport', dtlsState, localCertificateId: `C${index}`, remoteCertificateId: `C${index}` },
            { id: `C${index}`, type: 'certificate', base64Certificate: btoa(certificates[index]) },
        ]);
        const found = await fingerprintsOf({
            getStats: async () => new Map(stats.map((one) => [one.id, one])),
            currentLocalDescription: { sdp }, currentRemoteDescription: { sdp },
        });
        return found === undefined ? 'not yet' : found && [found.local[0], found.remote[0]];
    }""", [states, certificates])
    assert found == expected


def test_a_code_that_is_withdrawn(verifier):
    """It comes back if the certificates are the same; if they are others it does not."""
    found = verifier.evaluate("""async () => {""" + IMPORT + """
        const [one, other] = [true, false].map((isCaller) => new Verification({ isCaller }));
        one.addEventListener('message', ({ detail }) => other.receive(detail));
        other.addEventListener('message', ({ detail }) => one.receive(detail));
        await one.withdraw();
        const seen = [one.status];
        await one.begin({ local: fill(1), remote: fill(2) });
        await other.begin({ local: fill(2), remote: fill(1) });
        await until(() => one.code && other.code);
        const code = JSON.stringify(one.code);
        for (const remote of [2, 2, 3, 2]) {
            await one.withdraw();
            seen.push(one.status, one.code);
            await one.begin({ local: fill(1), remote: fill(remote) });
            seen.push(one.status, JSON.stringify(one.code) === code);
        }
        return seen;
    }""")
    withdrawn, back, gone = ["withdrawn", None], ["code", True], ["failed", False]
    assert found == ["waiting", *withdrawn, *back, *withdrawn, *back, *withdrawn, *gone, "failed", None, *gone]


@pytest.mark.parametrize("step", ["commit", "nonce", "reveal"])
def test_a_message_that_comes_again_is_answered_by_the_same(verifier, step):
    """But for another value of the same step, which fails."""
    found = verifier.evaluate("""async (step) => {""" + IMPORT + """
        const [one, other] = [true, false].map((isCaller) => new Verification({ isCaller }));
        const said = [];
        const carry = (to) => ({ detail }) => { said.push(detail); to.receive(detail); };
        one.addEventListener('message', carry(other));
        other.addEventListener('message', carry(one));
        await one.begin({ local: fill(1), remote: fill(2) });
        await other.begin({ local: fill(2), remote: fill(1) });
        await until(() => one.code && other.code);
        const code = JSON.stringify(one.code), count = said.length;
        const receiver = step === 'nonce' ? one : other;
        await receiver.receive(said.find((message) => message.step === step));
        await one.repeat();
        await other.repeat();
        for (let n = 0; n < 5; n += 1) await settle();
        const values = new Set(said.map(({ step, value }) => step + value));
        const same = [one, other].every((side) => JSON.stringify(side.code) === code);
        await receiver.receive({ step, value: base64From(fill(9)) });
        return [count, values.size, same, receiver.status, said.length < 20];
    }""", step)
    assert found == [3, 3, True, "failed", True]


# What a call survives

def test_the_server_dies_and_comes_back_in_mid_call(own_server, pages, people):
    alice, bob = pages(own_server, people[0]), pages(own_server, people[1])
    connect(alice, bob)
    code = alice.wait_for_code()
    assert bob.wait_for_code() == code
    own_server.kill()
    for page in (alice, bob):
        page.wait_for_notice("Your call goes on")
        page.wait_for_picture()
    alice.write("still here")
    bob.wait_for_messages("still here")
    assert alice.code == bob.code == code
    own_server.start()
    for page in (alice, bob):
        page.wait(lambda: page.page.evaluate("document.getElementById('connection').dataset.state") == "online",
                  "being signed in again")
        assert page.state == "running"
    # What needs the server works again: an offer, and its answer.
    alice.press("camera")
    bob.wait(lambda: not bob.sees_picture, "bob seeing no picture")
    alice.press("camera")
    bob.wait_for_picture()
    assert alice.code == bob.code == code
    alice.hang_up()
    bob.wait_for_end("theyHungUp")
    connect(bob, alice)


def test_an_offer_while_the_server_is_away_comes_later(own_server, pages, people):
    alice, bob = pages(own_server, people[0]), pages(own_server, people[1])
    connect(alice, bob)
    own_server.stop()
    alice.wait_for_notice("Your call goes on")
    alice.press("camera")
    own_server.start()
    bob.wait(lambda: not bob.sees_picture, "bob seeing no picture")
    bob.wait(lambda: "no picture" in bob.text("#call-state"), "bob being told")
    alice.press("camera")
    bob.wait_for_picture()


def test_hanging_up_while_the_server_is_away(own_server, pages, people):
    alice, bob = pages(own_server, people[0], patience=3), pages(own_server, people[1], patience=3)
    connect(alice, bob)
    own_server.kill()
    alice.wait_for_notice("Your call goes on")
    alice.hang_up()
    alice.wait_for_end("hungUp")
    bob.wait_for_end()
    own_server.start()
    for page in (alice, bob):
        page.wait(lambda: page.page.evaluate("document.getElementById('connection').dataset.state") == "online",
                  "being signed in again")
    connect(bob, alice)


def test_the_server_dies_while_it_rings(own_server, pages, people):
    alice, bob = pages(own_server, people[0]), pages(own_server, people[1])
    alice.call(people[1])
    alice.wait_for("ringing")
    bob.wait_for("incoming")
    own_server.kill()
    own_server.start()
    for page in (alice, bob):
        page.wait(lambda: page.page.evaluate("document.getElementById('connection').dataset.state") == "online",
                  "being signed in again")
    bob.accept()
    for page in (alice, bob):
        page.wait_for_picture()
    assert alice.wait_for_code() == bob.wait_for_code()


def test_a_socket_that_breaks_resumes(server, pages, people):
    keep = """const Socket = WebSocket; window.sockets = [];
        window.WebSocket = class extends Socket { constructor(...all) { super(...all); sockets.push(this); } };"""
    alice, bob = pages(server, people[0], prepare=keep), pages(server, people[1])
    connect(alice, bob)
    alice.page.evaluate("sockets.at(-1).close()")
    alice.press("camera")  # said while there is no socket
    bob.wait(lambda: not bob.sees_picture, "bob seeing no picture")
    alice.press("camera")
    bob.wait_for_picture()
    assert alice.page.evaluate("sockets.length") == 2
    bob.hang_up()
    alice.wait_for_end("theyHungUp")


@pytest.fixture
def cut():
    """Lets no datagram through while it is called; the sockets to the server stay."""
    table = ["nft", "add", "table", "inet", "cut"]
    chain = ["nft", "add", "chain", "inet", "cut", "output", "{ type filter hook output priority 0; }"]
    rule = ["nft", "add", "rule", "inet", "cut", "output", "meta", "l4proto", "udp", "drop"]
    made = []

    def switch(on):
        commands = [table, chain, rule] if on else [["nft", "delete", "table", "inet", "cut"]]
        for command in commands:
            subprocess.run(command, check=True)
        made[:] = [True] if on else []

    yield switch
    if made:
        switch(False)


def test_a_path_that_breaks_is_mended_by_an_ice_restart(server, pages, people, cut):
    keep = """const Connection = RTCPeerConnection; window.connections = [];
        window.RTCPeerConnection = class extends Connection {
            constructor(...all) { super(...all); connections.push(this); } };"""
    alice = pages(server, people[0], prepare=keep, panel="statistics")
    bob = pages(server, people[1], panel="statistics")
    connect(alice, bob)
    code = alice.wait_for_code()
    assert bob.wait_for_code() == code
    fragment = "/a=ice-ufrag:(.*)/.exec(connections.at(-1).localDescription.sdp)[1]"
    before = alice.page.evaluate(fragment)
    cut(True)
    alice.wait(lambda: "Looking for another way" in alice.text("#call-trouble"), "being told of it", 30)
    alice.wait(lambda: alice.page.evaluate(fragment) != before, "an ICE restart", 30)
    cut(False)
    for page in (alice, bob):
        # A poor call, as on a busy machine, is another trouble.
        page.wait(lambda: "broke" not in page.text("#call-trouble"), "the trouble being over")
        page.wait_for_picture()
    alice.write("there again")
    bob.wait_for_messages("there again")
    assert alice.code == bob.code == code


def test_credentials_for_relays_are_renewed_before_they_expire(pages, people):
    prepare = """const Connection = RTCPeerConnection; window.connections = [];
        window.RTCPeerConnection = class extends Connection {
            constructor(...all) { super(...all); connections.push(this); } };
        const later = window.setTimeout;
        window.setTimeout = (run, wait, ...all) => later(run, wait === 45000 ? 1500 : wait, ...all);"""
    username = "connections.at(-1).getConfiguration().iceServers[0].username"
    server = Server("--turn-url", "turn:10.77.0.1:9", "--turn-secret", "north", "--turn-lifetime", "60")
    try:
        alice, bob = (pages(server, name, prepare=prepare) for name in people[:2])
        connect(alice, bob)
        before = [page.page.evaluate(username) for page in (alice, bob)]
        shared = "network-unknown"  # nobody here has proved who they are, and on the loopback the server sees no network
        assert [name.partition(":")[2] for name in before] == [shared] * 2
        time.sleep(4)

        def has_new_ones():
            """Whoever gathers again, because of a restart of its own or of the other's, has the new ones, if they have come."""
            alice.page.evaluate("connections.at(-1).restartIce()")
            bob.page.wait_for_timeout(2_000)
            return bob.page.evaluate(username) != before[1]
        bob.wait(has_new_ones, "credentials of a later time")
        after = bob.page.evaluate(username)
        assert after.partition(":")[2] == shared and int(after.split(":")[0]) > int(before[1].split(":")[0])
        bob.wait_for_picture()
    finally:
        server.close()


def test_the_other_page_dies(server, pages, people):
    alice, bob = pages(server, people[0], patience=3), pages(server, people[1])
    connect(alice, bob)
    bob.crash()
    alice.wait(lambda: "broke" in alice.text("#call-trouble"), "alice being told that the connection broke", 30)
    alice.wait_for_end("connectionFailed", timeout=30)
    alice.wait_for_notice("is lost")


HEAR = """
    const Socket = WebSocket; window.heard = [];
    window.WebSocket = class extends Socket {
        constructor(...all) {
            super(...all);
            this.addEventListener('message', ({ data }) => heard.push(JSON.parse(data)));
        }
    };
"""


def test_who_died_can_call_again_at_once(server, pages, people):
    """As soon as the server knows that the old page's socket is gone, and long before its path counts as broken:
    another page of the same user, which is there already, is no second caller."""
    alice, bob = pages(server, people[0], prepare=HEAR), pages(server, people[1])
    again = pages(server, people[1])
    connect(alice, bob)
    bob.crash()
    alice.wait(lambda: alice.page.evaluate("heard.some(({ type, state }) => type === 'peer' && state === 'away')"),
               "alice being told that bob's socket is gone")
    again.call(people[0])
    again.wait_for("ringing", "none")
    assert again.state == "ringing", f"{again.describe()}\n{alice.describe()}"
    alice.accept()
    for page in (alice, again):
        page.wait_for_picture()


# Links, and who may do what

def test_a_link_calls_and_another_page_answers_by_itself(server, pages, people):
    bob = pages(server, people[1], auto="answer")
    alice = pages(server, people[0], auto="call", call=people[1])
    for page in (alice, bob):
        page.wait_for_picture()
    set_up = int(alice.page.locator("#stage").get_attribute("data-set-up"))
    print(f"press to picture: {set_up} ms")


def test_a_token_is_asked_for(pages, people, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{people[0]} token-of-alice-0123\n{people[1]} token-of-bob-0123\n")
    server = Server("--auth", f"token={tokens}")
    try:
        alice = pages(server)
        alice.sign_in(people[0])
        alice.wait(lambda: "asks for a token" in alice.text("#sign-in-error"), "being asked for a token")
        alice.sign_in(people[0], "wrong")
        alice.wait(lambda: "does not take this token" in alice.text("#sign-in-error"), "being told that it is wrong")
        alice.sign_in(people[0], "token-of-alice-0123")
        alice.wait_for_screen("lobby")
        bob = pages(server, people[1], token="token-of-bob-0123")
        assert "token" not in bob.page.url
        connect(alice, bob)
    finally:
        server.close()


def test_the_page_says_when_the_server_is_away(own_server, pages, people):
    alice = pages(own_server, people[0])
    own_server.kill()
    alice.wait(lambda: "away" in alice.text("#connection"), "being told that the server is away")
    alice.call(people[1])
    alice.wait_for_notice("The server is away")
    own_server.start()
    alice.wait(lambda: "Signed in" in alice.text("#connection"), "being signed in again")


# For everybody

def test_a_call_by_keyboard_alone(server, pages, people):
    alice, bob = pages(server), pages(server, people[1])
    keys = alice.page.keyboard
    alice.name = people[0]
    alice.page.wait_for_function("document.activeElement.id === 'sign-in-name'")
    keys.type(people[0])
    keys.press("Enter")
    alice.wait_for_screen("lobby")
    for _ in range(12):
        keys.press("Tab")
        if alice.page.evaluate("document.activeElement.id") == "call-name":
            break
    keys.type(people[1])
    keys.press("Enter")
    bob.wait_for("incoming")
    bob.page.keyboard.press("Escape")  # decides nothing
    assert has_dialog(bob) and bob.page.evaluate("document.activeElement.id") == "incoming-accept"
    bob.page.keyboard.press("Enter")
    alice.wait_for("running")
    keys.press("Alt+c")
    keys.type("by keyboard")
    keys.press("Enter")
    bob.wait_for_messages("by keyboard")
    keys.press("Escape")
    assert not alice.page.is_visible("#panel-chat")
    keys.press("Alt+h")
    bob.wait_for_end("theyHungUp")


NAMELESS = """[...document.querySelectorAll('button, input, select, video, meter, dialog, section, aside, ol[role]')]
    .filter((one) => !(one.ariaLabel || one.getAttribute('aria-labelledby') || one.innerText?.trim()
        || one.textContent.trim() && one.matches('button') || one.labels?.length))
    .map((one) => one.outerHTML.slice(0, 100))"""

# Of every visible text: its contrast with the nearest ground, as WCAG 2 counts it. Texts on pictures have a shadow.
FAINT = """() => {
    const parse = (color) => {
        const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
        return { c: [r, g, b], a };
    };
    const light = (c) => c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const found = [];
    for (const one of document.querySelectorAll('body *')) {
        const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!own || !one.checkVisibility() || one.closest('.hidden-heading, svg, option')) continue;
        let ground = one, color;
        while (ground && (color = parse(getComputedStyle(ground).backgroundColor)).a < 0.9) {
            ground = ground.parentElement;
        }
        const [a, b] = [light(parse(getComputedStyle(one).color).c), light(ground ? color.c : [255, 255, 255])];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5) found.push(`${one.tagName} ${one.className} “${one.innerText}” ${contrast.toFixed(2)}`);
    }
    return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_contrast_and_width(server, pages, people, scheme):
    """Every control has a name, every text contrast, and nothing is wider than a small phone."""
    phone = {"viewport": {"width": 320, "height": 640}, "color_scheme": scheme, "reduced_motion": "reduce"}
    first = pages(server, context=phone)
    alice, bob = pages(server, people[0], context=phone), pages(server, people[1], context=phone)

    def check(page, where):
        assert page.page.evaluate(NAMELESS) == [], where
        assert page.page.evaluate(FAINT) == [], where
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 320, where

    check(first, "sign-in")
    check(alice, "lobby")
    alice.call(people[1])
    bob.wait_for("incoming")
    check(bob, "incoming")
    alice.wait_for("ringing")
    check(alice, "ringing")
    bob.accept()
    alice.wait_for_picture()
    alice.wait_for_code()
    check(alice, "call")
    alice.page.click("#code-short")
    check(alice, "code")
    alice.page.click("#code-short")
    alice.write("hello")
    bob.wait_for_messages("hello")
    check(alice, "chat")
    alice.press("close-panel")
    alice.press("statistics")
    alice.wait(lambda: alice.figure("Picture", "Codec"), "figures")
    check(alice, "statistics")
    alice.press("close-panel")
    alice.hang_up()
    bob.wait_for_end()
    bob.page.wait_for_timeout(300)
    check(bob, "after the call")
