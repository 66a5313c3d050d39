"""The call page and tokens that end: a call outlives them, and with another one so does its signalling."""
import time

import pytest

from peers.page import CallPage, Server, closing_without_errors
from peers.provider import AUDIENCE, Provider

pytestmark = pytest.mark.timeout(240)

# Counts the sockets that a page opens.
COUNT = """
    const Socket = window.WebSocket; window.sockets = 0;
    window.WebSocket = class extends Socket { constructor(...all) { super(...all); window.sockets += 1; } };
"""


@pytest.fixture(scope="module")
def provider():
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def server(provider):
    server = Server("--auth", f"issuer={provider.issuer},{AUDIENCE}")
    yield server
    server.close()


@pytest.fixture
def token(provider):
    """Makes tokens of a user that the server takes for so many seconds: for a minute after their own end, since clocks differ."""
    def make(user, lifetime=300):
        now = int(time.time())
        return provider.signed(
            {"iss": provider.issuer, "aud": AUDIENCE, "sub": user, "exp": now + lifetime - 60, "iat": now - 60}, typ="at+jwt")
    return make


@pytest.fixture
def call(browser, server, token):
    """Two pages in a call, of which one has a token for so many seconds."""
    with closing_without_errors() as made:
        def make(lifetime):
            bob = CallPage(browser, server, "bob", token=token("bob"))
            made.append(bob)
            alice = CallPage(browser, server, "alice", token=token("alice", lifetime), prepare=COUNT)
            made.append(alice)
            alice.call("bob")
            bob.wait_for("incoming")
            bob.accept()
            for page in made:
                page.wait_for("running")
                page.wait_for_picture()
            return alice, bob

        yield make


def connection(page):
    return page.page.evaluate("document.getElementById('connection').dataset.state")


def enter(page, token):
    """As a person does who has been given another token."""
    page.page.click(".notice[data-notice=token] button.secondary")
    page.page.fill("#renewal-token", token)
    page.page.click("#renewal-form button[type=submit]")


def hand_over(page, token):
    """As the program does that has opened the page."""
    page.page.evaluate("token => { location.hash = `token=${token}`; }", token)


def carries_an_offer(alice, bob):
    """What alice's page says reaches bob's: here that there is no picture any more."""
    alice.press("camera")
    bob.wait(lambda: not bob.sees_picture, "no picture", timeout=30)
    alice.press("camera")
    bob.wait_for_picture()


def test_a_token_is_renewed_over_the_socket(call, token):
    began, life = time.monotonic(), 30  # a busy machine takes half of it until the call runs
    alice, bob = call(life)
    alice.wait_for_notice("Your token ends in")
    enter(alice, token("alice"))
    alice.wait(lambda: "ends in" not in " ".join(alice.notices), "nothing more to be done")
    time.sleep(max(0, began + life + 3 - time.monotonic()))  # the first one is over
    assert connection(alice) == "online" and alice.page.evaluate("sockets") == 1
    carries_an_offer(alice, bob)


@pytest.mark.parametrize("way", [enter, hand_over])
def test_a_call_outlives_a_token_and_comes_back_with_another(call, token, way):
    alice, bob = call(8)
    alice.wait_for_notice("Your token has ended")
    assert alice.state == "running" and bob.state == "running"
    time.sleep(2)
    way(alice, token("alice"))
    alice.wait(lambda: connection(alice) == "online", "being signed in")
    assert "has ended" not in " ".join(alice.notices)
    carries_an_offer(alice, bob)


def test_another_persons_token_takes_no_call_over(call, token):
    alice, bob = call(8)
    alice.wait_for_notice("Your token has ended")
    hand_over(alice, token("mallory"))
    alice.wait_for_notice("belongs to another name")
    assert alice.state == "running" and connection(alice) == "away"
    bob.hang_up()
    # Nobody is signed in any more: the page asks for a token.
    alice.wait_for_screen("sign-in")


def test_a_call_that_rings_outlives_a_token_and_can_be_cancelled_with_another(browser, server, token):
    """Without a socket nobody could tell the callee that it is over."""
    bob = CallPage(browser, server, "bob", token=token("bob"))
    alice = CallPage(browser, server, "alice", token=token("alice", 8))
    try:
        alice.call("bob")
        bob.wait_for("incoming")
        alice.wait_for_notice("Your token has ended")
        assert "waits for another token" in " ".join(alice.notices) and alice.state == "ringing"
        hand_over(alice, token("alice"))
        alice.wait(lambda: connection(alice) == "online", "being signed in")
        alice.hang_up()
        bob.wait_for_end("missed")
        assert not alice.errors and not bob.errors, (alice.errors, bob.errors)
    finally:
        for page in (alice, bob):
            page.close()


def test_whoever_is_refused_another_name_can_enter_another_token(browser, server, token):
    page = CallPage(browser, server, auto="", token=token("alice"))
    try:
        page.page.fill("#sign-in-name", "bob")
        page.page.click("#sign-in-submit")
        page.wait(lambda: "another name" in page.text("#sign-in-error"), "the refusal")
        assert page.page.is_visible("#sign-in-token-field")
    finally:
        page.close()
