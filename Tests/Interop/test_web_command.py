"""`duet web URL`: a page in a window of the command's, in a real WebKitGTK."""
import re
import signal
import socket
import subprocess
import threading
import time

import pytest

from peers.duet import BINARY
from peers.patience import Wait, at_most
from peers.screen import Screen
from peers.web_view import Desktop, Site, WebView
from peers.window import Window

pytestmark = pytest.mark.timeout(120)

PATIENCE = 45.0

PAGES = {
    "/": "<title>A page of ours</title><body>Hello</body>",
    "/other": "<title>Another page</title><body>Hello again</body>",
    "/agent": "<title>agent</title><script>document.title = 'agent ' + navigator.userAgent</script>",
}


@pytest.fixture(scope="module")
def desktop():
    screen = Screen(1100, 760)
    desktop = Desktop(screen)
    yield desktop
    desktop.close()
    screen.close()


@pytest.fixture(scope="module")
def site():
    site = Site(PAGES)
    yield site
    site.close()


class Command:
    """A run of `duet web`, and what it prints."""

    def __init__(self, desktop, *arguments):
        self.process = subprocess.Popen(
            [BINARY, "web", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=desktop.environment)
        self.lines, self.errors = [], []
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.errors))]
        for reader in self._readers:
            reader.start()

    def _read(self, stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    def wait(self, line):
        wait = Wait(PATIENCE)
        while line not in self.lines:
            assert self.process.poll() is None and not wait.is_over, (line, self.lines, self.errors)
            time.sleep(0.05)

    def end(self):
        """Its exit status, when it has ended by itself."""
        try:
            status = self.process.wait(at_most(PATIENCE))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end: {self.lines} {self.errors}") from None
        for reader in self._readers:
            reader.join(10)
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.end()


@pytest.fixture
def web(desktop):
    commands = []

    def run(*arguments):
        commands.append(Command(desktop, *arguments))
        return commands[-1]

    yield run
    for command in commands:
        command.close()


def test_a_page_is_shown_until_its_window_is_closed(web, desktop, site):
    command = web(site.url("/?secret=1#part"), "--verbose", "--ephemeral")
    command.wait(f"shown {site.url('/')}")
    command.wait("title A page of ours")
    window = Window(desktop.screen, "A page of ours")
    assert window.title == "A page of ours – duet"
    assert not [line for line in command.lines if "secret" in line], "a query may hold a token"
    assert [line for line in command.lines if line.startswith("title")] == ["title A page of ours"]
    window.close()
    assert command.end() == 0, command.errors


def test_the_user_agent_is_webkits_own(web, desktop, site):
    """The same as any program with a WebKitGTK has that says nothing of itself, and the same by the wire and by the page."""
    command = web(site.url("/agent"), "--ephemeral")
    title = Window(desktop.screen, "agent Mozilla").title
    agents = {hit[3]["User-Agent"] for hit in site.hits if hit[1] == "/agent"}
    assert len(agents) == 1
    agent = agents.pop()
    assert title == f"agent {agent} – duet"
    assert re.fullmatch(r"Mozilla/5\.0 \(X11; [^)]*Linux [^)]*\) AppleWebKit/[0-9.]+ \(KHTML, like Gecko\) "
                        r"Version/[0-9.]+ Safari/[0-9.]+", agent), agent
    command.close()
    plain = WebView(desktop)
    plain.do("load", site.url("/agent"))
    assert plain.title("agent ") == f"agent {agent}"
    plain.close()


def test_a_page_that_is_not_encrypted_is_refused_with_a_word(web, desktop):
    """The word comes at once, and in place of a window."""
    Window.wait_for_none(desktop.screen)  # of the tests before
    command = web("http://calls.example/", "--ephemeral")
    assert command.end() == 64
    assert any("https" in line for line in command.errors), command.errors
    assert Window.titles(desktop.screen) == []


def test_what_is_no_page_is_refused(web):
    for address in ("file:///etc/passwd", "calls.example", "javascript:alert(1)"):
        command = web(address)
        assert command.end() == 64, address
        assert any("no address of a web page" in line for line in command.errors), command.errors


def test_a_page_that_is_not_there_says_so(web, desktop):
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/"
    command = web(nobody, "--verbose", "--ephemeral")
    wait = Wait(PATIENCE)
    while not any(line.startswith(f"failed {nobody}") for line in command.lines):
        assert not wait.is_over, command.lines
        time.sleep(0.05)
    Window(desktop.screen, "duet").close()
    assert command.end() == 0, command.errors


def test_a_signal_ends_it(web, desktop, site):
    command = web(site.url("/other"), "--ephemeral")
    Window(desktop.screen, "Another page")
    command.process.send_signal(signal.SIGTERM)
    assert command.end() in (-signal.SIGTERM, 0, 130)
