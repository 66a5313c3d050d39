"""Firefox, driven over its own protocol Marionette: no other program is needed."""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from . import written
from .chromium import ChromiumPeer
from .patience import Wait, at_most, wait_until

# Loopback addresses are used as candidates, all addresses are used without a camera in use, and no permission is requested.
PREFERENCES = {
    "marionette.port": 0,
    "media.peerconnection.ice.loopback": True,
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    "media.peerconnection.ice.default_address_only": False,
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "media.autoplay.default": 0,
    "media.autoplay.blocking_policy": 0,
    "media.gmp-manager.updateEnabled": False,
    "app.update.disabledForTesting": True,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False,
}

# The value of an expression, or of a function of `argument`, as in Playwright.
EVALUATE = """
const [argument, done] = arguments;
(async () => {
    const value = (%s);
    return typeof value === 'function' ? await value(argument) : await value;
})().then((value) => done({ value: value === undefined ? null : value }), (error) => done({ error: String(error) }));
"""


class Firefox:
    """A process of it without a window. Its tabs are the pages."""

    def __init__(self):
        path = shutil.which("firefox-esr") or shutil.which("firefox")
        assert path, "there is no Firefox: Scripts/setup test installs it"
        # What was started is ended also if a later part does not start.
        with contextlib.ExitStack() as ending:
            self._errors = ending.enter_context(tempfile.TemporaryFile(mode="w+"))
            home = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="duet-firefox-")))
            environment = {name: value for name, value in os.environ.items() if not name.startswith(("PULSE_", "XDG_"))}
            environment |= {"HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
            # Its audio contexts do not run without a sound card. This one discards the audio.
            self._start(
                ending, environment, home / "pulse/native", "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no",
                "--exit-idle-time=-1", "--load=module-native-protocol-unix", "--load=module-null-sink")
            (home / "user.js").write_text("".join(
                f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()))
            port = home / "MarionetteActivePort"
            self._start(
                ending, environment, port, path, "--headless", "--marionette", "--no-remote", "--profile", str(home),
                "about:blank")
            self._connection = ending.enter_context(
                socket.create_connection(("127.0.0.1", int(port.read_text())), timeout=60))
            self._buffer, self._number = b"", 0
            self._read()  # who it is
            self.command("WebDriver:NewSession")
            self.command("WebDriver:SetTimeouts", {"script": 30_000, "pageLoad": 30_000, "implicit": 0})
            self._first = self._current = self.command("WebDriver:GetWindowHandle")
            self._ending = ending.pop_all()

    def _start(self, ending, environment, sign, *command):
        """Starts a program, and waits until it has created the file that shows that it runs."""
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=self._errors)
        ending.callback(self._end, process)
        wait = Wait(60)
        while not sign.exists() or sign.is_file() and not sign.read_text():
            assert process.poll() is None and not wait.is_over, (
                f"{command[0]} does not begin within {wait}\n{written(self._errors)}")
            time.sleep(0.05)

    @staticmethod
    def _end(process):
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self):
        self._ending.close()

    def _read(self):
        while b":" not in self._buffer:
            self._receive()
        length, self._buffer = self._buffer.split(b":", 1)
        while len(self._buffer) < int(length):
            self._receive()
        message, self._buffer = self._buffer[:int(length)], self._buffer[int(length):]
        return json.loads(message)

    def _receive(self):
        piece = self._connection.recv(65_536)
        assert piece, f"Firefox has gone\n{written(self._errors)}"
        self._buffer += piece

    def command(self, name, parameters=None):
        self._number += 1
        text = json.dumps([0, self._number, name, parameters or {}]).encode()
        self._connection.settimeout(at_most(60))
        self._connection.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self._read()
        assert number == self._number
        if error:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def new_page(self):
        return Page(self, self.command("WebDriver:NewWindow", {"type": "tab", "focus": False})["handle"])

    def new_context(self, **_):
        """One tab, which `CallPage` may use like a context of Playwright's. All tabs share the pages' storage."""
        return self.new_page()

    def switch(self, handle=None):
        """Switches to a tab, or to the first one, which always exists: commands fail in a closed tab."""
        handle = handle or self._first
        if self._current != handle:
            self.command("WebDriver:SwitchToWindow", {"handle": handle, "focus": True})
            self._current = handle


class Page:
    """A tab, with the methods of Playwright that the peers use."""

    def __init__(self, browser, handle):
        self._browser, self._handle, self._is_closed = browser, handle, False

    def _command(self, name, parameters):
        self._browser.switch(self._handle)
        return self._browser.command(name, parameters)

    def goto(self, address):
        self._command("WebDriver:Navigate", {"url": address})

    def add_script_tag(self, content):
        self.evaluate("""text => {
            const script = document.createElement('script');
            script.textContent = text;
            document.head.append(script);
        }""", content)

    def evaluate(self, source, argument=None):
        found = self._command("WebDriver:ExecuteAsyncScript", {
            "script": EVALUATE % source, "args": [argument], "sandbox": None, "newSandbox": False})
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["value"]

    def wait_for_function(self, source, timeout=20.0):
        wait_until(lambda: self.evaluate(source), timeout, source, step=0.02)

    def wait_for_timeout(self, milliseconds):
        time.sleep(milliseconds / 1000)

    # What a person sees and does

    def _element(self, selector):
        found = self._command("WebDriver:FindElement", {"using": "css selector", "value": selector})
        return {"id": next(iter(found.values()))}

    def inner_text(self, selector):
        return self._command("WebDriver:GetElementText", self._element(selector))

    def is_visible(self, selector):
        return self._command("WebDriver:IsElementDisplayed", self._element(selector))

    def click(self, selector):
        self._command("WebDriver:ElementClick", self._element(selector))

    def fill(self, selector, text):
        element = self._element(selector)
        self._command("WebDriver:ElementClear", element)
        self._command("WebDriver:ElementSendKeys", element | {"text": text})

    # Of a context

    def new_page(self):
        return self

    def set_default_timeout(self, _):
        pass

    def on(self, *_):
        """Marionette reports no errors of a page."""

    def is_closed(self):
        return self._is_closed

    def close(self):
        if not self._is_closed:
            self._is_closed = True
            self._command("WebDriver:CloseWindow", {})
            self._browser.switch()


class FirefoxPeer(ChromiumPeer):
    """The same page in Firefox."""

    def describe(self):
        return super().describe().replace("chromium", "firefox", 1)
