"""The call page in Chromium, used as by a person, and the server that serves it."""
import contextlib
import os
import shlex
import signal
import socket
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request
from urllib.parse import urlencode

from playwright.sync_api import Error as PlaywrightError

from .duet import BINARY
from .patience import Wait, at_most, wait_until

# Another server of the same protocol can be tested with the page: `DUET_SERVE="COMMAND --port {port}"`.
COMMAND = os.environ.get("DUET_SERVE", f"{shlex.quote(BINARY)} serve --host 127.0.0.1 --port {{port}}")

PATIENCE = 45.0  # seconds; only a failure takes that long, and a machine that compiles meanwhile is slow


def free_port():
    """A port that is free on every IPv4 and IPv6 address: an attack may have left one occupied on its own addresses."""
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as probe:
        return probe.getsockname()[1]



@contextlib.contextmanager
def closing_without_errors():
    """A list for pages: at the end they are closed, and none of them may have complained."""
    made = []
    yield made
    errors = [error for page in made for error in page.errors]
    for page in made:
        page.close()
    assert not errors, errors


class Server:
    """`duet serve`, which can be killed and started again at the same address."""

    def __init__(self, *options):
        self.port = free_port()
        self.url = f"{'https' if '--certificate' in options else 'http'}://127.0.0.1:{self.port}/"
        self._options = options
        self._log = tempfile.TemporaryFile(mode="w+")
        self.process = None
        self.start()

    def start(self, timeout=PATIENCE):
        command = [*shlex.split(COMMAND.format(port=self.port)), *self._options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        wait_until(lambda: self.process.poll() is not None or self._answers(), timeout, "an answer of the server",
                   self.describe, step=0.05)
        assert self.process.poll() is None, f"the server ended\n{self.describe()}"

    def _answers(self):
        try:
            self._open("", timeout=2).close()
            return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def _open(self, path, timeout):
        # Its certificate, if there is one, was created by the test.
        return urllib.request.urlopen(self.url + path, timeout=timeout, context=ssl._create_unverified_context())

    def metric(self, name):
        """A value of /metrics; the server needs `--metrics`."""
        with self._open("metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        found = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        values = [float(value) for key, _, value in found if key.endswith(f"_{name}")]
        assert len(values) == 1, f"{name}: {values}"
        return values[0]

    def kill(self):
        """Kills it, without a message to clients."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Stops it like an operator, with a message to clients."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(at_most(PATIENCE)) == 0, self.describe()

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self._log.close()

    def describe(self):
        self._log.seek(0)
        return "\n  ".join(["the server:", *self._log.read().splitlines()[-15:]])


class CallPage:
    """One page, in a browser profile of its own, so that it is a separate device."""

    def __init__(self, browser, server, name=None, token=None, prepare=None, context=None, **query):
        """Signs in as `name` at once, if given. `prepare`: a script that runs before those of the page."""
        self.name = name
        self._server = server
        self._context = browser.new_context(**{"viewport": {"width": 1100, "height": 760}, **(context or {})})
        self._page = self._context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        if prepare:
            self.page.add_init_script(prepare)
        query = {"size": "320x240", "sounds": "off", **query}
        if name:
            query = {"name": name, **query}
            query["auto"] = ",".join(filter(None, ["sign-in", query.get("auto")]))
        fragment = f"#token={token}" if token else ""
        self.page.goto(f"{server.url}?{urlencode(query)}{fragment}")
        if name:
            self.wait_for_screen("lobby", "call")
            self.wait(lambda: self.page.evaluate("document.getElementById('connection').dataset.state") == "online",
                      "being signed in")

    def _note(self, message):
        # The browser reports an unreachable server too, which is not an error of the page.
        if message.type == "error" and "ERR_CONNECTION_REFUSED" not in message.text and "WebSocket" not in message.text:
            self.errors.append(message.text)

    @property
    def page(self):
        """The browser's page, whose own timeouts are limited too."""
        self._context.set_default_timeout(1_000 * at_most(PATIENCE))
        return self._page

    # What is to be seen

    @property
    def state(self):
        """The state of the call: none, calling, ringing, incoming, connecting, running."""
        return self.page.evaluate("document.body.dataset.call ?? 'none'")

    @property
    def outcome(self):
        """How the last call ended."""
        return self.page.evaluate("document.body.dataset.outcome ?? null")

    @property
    def notices(self):
        return self.page.evaluate("[...document.querySelectorAll('.notice p')].map((notice) => notice.innerText)")

    def text(self, selector):
        return self.page.inner_text(selector).strip()

    @property
    def sees_picture(self):
        return self.page.evaluate("document.getElementById('stage').dataset.picture === 'remote'")

    @property
    def pictures(self):
        """The number of displayed remote frames."""
        # Firefox does not count the frames of a stream there.
        return self.page.evaluate("""(() => {
            const video = document.getElementById('remote');
            return video.mozPaintedFrames ?? video.getVideoPlaybackQuality().totalVideoFrames;
        })()""")

    @property
    def code(self):
        """The verification code as displayed, without the text; or None."""
        return self.page.evaluate("""(() => {
            const code = document.getElementById('code');
            if (!code.checkVisibility() || code.dataset.status !== 'code') return null;
            const names = [...document.querySelectorAll('#code-pictures li')].map((one) => one.lastChild.data);
            const short = [...document.getElementById('code-short').childNodes].slice(1);
            return [short.map((one) => one.textContent).join(''), names.join(', ')];
        })()""")

    @property
    def code_status(self):
        """code, failed, silent, impossible; waiting, if none of them is shown."""
        return self.page.evaluate("""(() => {
            const code = document.getElementById('code');
            return code.checkVisibility() ? code.dataset.status : 'waiting';
        })()""")

    @property
    def messages(self):
        return self.page.evaluate("""[...document.querySelectorAll('#chat-messages li')].map(
            (line) => [line.className, line.querySelector('.text').textContent])""")

    def figure(self, table, row, column=0):
        """A value of the statistics, which have to be open, as text."""
        return self.page.evaluate("""([table, row, column]) => {
            const tables = [...document.querySelectorAll('#statistics table')];
            const found = tables.find((one) => one.caption.innerText === table);
            return found?.querySelector(`tr[data-row="${row}"]`)?.querySelectorAll('td')[column]?.innerText ?? null;
        }""", [table, row, column])

    # Waiting

    def wait(self, condition, what, timeout=PATIENCE):
        wait = Wait(timeout)
        while not condition():
            if wait.is_over:
                raise AssertionError(f"{what} did not come true within {wait}\n{self.describe()}\n"
                                     f"{self._server.describe()}")
            self.page.wait_for_timeout(20)

    def wait_for(self, *states, timeout=PATIENCE):
        self.wait(lambda: self.state in states, f"{self.name}'s call being {' or '.join(states)}", timeout)

    def wait_for_screen(self, *names, timeout=PATIENCE):
        self.wait(lambda: self.page.evaluate("document.body.dataset.screen") in names,
                  f"the screen {' or '.join(names)}", timeout)

    def wait_for_end(self, outcome=None, timeout=PATIENCE):
        self.wait_for("none", timeout=timeout)
        self.wait_for_screen("lobby")
        if outcome:
            assert self.outcome == outcome, self.describe()

    def wait_for_picture(self, timeout=PATIENCE):
        """Waits until remote video moves."""
        self.wait(lambda: self.sees_picture, f"{self.name} seeing a picture", timeout)
        before = self.pictures
        self.wait(lambda: self.pictures > before + 2, f"{self.name} seeing pictures that move", timeout)

    def wait_for_messages(self, *texts):
        self.wait(lambda: [text for _, text in self.messages] == list(texts),
                  f"{self.name} having the messages {texts}")

    def wait_for_code(self, status="code", timeout=PATIENCE):
        self.wait(lambda: self.code_status == status, f"{self.name}'s code being {status}", timeout)
        return self.code

    def wait_for_notice(self, part):
        self.wait(lambda: any(part in notice for notice in self.notices), f"{self.name} being told “{part}”")

    # What a person does

    def sign_in(self, name, token=None):
        self.name = name
        self.page.fill("#sign-in-name", name)
        if token is not None:
            self.page.fill("#sign-in-token", token)
        self.page.click("#sign-in-submit")

    def call(self, name):
        self.page.fill("#call-name", name)
        self.page.click("#call-submit")

    def accept(self):
        self.wait_for("incoming")
        self.page.click("#incoming-accept")

    def reject(self):
        self.wait_for("incoming")
        self.page.click("#incoming-reject")

    def hang_up(self):
        self.page.click("#screen-call [data-action=hang-up]")

    def press(self, action):
        """microphone, camera, devices, chat or statistics."""
        self.page.click(f"[data-action={action}]:visible")

    def write(self, text):
        if not self.page.is_visible("#panel-chat"):
            self.press("chat")
        self.page.fill("#chat-text", text)
        self.page.keyboard.press("Enter")

    def crash(self):
        """Kills the page's process, like a power cut."""
        try:
            self.page.goto("chrome://crash", timeout=2_000)
        except PlaywrightError:
            pass

    def close(self):
        self._context.close()

    def describe(self):
        try:
            return (f"{self.name}: {self.page.evaluate('document.body.dataset.screen')}, call {self.state}, "
                    f"outcome {self.outcome}, notices {self.notices}, errors {self.errors}, "
                    f"connection {self.text('#connection') if self.page.is_visible('#connection') else ''}")
        except PlaywrightError as error:
            return f"{self.name}: {error}"
