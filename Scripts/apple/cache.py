"""What was compiled, and from which inputs: a step with unchanged inputs is not repeated."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

# The processor time of all compilers together.
spent = 0.0
_lock = threading.Lock()
_digests = {}


class Failed(Exception):
    """A step that failed, with the compiler's output."""

    def __init__(self, what, words=""):
        super().__init__(what)
        self.words = words


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part if isinstance(part, bytes) else str(part).encode())
        whole.update(b"\0")
    return whole.hexdigest()[:24]


def file_digest(path):
    """The digest of a file, cached while its time and size stay the same."""
    path = Path(path)
    state = path.stat()
    key = (str(path), state.st_mtime_ns, state.st_size)
    if key not in _digests:
        _digests[key] = hashlib.sha256(path.read_bytes()).hexdigest()[:24]
    return _digests[key]


def files_digest(paths, base):
    return digest(*[f"{os.path.relpath(path, base)} {file_digest(path)}" for path in sorted(map(Path, paths))])


def run(command, **options):
    """Runs a compiler, counts its time, and returns its status and output."""
    global spent
    process = subprocess.Popen(
        list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", **options)
    words = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    with _lock:
        spent += usage.ru_utime + usage.ru_stime
    return process.returncode, words


class Stamps:
    """The inputs and outputs of steps, one small file for each."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def read(self, name, inputs):
        """The output of a step, if it was run with these inputs."""
        try:
            stamp = json.loads((self.folder / name).read_text())
        except (OSError, ValueError):
            return None
        return stamp["output"] if stamp["inputs"] == inputs else None

    def write(self, name, inputs, output):
        (self.folder / name).write_text(json.dumps({"inputs": inputs, "output": output}))

    def forget(self, name):
        (self.folder / name).unlink(missing_ok=True)


def mirror(source, target, words=None):
    """Writes a file if it differs, so that unchanged files keep their times."""
    data = words.encode() if words is not None else Path(source).read_bytes()
    target = Path(target)
    if target.is_file() and target.read_bytes() == data:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


def prune(folder, wanted):
    """Removes the files of a folder that are no longer wanted."""
    wanted = {Path(path) for path in wanted}
    for path in sorted(Path(folder).rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in wanted:
            path.unlink()


def problems(words, limit=60):
    """The distinct errors and warnings in a compiler's output."""
    seen, shown = set(), []
    for line in words.splitlines():
        if re.search(r": (error|warning): ", line) and not re.match(r"\s*\d* *\|", line):
            if line not in seen:
                seen.add(line)
                shown.append(line)
    if not shown:
        return "\n".join(words.splitlines()[-limit:])
    more = f"\n… and {len(shown) - limit} more" if len(shown) > limit else ""
    return "\n".join(shown[:limit]) + more


def which(name):
    return shutil.which(name)
