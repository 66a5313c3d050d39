"""Measures Chromium the way duet is measured, with the processor time of all its processes.

    chromium_bench.py throughput SIZE SECONDS   from one browser to another, as from one process to another
    chromium_bench.py call SECONDS FILM         a call with the film's pictures both ways, between two browsers
    chromium_bench.py setup RUNS                two ends in one page
    chromium_bench.py firstFrame RUNS           two ends in one page: from createOffer to the first decoded frame

Each prints one JSON object.
"""
import sys
import time
from pathlib import Path

from measuring import call_figures, cpu_of_descendants, say, throughput_figures, time_figures
from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Tests/Interop"))

from peers import chromium  # noqa: E402

SCRIPT = (HERE / "chromium_bench.js").read_text()


def launch(playwright, *flags):
    """A browser with the candidates that it gathers by itself: its loopback is none of them."""
    wanted = [flag for flag in chromium.FLAGS if flag != "--allow-loopback-in-peer-connection"]
    return playwright.chromium.launch(
        executable_path=chromium.path(), headless=True, args=[*wanted, chromium.PLAIN_ADDRESSES, *flags])


def open_page(browser):
    page = browser.new_page()
    page.set_default_timeout(120_000)
    # Cameras are for secure origins. Nothing leaves the machine for it.
    page.route("https://bench.test/", lambda route: route.fulfill(body="<!doctype html>"))
    page.goto("https://bench.test/")
    page.add_script_tag(content=SCRIPT)
    return page


def settle():
    """Waits until what a browser does at its start is over, ten seconds at most."""
    for _ in range(20):
        before = cpu_of_descendants()
        time.sleep(0.5)
        if cpu_of_descendants() - before < 0.03:
            return


def connect(one, other):
    other.evaluate("offer => answer(offer).then((answer) => { window.said = answer; })", one.evaluate("() => offer()"))
    one.evaluate("answer => accept(answer)", other.evaluate("() => said"))


def throughput(playwright, size, seconds):
    sender, receiver = (open_page(launch(playwright)) for _ in range(2))
    settle()
    sender.evaluate("() => prepareSender()")
    receiver.evaluate("() => prepareReceiver()")
    connect(sender, receiver)
    sender.evaluate("() => opened")
    before = cpu_of_descendants()
    sender.evaluate("([size, seconds]) => send(size, seconds)", [int(size), float(seconds)])
    result = receiver.evaluate("() => counted")
    used = cpu_of_descendants() - before
    say("chromium", "throughput", size=int(size), **throughput_figures(result["bytes"], result["seconds"], used))


def call(playwright, seconds, film):
    pages = [open_page(launch(playwright, f"--use-file-for-fake-video-capture={film}")) for _ in range(2)]
    for page in pages:
        page.evaluate("() => prepareCall()")
    connect(*pages)
    for page in pages:
        page.evaluate("() => keepSize()")
    pages[0].wait_for_timeout(8_000)
    start, used, before = time.monotonic(), cpu_of_descendants(), [page.evaluate("() => received()") for page in pages]
    pages[0].wait_for_timeout(float(seconds) * 1_000)
    passed, used = time.monotonic() - start, cpu_of_descendants() - used
    after = [page.evaluate("() => received()") for page in pages]
    say("chromium", "call", **call_figures(before, after, passed, used))


def in_one_page(what):
    def run(playwright, runs):
        page = open_page(launch(playwright))
        settle()
        say("chromium", what, **time_figures(page.evaluate(f"runs => {what}(runs)", int(runs))))
    return run


WHAT = {"throughput": throughput, "call": call, "setup": in_one_page("setup"), "firstFrame": in_one_page("firstFrame")}


def main():
    with sync_playwright() as playwright:
        WHAT[sys.argv[1]](playwright, *sys.argv[2:])  # leaving closes the browsers


main()
