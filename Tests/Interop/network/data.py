"""The throughput of a data channel on a link.

    python -m network.data lossy-20 duet     (within Scripts/in-namespace)

The schedule's TCP flows run at the same time.
"""
import contextlib
import sys
import tempfile
import threading
import time
from pathlib import Path

from peers import Session, waiting
from peers.duet import DuetPeer

from . import schedule
from .call import download
from .ends import launch, open_page
from .link import NarrowNetwork

MESSAGE = 16_384
SCRIPT = Path(__file__).resolve().parents[3] / "Benchmarks/Peers/chromium_bench.js"


def throughput(plan, kind, seconds, folder, playwright=None):
    """Sends reliable, ordered messages of 16 KiB from left to right. Returns megabytes per second from the first to the last,
    those of the schedule's TCP flows in the same time, and the link's own figures."""
    with contextlib.ExitStack() as ending:
        network = ending.enter_context(contextlib.closing(NarrowNetwork(plan, folder, trace=False)))
        measure = {"duet": _duet, "chromium": _chromium}[kind]
        beside, stop = [], threading.Event()

        def start():
            network.start()
            for flow in plan.flows:
                if flow.kind == "tcp":
                    threads, sockets = download(network, flow.begins, flow.ends, stop, beside)
                    for thread in threads:
                        thread.start()
                        ending.callback(waiting.stop, thread, *sockets)
            ending.callback(stop.set)

        before, began = _processor_seconds(network), time.monotonic()
        rate = measure(network, start, seconds, Path(folder), playwright)
        ended = time.monotonic()
        used = (_processor_seconds(network) - before) / (ended - began)
        others = sum(size for at, size in beside if ended - seconds <= at < ended) / seconds / 1e6
        late = network.stop()
        capacity = plan.capacity("forward", 0, plan.seconds)
        return {"megabytesPerSecond": rate, "linkShare": rate * 8_000 / capacity, "linkCores": used, "link": late} | (
            {"tcpMegabytesPerSecond": others} if beside else {})


def _processor_seconds(network):
    fields = Path(f"/proc/{network.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _duet(network, start, seconds, folder, playwright):
    sender = DuetPeer("offer", "--bench", str(MESSAGE), str(seconds), "--bind", network.left.address, within=network.left.within)
    receiver = DuetPeer("answer", "--bind", network.right.address, within=network.right.within)
    try:
        start()
        Session(sender, receiver).pump(lambda: sender.events("bench"), timeout=seconds * 4 + 30, what="duet's result")
        return sender.events("bench")[-1]["megabytesPerSecond"]
    finally:
        sender.close()
        receiver.close()


def _chromium(network, start, seconds, folder, playwright):
    with contextlib.ExitStack() as ending:
        pages = []
        for side in (network.left, network.right):
            browser = launch(playwright, side, folder / side.name)
            ending.callback(browser.close)
            pages.append(open_page(browser, SCRIPT.read_text()))
        sender, receiver = pages
        sender.evaluate("() => prepareSender()")
        receiver.evaluate("() => prepareReceiver()")
        start()
        answer = receiver.evaluate("offer => answer(offer)", sender.evaluate("() => offer()"))
        sender.evaluate("answer => accept(answer)", answer)
        sender.evaluate("([size, seconds]) => send(size, seconds)", [MESSAGE, seconds])
        result = receiver.evaluate("() => counted")
        return result["bytes"] / 1e6 / result["seconds"]


def main():
    name, kind, *rest = sys.argv[1:]
    with contextlib.ExitStack() as ending:
        playwright = None
        if kind == "chromium":
            from playwright.sync_api import sync_playwright
            playwright = ending.enter_context(sync_playwright())
        folder = ending.enter_context(tempfile.TemporaryDirectory())
        print(throughput(schedule.load(name), kind, float(rest[0]) if rest else 10, folder, playwright))


if __name__ == "__main__":
    main()
