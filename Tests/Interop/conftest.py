"""Fixtures, and two rules: a test that is skipped fails, and no process outlives its test."""
import os
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

from peers import Session, patience  # noqa: E402
from peers import chromium as browsers  # noqa: E402
from peers.aiortc_peer import AiortcPeer, Loop  # noqa: E402
from peers.chromium import ChromiumPeer  # noqa: E402
from peers.firefox import Firefox, FirefoxPeer  # noqa: E402
from peers.duet import BINARY, DuetPeer  # noqa: E402
from peers.libdatachannel import LibdatachannelPeer  # noqa: E402
from peers.webrtcbin import WebrtcbinPeer  # noqa: E402

pytest_plugins = ["progress"]


def pytest_sessionstart(session):
    if not session.config.option.collectonly and not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is not there: make build builds it", returncode=3)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Otherwise a skipped test would count as passed without having been run."""
    report = (yield).get_result()
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped: a skipped test is a failure"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Waits in a test know how much of its time limit is left."""
    patience.begin(patience.limit_of(item))
    yield
    patience.end()


def pytest_runtest_teardown():
    patience.begin_teardown()


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


def _browser(*flags):
    @pytest.fixture(scope="session")
    def browser(playwright):
        browser = browsers.launch(playwright, *flags)
        yield browser
        browser.close()
    return browser


browser = _browser(browsers.PLAIN_ADDRESSES)
browser_with_mdns = _browser(browsers.MDNS_ADDRESSES)


@pytest.fixture(scope="session")
def firefox():
    firefox = Firefox()
    yield firefox
    firefox.close()


@pytest.fixture(scope="session")
def loop():
    loop = Loop()
    yield loop
    loop.close()


class Ring:
    """Creates peers, and closes them after the test, whatever its result."""

    def __init__(self, get):
        self._get, self._peers = get, []

    def _keep(self, peer):
        self._peers.append(peer)
        return peer

    def duet(self, role, *options, **place):
        return self._keep(DuetPeer(role, *options, **place))

    def chromium(self, browser="browser", **options):
        return self._keep(ChromiumPeer(self._get(browser), **options))

    def firefox(self, **options):
        return self._keep(FirefoxPeer(self._get("firefox"), **options))

    def page(self, browser, **options):
        """A peer in the browser of that name."""
        return self.firefox(**options) if browser == "firefox" else self.chromium(browser, **options)

    def aiortc(self, **options):
        return self._keep(AiortcPeer(self._get("loop"), **options))

    def libdatachannel(self, **options):
        return self._keep(LibdatachannelPeer(**options))

    def webrtcbin(self, role, *kinds):
        return self._keep(WebrtcbinPeer(role, *kinds))

    def session(self, one, other):
        return Session(one, other)

    def close(self):
        for peer in reversed(self._peers):
            peer.close()


@pytest.fixture
def ring(request):
    ring = Ring(request.getfixturevalue)
    yield ring
    ring.close()
