"""What measurements read of a process, and of many values."""
from pathlib import Path


def resident(process):
    """Its resident memory, in KiB."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]
