"""What Scripts/setup does to a machine, with an apt that only plays one. Nothing of the machine's own is looked at."""
import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = "awk bash cat chmod cksum cut dirname env fold grep head mkdir mv readlink ln rm sed sh sort tr uname"

# The files of the folder say what the machine is like: `installed` (a package and what it provides, a line), `known` (the
# same of what apt has), and `conflicts` (a package, and what it removes).
PROGRAMS = {
    "swift": "",
    "sudo": 'exec "$@"',
    "id": 'cat "$MACHINE/user"',
    "systemctl": "",
    "ldconfig": "",
    "python3": 'case "$*" in "-m venv "*) mkdir -p .venv/bin; ln -sf "$MACHINE/bin/python3" .venv/bin/python ;; esac',
    "dpkg-query": r"""sed 's/^\([^ ]*\) *\(.*\)/installed\t\1, \2/' "$MACHINE/installed" """,
    "dpkg-deb": 'for folder in usr/bin usr/share/glib-2.0/schemas; do mkdir -p "$3/$folder"; done',
    "apt-cache": r"""
command=$1; shift
case "$command" in
    policy) for name in "$@"; do
        grep -q "^$name\( \|$\)" "$MACHINE/known" && printf '%s:\n  Candidate: 1\n' "$name"; done; true ;;
    showpkg) echo "Reverse Provides: "
        awk -v name="$1" '{ for (i = 2; i <= NF; i++) if ($i == name) print $1 " 1 (= 1)" }' "$MACHINE/known" ;;
esac""",
    "apt-get": r"""
case "$*" in
    *download*) ;;
    *" install "*)
        for name; do
            grep -q "^$name\( \|$\)" "$MACHINE/known" || continue
            echo "Inst $name (1 Debian)"
            removed=$(sed -n "s/^$name //p" "$MACHINE/conflicts")
            [ -z "$removed" ] || echo "Remv $removed [1]"
            case "$*" in -s*) ;; *) grep "^$name\( \|$\)" "$MACHINE/known" >> "$MACHINE/installed" ;; esac
        done ;;
esac""",
}

SERVERS = ["caddy", "coturn", "gnome-keyring", "haproxy", "nats-server", "nginx", "pipewire-pulse", "pulseaudio"]


class Machine:
    def __init__(self, folder, packages=()):
        self.folder, self.checkout = folder, folder / "checkout"
        (self.checkout / "Scripts").mkdir(parents=True)
        (self.checkout / "Tests/Interop").mkdir(parents=True)
        shutil.copy(ROOT / "Scripts/setup", self.checkout / "Scripts/setup")
        (self.checkout / "Tests/Interop/requirements.txt").write_text("")
        (folder / "bin").mkdir()
        for name in TOOLS.split():
            (folder / "bin" / name).symlink_to(shutil.which(name))
        for name, script in PROGRAMS.items():
            self.program(name, script)
        self.be(1000)
        self.says("conflicts")
        # A machine that has everything, until a test takes something away.
        self.packages = dict.fromkeys(packages, "")
        self.has(self.packages)
        self.knows(self.packages)

    def program(self, name, script):
        path = self.folder / "bin" / name
        path.unlink(missing_ok=True)  # it may be a link to the machine's own
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> "$MACHINE/calls"\n{script}\n')
        path.chmod(0o755)

    def lacks_program(self, *names):
        for name in names:
            (self.folder / "bin" / name).unlink()

    def be(self, user):
        self.says("user", str(user))

    def says(self, name, *lines):
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines))

    def has(self, packages):
        self.says("installed", *(f"{name} {provides}" for name, provides in packages.items()))

    def knows(self, packages):
        packages = packages | dict.fromkeys(SERVERS, "")
        self.says("known", *(f"{name} {provides}" for name, provides in packages.items()))

    def without(self, *names):
        self.has({name: provides for name, provides in self.packages.items() if name not in names})

    def environment(self, **changes):
        return {"PATH": str(self.folder / "bin"), "MACHINE": str(self.folder), "HOME": str(self.folder)} | changes

    def run(self, *arguments, **environment):
        self.says("calls")
        return subprocess.run(
            [self.checkout / "Scripts/setup", *arguments], env=self.environment(**environment), text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=30)

    def answer(self, words, *arguments):
        """With a terminal, at which somebody types. Returns the status and what was shown."""
        self.says("calls")
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [self.checkout / "Scripts/setup", *arguments], env=self.environment(), stdin=theirs, stdout=theirs,
            stderr=theirs, start_new_session=True)
        os.close(theirs)
        shown, deadline = b"", time.monotonic() + 30
        while process.poll() is None or select.select([ours], [], [], 0)[0]:
            assert time.monotonic() < deadline, shown
            if not select.select([ours], [], [], 0.1)[0]:
                continue
            try:
                shown += os.read(ours, 4096)
            except OSError:
                break
            if words and b"[y/N]" in shown:
                os.write(ours, f"{words}\n".encode())
                words = None
        os.close(ours)
        return process.wait(10), shown.decode()

    def calls(self, name=""):
        return [line for line in (self.folder / "calls").read_text().splitlines() if line.startswith(name)]

    def changes(self):
        """The calls that change a machine."""
        return [call for call in self.calls("apt-get") + self.calls("systemctl")
                if not call.startswith("apt-get -s") and " download " not in call] + self.calls("sudo")

    def installed(self):
        return [line.split()[0] for line in (self.folder / "installed").read_text().splitlines()]


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """What is wanted of a machine that has nothing and knows nothing."""
    bare = Machine(tmp_path_factory.mktemp("bare"))
    return [name for purpose in ("soak", "bench") for name in bare.run(purpose, "--dry-run").stdout.split()]


@pytest.fixture
def machine(tmp_path, packages):
    return Machine(tmp_path, packages)


def test_nothing_happens_where_nothing_is_missing(machine):
    machine.run("test")  # the servers and the Python environment, which take no package
    assert machine.changes() == []
    began = time.monotonic()
    done = machine.run("test")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert machine.calls("apt") == machine.calls("dpkg-deb") == []
    assert time.monotonic() - began < 5


def test_a_dry_run_names_packages_and_changes_nothing(machine):
    machine.without("ffmpeg", "xvfb")
    machine.lacks_program("python3")  # as on a bare system
    before = sorted(machine.checkout.rglob("*"))
    done = machine.run("test", "--dry-run")
    assert (done.returncode, done.stdout) == (0, "ffmpeg\nxvfb\n")
    assert "pulseaudio" in done.stderr  # which is not installed
    assert machine.changes() == [] and sorted(machine.checkout.rglob("*")) == before


def test_packages_count_by_what_they_provide(machine):
    of_debian_13 = {"libglib2.0-0t64": "libglib2.0-0", "chromium-browser": ""}
    machine.packages = {
        name: "" for name in machine.packages if name not in ("libglib2.0-0", "chromium-headless-shell")} | of_debian_13
    machine.has(machine.packages)
    machine.knows(machine.packages)
    assert machine.run("test", "--dry-run").stdout == ""
    machine.without(*of_debian_13)
    assert machine.run("test", "--dry-run").stdout.split() == list(of_debian_13)


def test_what_would_remove_something_is_refused(machine):
    machine.without("ffmpeg", "xvfb")
    machine.says("conflicts", "xvfb somebodys-desktop")
    for arguments in (["--yes"], ["--dry-run"]):
        done = machine.run("test", *arguments)
        assert done.returncode == 1 and "would remove somebodys-desktop for xvfb." in done.stderr and done.stdout == ""
        assert machine.changes() == []


def test_installing_is_told_to_remove_nothing(machine):
    machine.without("ffmpeg")
    assert machine.run("test", "--yes").returncode == 0
    assert "ffmpeg" in machine.installed()
    for call in machine.changes():
        if " install " in call:
            assert " --no-remove " in f"{call} " and call.endswith(" install ffmpeg")


def test_a_person_is_asked(machine):
    machine.without("ffmpeg", "xvfb")
    for words in ("n", ""):
        status, shown = machine.answer(words or "\n", "test")
        assert status != 0 and "ffmpeg xvfb" in shown and "2 new packages, 0 upgraded, none removed" in shown
        assert machine.changes() == []
    status, shown = machine.answer("y", "test")
    assert status == 0 and {"ffmpeg", "xvfb"} <= set(machine.installed())
    assert machine.calls("sudo")


@pytest.mark.parametrize("how", ["--yes", "CI"])
def test_an_answer_may_be_given_before(machine, how):
    machine.without("ffmpeg")
    done = machine.run("test", **{"CI": "true"}) if how == "CI" else machine.run("test", "--yes")
    assert done.returncode == 0 and "ffmpeg" in machine.installed()


def test_an_ordinary_user_without_a_terminal_is_told_how_to_answer(machine):
    machine.without("ffmpeg")
    done = machine.run("test", CI="false")
    assert done.returncode == 1 and machine.changes() == []
    assert "ffmpeg" in done.stderr and "YES=1" in done.stderr.splitlines()[-1]


def test_root_without_a_terminal_installs_and_says_so(machine):
    machine.without("ffmpeg")
    machine.be(0)
    done = machine.run("test")
    assert done.returncode == 0 and "ffmpeg" in machine.installed() and machine.calls("sudo") == []
    assert "this is root, and no terminal" in done.stderr


def test_what_needs_root_says_so(machine):
    machine.without("ffmpeg")
    machine.lacks_program("sudo")
    done = machine.run("test", "--yes")
    assert done.returncode == 1 and "needs root" in done.stderr.splitlines()[-1]
    assert "ffmpeg" not in machine.installed()


def test_a_package_that_apt_does_not_know_is_named(machine):
    machine.without("ffmpeg", "xvfb")
    machine.knows({name: "" for name in machine.packages if name != "xvfb"})
    done = machine.run("test", "--yes")
    assert done.returncode == 1 and "no package called xvfb:" in done.stderr and "ffmpeg" not in machine.installed()


def test_a_session_manager_that_was_not_there_is_switched_off(machine):
    machine.without("wireplumber")
    machine.run("test", "--yes")
    assert machine.calls("systemctl") == ["systemctl --global --quiet disable wireplumber.service"]
    machine.without("ffmpeg")
    machine.run("test", "--yes")
    assert machine.calls("systemctl") == []  # somebody's own


def test_servers_are_unpacked_and_not_installed(machine):
    machine.lacks_program("sudo")
    assert machine.run("test").returncode == 0
    assert machine.calls("apt-get -qq")[0].split(" download ")[1].split() == SERVERS
    assert machine.changes() == [] and not set(SERVERS) & set(machine.installed())
    assert sorted(path.name for path in (machine.checkout / ".build/servers/bin").iterdir()) == [
        "caddy", "gnome-keyring-daemon", "haproxy", "nats-server", "nginx", "pipewire-pulse", "pulseaudio", "turnserver"]


def test_without_apt_everything_that_is_missing_is_named_at_once(machine):
    machine.lacks_program("apt-get", "dpkg-query", "swift")
    machine.program("uname", "echo Linux")
    done = machine.run("test")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    for name in ("swift", "make", "chromium-headless-shell|chromium", "libgtk-4.so.1", "turnserver",
                 "GStreamer's webrtcbin"):
        assert f" {name}" in done.stderr
    assert "valgrind" not in done.stderr and "webkitgtk-6.0.pc" not in done.stderr
    assert "turnserver" not in machine.run("demo").stderr


def test_a_missing_toolchain_is_said_before_anything_is_installed(machine):
    machine.without("ffmpeg")
    machine.lacks_program("swift")
    done = machine.run("test", "--yes")
    assert done.returncode == 1 and "swift.org/install" in done.stderr and machine.changes() == []


def test_on_a_mac_nothing_is_installed_and_what_is_linuxs_says_so(machine):
    machine.lacks_program("apt-get", "apt-cache", "dpkg-query", "python3")
    machine.program("uname", "echo Darwin")
    machine.program("make", "")
    machine.program("git", "")
    for purpose in ("build", "demo"):
        done = machine.run(purpose)
        assert done.returncode == 0 and not done.stderr, done.stderr
    assert not (machine.checkout / ".venv").exists()
    for purpose in ("test", "bench", "soak"):
        done = machine.run(purpose)
        assert done.returncode == 1 and "Scripts/first-run-on-a-mac" in done.stderr and "make demo" in done.stderr
    assert not machine.calls("sudo")


def test_the_demo_on_a_mac_sends_files_and_says_why(machine):
    scripts = machine.checkout / "Scripts"
    shutil.copy(ROOT / "Scripts/demo", scripts / "demo")
    (scripts / "build").write_text("#!/bin/sh\nexit 0\n")
    (scripts / "build").chmod(0o755)
    demo = machine.checkout / ".build/release/duet-demo"
    demo.parent.mkdir(parents=True)
    demo.write_text('#!/bin/sh\necho "duet-demo" "$@"\n')
    demo.chmod(0o755)
    said = {}
    for system in ("Darwin", "Linux"):
        machine.program("uname", f"echo {system}")
        said[system] = subprocess.run(
            [scripts / "demo"], env=machine.environment(), text=True, capture_output=True, timeout=30, check=True).stdout
    assert said["Darwin"].endswith("\nduet-demo data\n") and "Examples/VideoCallApp" in said["Darwin"]
    assert said["Linux"].endswith("\nduet-demo\n") and "Mac" not in said["Linux"]
