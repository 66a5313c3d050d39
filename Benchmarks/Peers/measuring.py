"""What the drivers of the peers share: processor time, and the arithmetic of what they print."""
import json
import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def say(peer, benchmark, **members):
    print(json.dumps({"peer": peer, "benchmark": benchmark} | members), flush=True)


def processes():
    """Each process that can be seen: its parent, and the seconds that it and its ended children have used."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            found[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS
    return found


def cpu_of_descendants():
    """Seconds that the living descendants of this process have used, with their ended children."""
    found, total = processes(), 0.0
    for process in found:
        ancestor = process
        while ancestor in found and ancestor != os.getpid():
            ancestor = found[ancestor][0]
        if ancestor == os.getpid() and process != os.getpid():
            total += found[process][1]
    return total


def throughput_figures(received, seconds, used):
    """Of `received` bytes of payload within `seconds`, for `used` seconds of the processor."""
    return {"megabytesPerSecond": received / 1e6 / seconds, "cpuSecondsPerGB": used / (received / 1e9)}


def call_figures(before, after, seconds, used):
    """Of a call both ways: `before` and `after` hold what each of the two ends had received, frames and bytes.

    Frames and bits a second are those of one direction, the mean of the two.
    """
    def mean(member):
        return sum(b[member] - a[member] for a, b in zip(before, after, strict=True)) / len(before)

    frames = mean("frames") / seconds
    figures = {"cpuSecondsPerSecond": used / seconds, "framesPerSecond": frames,
               "width": after[0]["width"], "height": after[0]["height"]}
    if frames > 0:
        figures["coresPer30Frames"] = used / seconds / frames * 30
    if all("bytes" in end for end in after):
        figures["kilobitsPerSecond"] = mean("bytes") * 8 / 1000 / seconds
    return figures


def time_figures(times):
    """Of times in milliseconds."""
    ordered = sorted(times)
    count = len(ordered)
    return {"runs": count, "medianMs": ordered[count // 2], "minimumMs": ordered[0],
            "p95Ms": ordered[count * 95 // 100]}
