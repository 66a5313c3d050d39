"""`duet login --web-view`: signing in at a strict provider, in a window with a real WebKitGTK in it."""
import time
from urllib.parse import parse_qs

import pytest

from peers.keyring import Keyring
from peers.login import PATIENCE, Program
from peers.patience import Wait
from peers.provider import Provider, replaced
from peers.screen import Screen
from peers.web_view import Desktop, Site
from peers.window import Window

pytestmark = pytest.mark.timeout(120)

CUSTOM_SCHEME = "com.example.duet:/signed-in"
# Where the window's Cancel is. There is no window manager: a window is in the corner, without a frame.
CANCEL = (40, 22)


@pytest.fixture(scope="module")
def screen():
    screen = Screen(1000, 760)
    yield screen
    screen.close()


@pytest.fixture(scope="module")
def keyring(screen):
    keyring = Keyring()
    desktop = Desktop(screen)
    # The desktop's screen and toolkit, and the keyring's message bus and folders.
    keyring.environment = desktop.environment | keyring.environment
    yield keyring
    keyring.close()
    desktop.close()


@pytest.fixture
def provider():
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture(autouse=True)
def nobody_signed_in(keyring):
    yield
    keyring.forget()


def begin(keyring, provider, *options):
    return Program(keyring, "login", provider.issuer, "--json", "--web-view", *options)


def end(program):
    status, event = program.end()
    said = "".join(program.texts) + program.said_wrong
    assert "code=" not in said and "state=" not in said, "an address of the login was printed"
    return status, event


@pytest.mark.parametrize("redirect", [(), ("--redirect", CUSTOM_SCHEME)], ids=["loopback", "custom-scheme"])
def test_a_login(keyring, provider, redirect):
    status, event = end(begin(keyring, provider, *redirect))
    assert (status, event["event"], event["subject"]) == (0, "signedIn", "alice"), event
    assert keyring.items() == 1
    assert provider.count("/token") == 1
    status, event = Program(keyring, "logout", provider.issuer, "--json").end()
    assert (status, event["revoked"]) == (0, True)
    assert not provider.live


def test_a_person_allows(keyring, provider, screen):
    """By a form of the provider's, which a script of the page sends, and a redirect from it."""
    provider.interactive = True
    provider.page_script = "setTimeout(() => document.querySelector('[value=yes]').click(), 100)"
    program = begin(keyring, provider, "--redirect", CUSTOM_SCHEME)
    status, event = end(program)
    assert (status, event["subject"]) == (0, "alice"), event


def test_a_person_denies(keyring, provider):
    provider.interactive = True
    provider.page_script = "setTimeout(() => document.querySelector('[value=no]').click(), 100)"
    status, event = end(begin(keyring, provider))
    assert (status, event["code"]) == (1, "access-denied")
    assert keyring.items() == 0


@pytest.mark.parametrize("how", ["the button", "the window"])
def test_a_person_cancels(keyring, provider, screen, how):
    provider.interactive = True
    program = begin(keyring, provider)
    window = Window(screen, "Provider – Sign in", program=program)
    if how == "the button":
        wait = Wait(PATIENCE)
        while program.process.poll() is None:  # it may not be drawn yet
            assert not wait.is_over, "the button does nothing"
            screen.click(*CANCEL)
            time.sleep(1)
    else:
        window.close()
    status, event = end(program)
    assert (status, event["code"]) == (1, "user-cancelled"), event
    assert keyring.items() == 0 and provider.count("/token") == 0


def test_the_bar_offers_to_cancel_and_nothing_else(keyring, provider, screen):
    """No way back, forward or to load it again: wherever else the bar is pressed, the page stays the one that it is."""
    provider.interactive = True
    program = begin(keyring, provider)
    Window(screen, "Provider – Sign in", program=program)
    pages = provider.count("/authorize")
    assert pages == 1
    for x in range(CANCEL[0] + 60, 1000, 15):
        screen.click(x, CANCEL[1])
    time.sleep(1)
    assert program.process.poll() is None and provider.count("/authorize") == pages
    program.process.terminate()
    end(program)


def test_a_signal_closes_the_window(keyring, provider, screen):
    provider.interactive = True
    program = begin(keyring, provider)
    Window(screen, "Provider – Sign in", program=program)
    program.process.terminate()
    status, event = end(program)
    assert (status, event["code"]) == (130, "cancelled")
    Window.wait_for_none(screen)


@pytest.mark.parametrize("redirect", [(), ("--redirect", CUSTOM_SCHEME)], ids=["loopback", "custom-scheme"])
def test_a_token_in_the_fragment_is_refused(keyring, provider, redirect):
    provider.change_redirect = lambda url: replaced(url, True, code=None, access_token="t0ken", token_type="bearer")
    status, event = end(begin(keyring, provider, *redirect))
    assert (status, event["code"]) == (1, "token-in-redirect")
    assert keyring.items() == 0


def test_the_user_agent_is_webkits_own(keyring, provider):
    """Neither a browser's name that it is not, nor ours: providers that refuse views are not deceived."""
    assert end(begin(keyring, provider))[0] == 0
    agents = {agent for path, agent in provider.agents if path == "/authorize"}
    assert len(agents) == 1
    agent = agents.pop()
    assert "AppleWebKit/" in agent and "Linux" in agent and "duet" not in agent, agent
    assert not [name for name in ("Chrome", "Firefox", "Edg", "iPhone", "Macintosh", "Windows") if name in agent], agent


def test_the_sign_of_loading_turns_until_the_page_is_there(keyring, provider, screen):
    provider.interactive = True
    provider.is_ready.clear()
    program = begin(keyring, provider)
    Window(screen, "Sign in", program=program)
    bar = (60, 0, 500, 44)  # behind Cancel
    wait = Wait(PATIENCE)
    while screen.different(*bar, seconds=1) < 5:
        assert not wait.is_over and program.process.poll() is None, "nothing turns"
    provider.is_ready.set()
    Window(screen, "Provider – Sign in", program=program)
    wait = Wait(PATIENCE)
    while screen.different(*bar, seconds=1) > 1:
        assert not wait.is_over, "it turns on"
    program.process.terminate()
    end(program)


# Windows that pages open

# The other provider's page: it tells the one that opened it, and closes itself.
TELLS = """<title>Other</title><script>setTimeout(() => { opener.postMessage('signed in', '*'); window.close(); }, 300)</script>"""
# It waits to be told by a person, or to be closed.
WAITS = """<title>Other</title>"""


@pytest.fixture
def other(screen):
    said = []

    def tell(handler):
        said.append(parse_qs(handler.path.partition("?")[2])["what"][0])
        handler.reply("", Access_Control_Allow_Origin="*")

    site = Site({"/tells": TELLS, "/waits": WAITS, "/said": tell})
    site.said = said
    yield site
    site.close()


ALLOW = "document.querySelector('[value=yes]').click()"


@pytest.mark.parametrize("how", ["a script", "a link"])
def test_signing_in_with_another_provider_by_its_window(keyring, provider, other, screen, how):
    provider.interactive = True
    opening = {
        "a script": f"open('{other.url('/tells')}', 'other', 'width=400,height=300')",
        "a link": f"const link = document.createElement('a'); link.href = '{other.url('/tells')}'; link.target = '_blank';"
                  " link.rel = 'opener'; document.body.append(link); link.click()",
    }[how]
    provider.page_script = f"onmessage = (event) => {{ if (event.data == 'signed in') {ALLOW}; }}; onload = () => {{ {opening} }}"
    status, event = end(begin(keyring, provider, "--redirect", CUSTOM_SCHEME))
    assert (status, event["subject"]) == (0, "alice"), event
    assert other.count("/tells") == 1
    Window.wait_for_none(screen)


def test_a_window_that_a_script_fills_afterwards(keyring, provider, other, screen):
    """Opened without an address, and sent somewhere when something else has been asked."""
    provider.interactive = True
    provider.page_script = (
        f"onmessage = (event) => {{ if (event.data == 'signed in') {ALLOW}; }};"
        f" onload = () => {{ const other = open(); setTimeout(() => other.location = '{other.url('/tells')}', 300); }}")
    status, event = end(begin(keyring, provider))
    assert (status, event["subject"]) == (0, "alice"), event


@pytest.mark.parametrize("how", ["the button", "the window"])
def test_a_person_closes_the_other_window(keyring, provider, other, screen, how):
    """The page that opened it is still there, learns it, and goes on."""
    provider.interactive = True
    provider.page_script = (
        f"onload = () => {{ const other = open('{other.url('/waits')}'); setInterval(() => {{ if (other.closed) {ALLOW}; }}, 100); }}")
    program = begin(keyring, provider)
    window = Window(screen, "Other – Sign in", program=program)
    if how == "the button":
        wait = Wait(PATIENCE)
        while program.process.poll() is None:  # it may not be drawn yet, and it lies over the first
            assert not wait.is_over, "the button does nothing"
            if "Other – Sign in" in Window.titles(screen):
                screen.click(*CANCEL)
            time.sleep(1)
    else:
        window.close()
    status, event = end(program)
    assert (status, event["event"]) == (0, "signedIn"), event


def test_the_redirect_in_a_window_of_its_own(keyring, provider, screen):
    """A form that is answered in another window ends the login there."""
    provider.interactive = True
    provider.page_script = f"onload = () => {{ document.forms[0].target = '_blank'; {ALLOW}; }}"
    status, event = end(begin(keyring, provider, "--redirect", CUSTOM_SCHEME))
    assert (status, event["subject"]) == (0, "alice"), event
    Window.wait_for_none(screen)


def test_windows_without_end(keyring, provider, other, screen):
    """Three are shown; the page is told that it gets no more, and so is the person."""
    provider.interactive = True
    tell = f"fetch('{other.url('/said')}?what=' + "
    provider.page_script = f"""onload = () => {{
        const count = () => [1, 2, 3, 4, 5].filter(() => open('{other.url('/waits')}', '_blank')).length;
        {tell} count()); }}"""
    program = begin(keyring, provider)
    wait = Wait(PATIENCE)
    while not other.said or Window.titles(screen).count("Other – Sign in") < 3:
        assert not wait.is_over and program.process.poll() is None, (other.said, Window.titles(screen), program.describe())
        time.sleep(0.1)
    assert other.said == ["3"] and Window.titles(screen).count("Other – Sign in") == 3
    # Whoever has enough closes the first, and all are gone.
    Window(screen, "Provider – Sign in", program=program).close()
    status, event = end(program)
    assert (status, event["code"]) == (1, "user-cancelled"), event
    Window.wait_for_none(screen)


def test_a_window_that_is_refused_is_said_to_the_person(keyring, provider, other, screen):
    """In the window: a panel lies over the page, which feels no click until the person has read it; then the login goes on."""
    provider.interactive = True
    # Its left half says that it was touched; its right half opens a window that nobody may have.
    provider.page_script = f"""
        const tell = (what) => fetch('{other.url('/said')}?what=' + what);
        onload = () => {{ document.body.style.minHeight = '600px'; onpointerup = (event) => {{
            if (event.clientX < 280) return tell('touched');
            tell(open('nobody-has-this:1') ? 'opened' : 'refused'); }}; }}"""
    program = begin(keyring, provider, "--redirect", CUSTOM_SCHEME)
    Window(screen, "Provider – Sign in", program=program)
    page = (0, 60, 560, 640)
    left, right = (140, 650), (420, 650)

    def until(what, why, again=lambda: None):
        wait = Wait(PATIENCE)
        while not what():
            assert not wait.is_over and program.process.poll() is None, (why, other.said, program.describe())
            again()
            time.sleep(0.3)

    until(lambda: "touched" in other.said, "the page is never drawn", lambda: screen.click(*left))
    time.sleep(1)  # every touch of before has come by now
    before = screen.steady(*page)
    screen.click(*right)
    until(lambda: other.said[-1] == "refused", "the page is not told")
    until(lambda: screen.steady(*page) != before, "no panel is drawn")
    said = list(other.said)
    for _ in range(2):  # nor does a click take the panel away
        screen.click(*left)
        time.sleep(1)
        assert other.said == said, "the page feels what is clicked on above it"
    # The panel's button has the keyboard, once the window has: without a window manager, nobody else gives it.
    Window(screen, "Provider – Sign in", program=program).focus()
    until(lambda: len(other.said) > len(said), "the panel stays", lambda: (screen.key("Return"), screen.click(*left)))
    assert other.said[-1] == "touched"
    program.process.terminate()
    status, event = end(program)
    assert event["code"] == "cancelled", event
