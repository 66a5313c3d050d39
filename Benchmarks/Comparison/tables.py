"""The tables of README.md and docs/, made of Benchmarks/results.json."""

NAMES = {"duet": "Duet", "duet in batches": "Duet, in batches", "libdatachannel": "libdatachannel", "pion": "pion v3",
         "chromium": "Chromium", "aiortc": "aiortc"}
OTHERS = ["libdatachannel", "pion", "chromium", "aiortc"]
SIZES = {1024: "1 KiB", 16384: "16 KiB", 65536: "64 KiB"}
MISSING = "–"


class Chapter:
    """One chapter of the results, in which figures can be compared."""

    def __init__(self, results, name):
        self.facts = results[name]
        self.entries = {(e["benchmark"], e["peer"], e["of"], e["figure"]): e for e in self.facts["figures"]}

    def entry(self, benchmark, peer, figure, of=None):
        return self.entries.get((benchmark, peer, of, figure))

    def median(self, benchmark, peer, figure, of=None):
        entry = self.entry(benchmark, peer, figure, of)
        return shown(entry["median"]) + ("*" if entry["disturbed"] else "") if entry else MISSING

    def span(self, benchmark, peer, figure, of=None):
        """The median, with the minimum and the maximum."""
        entry = self.entry(benchmark, peer, figure, of)
        if not entry:
            return MISSING
        return f"{self.median(benchmark, peer, figure, of)} ({shown(entry['minimum'])}–{shown(entry['maximum'])})"

    def ratio(self, benchmark, figure, of=None, more_is_better=False, ours="duet", peers=OTHERS):
        """Duet's median over the best peer's."""
        mine = self.entry(benchmark, ours, figure, of)
        theirs = [e["median"] for e in (self.entry(benchmark, peer, figure, of) for peer in peers) if e]
        if not mine or not theirs:
            return MISSING
        best = max(theirs) if more_is_better else min(theirs)
        return f"{shown(mine['median'] / best)} ×" if best else MISSING

    def best(self, benchmark, figure, of=None):
        """The peer with the highest median."""
        return max((peer for peer in OTHERS if self.entry(benchmark, peer, figure, of)),
                   key=lambda peer: self.entry(benchmark, peer, figure, of)["median"])

    def conditions(self):
        facts, versions = self.facts, self.facts["versions"]
        peers = ", ".join(f"{NAMES.get(name, name).removesuffix(' v3')} {version}" for name, version in versions.items()
                          if name not in ("linux", "duet"))
        text = (f"Measured on {facts['date']} on {facts['cores']} cores of {facts['processor']}, Linux "
                f"{versions['linux']}: medians of {facts['rounds']} rounds. Duet at {versions['duet']}; {peers}.")
        if facts["measuredAgain"]:
            text += (" Measured again, since other processes used more than a tenth of a core: "
                     f"{facts['measuredAgain']} of {facts['samples'] + facts['measuredAgain']} measurements.")
        if any(entry["disturbed"] for entry in facts["figures"]):
            text += " * disturbed: other processes used more than a tenth of a core, however often it was measured."
        return text


def shown(value):
    """Three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(*rows):
    head, *rest = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|" + " --- |" * len(rows[0]), *rest])


def headline(results):
    data = Chapter(results, "data")
    best = data.best("throughput", "megabytesPerSecond", 16384)

    def ratio(ours, peers):
        return data.ratio("throughput", "megabytesPerSecond", 16384, True, ours, peers)

    others = ", ".join(f"{ratio('duet', [peer])} {NAMES[peer]}'s" for peer in OTHERS if peer != best)
    return (f"16 KiB messages, one a call, as everybody can: Duet's data channel carries {ratio('duet', [best])} what the best other "
            f"one carries ({NAMES[best]}); that is {others}. In batches, which Duet alone takes: {ratio('duet in batches', [best])}.")


def beside(results):
    """README's: one row a benchmark, one column a peer."""
    data, media = Chapter(results, "data"), Chapter(results, "media")

    def row(title, chapter, benchmark, figure, of=None, more_is_better=False):
        return [title, *[chapter.median(benchmark, peer, figure, of) for peer in ("duet", *OTHERS)],
                chapter.ratio(benchmark, figure, of, more_is_better)]

    def batches(figure, of, more_is_better):
        return ["… handed over in batches, which Duet alone can",
                data.median("throughput", "duet in batches", figure, of), *[MISSING for _ in OTHERS],
                data.ratio("throughput", figure, of, more_is_better, ours="duet in batches")]

    return "\n\n".join([
        headline(results),
        table(["", *[NAMES[peer] for peer in ("duet", *OTHERS)], "Duet / best peer"],
              row("data channel, 16 KiB messages, MB/s", data, "throughput", "megabytesPerSecond", 16384, True),
              batches("megabytesPerSecond", 16384, True),
              row("the same, 1 KiB messages", data, "throughput", "megabytesPerSecond", 1024, True),
              batches("megabytesPerSecond", 1024, True),
              row("processor seconds per GB, 16 KiB", data, "throughput", "cpuSecondsPerGB", 16384),
              row("set-up to an open channel, ms", data, "setup", "medianMs"),
              row("memory of an idle connected pair, KiB", data, "memory", "kibibytesPerPair"),
              row("set-up to the first decoded frame, ms", media, "firstFrame", "medianMs"),
              row("cores for a call of 1280 × 720 both ways, per 30 frames a second", media, "call",
                  "coresPer30Frames")),
        f"Data channels: {data.conditions()}", f"Sound and picture: {media.conditions()}"])


def channels(results):
    data = Chapter(results, "data")
    peers = [peer for peer in ("duet", "duet in batches", *OTHERS)]
    blocks = []
    for title, figure, more in (
            ("MB (10^6 bytes of payload) a second at the receiver, from the first message to the last:",
             "megabytesPerSecond", True),
            ("Processor time of both ends, user and system, seconds per GB:", "cpuSecondsPerGB", False)):
        rows = [[NAMES[peer], *[data.span("throughput", peer, figure, size) for size in SIZES]] for peer in peers]
        rows += [[f"{NAMES[ours]} / best peer", *[data.ratio("throughput", figure, size, more, ours) for size in SIZES]]
                 for ours in ("duet", "duet in batches")]
        blocks += [title, table(["peer", *SIZES.values()], *rows)]
    best = NAMES[data.best("throughput", "megabytesPerSecond", 16384)]
    packet = data.facts.get("largestPacket")
    return "\n\n".join([*blocks, f"At 16 KiB the best peer is {best}." + (
        f" Duet's largest SCTP packet was {packet:,} bytes, read off a capture of the run." if packet else ""),
        data.conditions()])


def connecting(results):
    data = Chapter(results, "data")
    return table(
        ["", *[NAMES[peer] for peer in ("duet", *OTHERS)], "Duet / best peer"],
        ["createOffer to an open channel, one process, ms",
         *[data.span("setup", peer, "medianMs") for peer in ("duet", *OTHERS)], data.ratio("setup", "medianMs")],
        ["resident memory per idle connected pair, KiB",
         *[data.span("memory", peer, "kibibytesPerPair") for peer in ("duet", *OTHERS)],
         data.ratio("memory", "kibibytesPerPair")])


def relay(results):
    chapter = Chapter(results, "relay")

    def row(title, benchmark, figure, more_is_better=False):
        return [title, chapter.span(benchmark, "duet", figure), chapter.span(benchmark, "pion", figure),
                chapter.ratio(benchmark, figure, more_is_better=more_is_better)]

    return "\n\n".join([table(
        ["", "Duet", "pion v3", "Duet / pion"],
        row("MB/s", "relayed throughput", "megabytesPerSecond", True),
        row("… directly, in the same run", "direct throughput", "megabytesPerSecond", True),
        row("processor time, seconds per GB", "relayed throughput", "cpuSecondsPerGB"),
        row("… directly, in the same run", "direct throughput", "cpuSecondsPerGB"),
        row("createOffer to an open channel, ms", "relayed setup", "medianMs")), chapter.conditions()])


def media(results):
    chapter = Chapter(results, "media")
    peers = ["duet", "chromium", "aiortc"]

    def row(title, benchmark, figure, ratio=True):
        return [title, *[chapter.span(benchmark, peer, figure) for peer in peers],
                chapter.ratio(benchmark, figure) if ratio else MISSING]

    codecs = [[codec.replace("H264", "H.264"), *[chapter.span("delay", "duet", figure, codec)
                                                 for figure in ("medianMs", "p95Ms", "encodeMs", "decodeMs", "ownMs")]]
              for codec in ("VP8", "VP9", "H264")]
    return "\n\n".join([
        table(["", *[NAMES[peer] for peer in peers], "Duet / best peer"],
              row("createOffer to the first decoded frame, one process, ms", "firstFrame", "medianMs"),
              row("call of 1280 × 720 at 30 a second in VP8, both ways: cores used", "call", "cpuSecondsPerSecond",
                  False),
              row("… frames a second that arrived", "call", "framesPerSecond", False),
              row("… kbit/s that arrived", "call", "kilobitsPerSecond", False),
              row("… cores per 30 frames a second each way", "call", "coresPer30Frames")),
        table(["frame in to frame out, ms", "median", "95 %", "encoder", "decoder", "own part"], *codecs),
        "Packets of video a second on one core, without sockets and codecs: received "
        f"{chapter.span('packets', 'duet', 'receivedPerSecond')}, sent "
        f"{chapter.span('packets', 'duet', 'sentPerSecond')}.",
        chapter.conditions()])


def network(results):
    chapter = Chapter(results, "network")
    cases = list(dict.fromkeys(entry["of"] for entry in chapter.facts["figures"] if entry["benchmark"] == "network"))
    pairs = [pair for pair in PAIRS if any(entry["peer"] == pair for entry in chapter.facts["figures"])]
    blocks = []
    for case in cases:
        rows = [[label(pair), *[chapter.span("network", pair, figure, case) for figure in (
            "goodputKbps", "linkShare", "queueMedianMs", "queueP95Ms", "frozenSeconds", "picturesPerSecond", "psnr", "ssim",
            "soundTornShare")]] for pair in pairs]
        blocks += [f"**{case}**", f"![]({CURVES.format(case)})", table(
            ["", "goodput, kbit/s", "share of the link", "queue p95: median of seconds, ms", "its 95th percentile, ms", "frozen, s",
             "frames a second", "PSNR, dB", "SSIM", "sound torn"], *rows)]
    alone = list(dict.fromkeys(entry["of"] for entry in chapter.facts["figures"] if entry["benchmark"] == "narrow throughput"))
    if alone:
        blocks += ["**A data channel alone**, MB/s:", table(["", "Duet", "Chromium"], *[
            [case, *[chapter.span("narrow throughput", peer, "megabytesPerSecond", case) for peer in ("duet", "chromium")]]
            for case in alone])]
    return "\n\n".join([*blocks, chapter.conditions()])


def nodes(results):
    """Of Scripts/nodes-load."""
    facts = results["nodes"]

    def several(count):
        return "1 node" if count == 1 else f"{count} nodes"

    memory = [[several(row["nodes"]), f"{row['sockets']:,}", shown(row["kibibytesPerSocketAndNode"]), shown(row["kibibytesPerSocket"]),
               f"{row['megabytesOfANode']:,.0f}", f"{row['signInsPerSecond']:,}"] for row in facts["memory"]]
    calls = [[several(row["nodes"]), f"{row['sockets']:,}", f"{row['perMinute']:,}", f"{row['calls']:,}",
              str(row["failed"] + row["unfinished"]), shown(row["medianMs"]), shown(row["p99Ms"]), shown(row["longestMs"]),
              shown(row["cpuMsPerCall"]), shown(row["brokerMsPerCall"])] for row in facts["calls"]]

    def cost(count, is_apart):
        found = sorted(row["cpuMsPerCall"] for row in facts["placement"] if (row["nodes"], row["apart"]) == (count, is_apart))
        return found[len(found) // 2]

    counts = list(dict.fromkeys(row["nodes"] for row in facts["placement"]))
    placement = [[several(count), shown(cost(count, False)), shown(cost(count, True)), f"{shown(cost(count, True) / cost(count, False))} ×"]
                 for count in counts]
    loss = [[several(row["nodes"]), f"{row['lost']:,}", f"{row['back']:,}", f"{row['resumed']:,}", shown(row["medianSeconds"]),
             shown(row["p99Seconds"]), shown(row["seconds"])] for row in facts["loss"]]
    storms = [[several(row["nodes"]), f"{row['stars']:,} by {row['watchers']:,}", f"{row['heard']:,}", f"{row['aSecond']:,}",
               shown(row["medianMs"]), shown(row["p99Ms"]), shown(row["longestMs"]), shown(row["cpuUsPerHeard"])]
              for row in facts["storm"]]
    versions = facts["versions"]
    disturbed = max(row["othersCores"] for row in facts["calls"] + facts["placement"])
    return "\n\n".join([
        table(["", "idle sockets, all together", "KiB a socket, one node", "KiB a socket, all nodes", "largest node, MiB",
               "sign-ins a second"], *memory),
        table(["", "idle sockets", "calls a minute", "calls", "failed", "signal, median, ms", "99 %, ms", "longest, ms",
               "processor ms a call, all nodes", "… of NATS"], *calls),
        table(["processor ms a call, all nodes", "both sides at one node", "at two nodes", "ratio"], *placement),
        table(["all who are watched leave or come back at once", "users, watched", "changes heard", "a second",
               "heard after, median, ms", "99 %, ms", "longest, ms", "processor µs of each, all nodes"], *storms),
        table(["a node is killed", "lost their connection", "came back", "resumed", "after, median, s", "99 %, s",
               "the last one after the kill, s"], *loss),
        f"Measured on {facts['date']} on {facts['cores']} cores of {facts['processor']}, Linux {versions['linux']}: Duet at "
        f"{versions['duet']}, nats-server {versions['nats-server']}. Other processes used up to {disturbed:.2f} cores during calls."])


def label(pair):
    one, other = pair.split(" to ")
    return f"{NAMES[one]} to {NAMES[other]}"


PAIRS = ["duet to duet", "chromium to chromium", "duet to chromium", "chromium to duet"]
CURVES = "images/network-{}.svg"
"""Within docs/."""

TABLES = {
    "README.md": {"beside": beside},
    "docs/performance.md": {"headline": headline, "channels": channels, "connecting": connecting, "relay": relay,
                            "media": media},
    "docs/network-tests.md": {"network": network},
    "docs/nodes.md": {"nodes": nodes},
}
CHAPTERS = {"headline": ["data"], "beside": ["data", "media"], "channels": ["data"], "connecting": ["data"],
            "relay": ["relay"], "media": ["media"], "network": ["network"], "nodes": ["nodes"]}
"""What the tables are made of."""
