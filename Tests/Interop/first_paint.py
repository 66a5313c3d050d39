"""How soon a page is painted in a warm view: RTCWebView's and WebKitGTK's own MiniBrowser, in turns in one run.

    Scripts/in-namespace .venv/bin/python Tests/Interop/first_paint.py [ROUNDS]

A page is painted, tells the server, and navigates to the next one, twelve times; the first two do not count. The time is from the
arrival of the request at the server to the message that two frames were drawn.
"""
import glob
import statistics
import subprocess
import sys
import threading
import time

from peers.screen import Screen
from peers.web_view import Desktop, Site, WebView

STEPS = 12
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
MINI_BROWSER = next(iter(glob.glob("/usr/lib/*/webkitgtk-6.0/MiniBrowser")), None)
PAGE = """<title>{number}</title><style>body{{font:16px sans-serif;columns:3}}</style>{text}<script>
requestAnimationFrame(() => requestAnimationFrame(() => {{
  fetch('/painted{number}').then(() => {{ if ({number} < {last}) location = '/step{next}'; }});
}}));</script>"""
TEXT = "".join(f"<h2>Chapter {n}</h2><p>{'Lorem ipsum dolor sit amet. ' * 30}</p>" for n in range(60))


class Run:
    def __init__(self):
        self.begun, self.painted, self.over = {}, {}, threading.Event()
        pages = {}
        for number in range(STEPS):
            pages[f"/step{number}"] = self._page(number)
            pages[f"/painted{number}"] = self._told(number)
        self.site = Site(pages)

    def _page(self, number):
        body = PAGE.format(number=number, next=number + 1, last=STEPS - 1, text=TEXT)

        def page(handler):
            self.begun[number] = time.monotonic()
            handler.reply(body, Cache_Control="no-store")
        return page

    def _told(self, number):
        def told(handler):
            self.painted[number] = time.monotonic()
            handler.reply("")
            if number == STEPS - 1:
                self.over.set()
        return told

    def times(self):
        assert self.over.wait(120), "the pages were not painted"
        self.site.close()
        return [1000 * (self.painted[n] - self.begun[n]) for n in range(2, STEPS)]


def ours(desktop):
    run = Run()
    view = WebView(desktop)
    try:
        view.do("load", run.site.url("/step0"))
        return run.times()
    finally:
        view.close()


def theirs(desktop):
    run = Run()
    process = subprocess.Popen([MINI_BROWSER, "--private", "--geometry=1000x720", run.site.url("/step0")],
                               env=desktop.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return run.times()
    finally:
        process.terminate()
        process.wait()


def main():
    screen = Screen(1000, 720)
    desktop = Desktop(screen)
    times = {"ours": [], "MiniBrowser": []}
    try:
        for _ in range(ROUNDS):
            times["ours"] += ours(desktop)
            times["MiniBrowser"] += theirs(desktop)
    finally:
        desktop.close()
        screen.close()
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        print(f"{name}: {median:.1f} ms")
    print(f"ratio {medians['ours'] / medians['MiniBrowser']:.2f}")


main()
