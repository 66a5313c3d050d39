"""A virtual machine setup: PipeWire, WirePlumber and PulseAudio's server in a private session, with cameras and microphones that
are plugged in and unplugged at will. No hardware and nothing of the user's own session is used."""
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from peers import written
from peers.duet import BINARY
from peers.patience import Wait, at_most, wait_until

PROBE = Path(BINARY).parent / "DeviceProbe"
# The interpreter with GObject introspection and dbusmock, which come from Debian's packages.
PYTHON = "/usr/bin/python3"
HERE = Path(__file__).parent
# PulseAudio's own server, the predecessor of PipeWire's, without the machine's configuration.
ARGUMENTS = {"pulseaudio": ["-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--load=module-native-protocol-unix"]}


class Process:
    """A program whose output is read line by line: JSON, or text."""

    def __init__(self, *command, env, stdin=None, others=lambda: ""):
        self.command = list(map(str, command))
        self._others = others
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self.command, env=env, text=True, stdin=stdin, stdout=subprocess.PIPE, stderr=self._errors,
            start_new_session=True)
        self._lines = queue.Queue()
        self.seen = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            arrived = time.monotonic()
            try:
                entry = json.loads(line)
            except ValueError:
                entry = {"event": line.strip()}
            entry["arrived"] = arrived
            self._lines.put(entry)

    @property
    def pid(self):
        return self._process.pid

    def next(self, event=None, seconds=30, named=None, **wanted):
        """The next line of that kind; earlier ones are stored in `seen`."""
        wait = Wait(seconds)
        while True:
            try:
                line = self._lines.get(timeout=max(0.01, wait.left))
            except queue.Empty:
                raise AssertionError(
                    f"no {event} {wanted} within {wait}, but {self.seen[-8:]}\n{self.errors()[-2000:]}\n"
                    f"{self._others()}") from None
            self.seen.append(line)
            is_named = named is None or line.get("device", {}).get("name") == named
            if (event is None or line.get("event") == event) and is_named and all(
                    line.get(k) == v for k, v in wanted.items()):
                return line

    def rest(self):
        """The lines that were not requested."""
        lines = []
        while not self._lines.empty():
            lines.append(self._lines.get())
        self.seen += lines
        return lines

    def errors(self):
        return written(self._errors)

    def describe(self):
        """Whether it runs, and its last lines."""
        words = [*map(str, self.seen[-2:] + list(self._lines.queue)[-2:]), *self.errors().splitlines()[-3:]]
        return "\n  ".join([f"{Path(self.command[0]).name} {self.command[1:]}: status {self._process.poll()}", *words])

    def tell(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def wait(self, seconds=20):
        status = self._process.wait(timeout=at_most(seconds))
        self._reader.join(5)
        return status

    def kill(self):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()


class Machine:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="duet-machine-"))
        os.chmod(self.folder, 0o700)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("PIPEWIRE_", "PULSE_", "DBUS_", "XDG_"))}
        self.env |= {
            "XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_STATE_HOME": str(self.folder / "state"), "GIO_USE_VFS": "local", "GSETTINGS_BACKEND": "memory",
        }
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            self.env.pop(name, None)
        self._processes = []
        self._servers = {}
        # A camera of PipeWire itself.
        settings = self.folder / "config/pipewire/pipewire.conf.d"
        settings.mkdir(parents=True)
        (settings / "camera.conf").write_text("context.spa-libs = { videotestsrc = videotestsrc/libspa-videotestsrc }\n")
        self._bus()
        self.start_servers()

    def _bus(self):
        bus = self.run("dbus-daemon", "--session", "--nofork", "--print-address=1", f"--address=unix:path={self.folder}/bus")
        self.env["DBUS_SESSION_BUS_ADDRESS"] = bus.next()["event"]
        # Programs that use the system bus find this one.
        self.env["DBUS_SYSTEM_BUS_ADDRESS"] = self.env["DBUS_SESSION_BUS_ADDRESS"]

    def run(self, *command, **options):
        process = Process(*command, env=self.env | options.pop("env", {}), others=self.describe, **options)
        self._processes.append(process)
        return process

    def describe(self):
        """The state of all its programs, for a failed wait."""
        return "\n".join(process.describe()[:1000] for process in self._processes)

    def probe(self, *arguments, env=None):
        return self.run(PROBE, *arguments, env=env or {})

    # Servers

    def start_servers(self, attempts=3):
        """Starts all servers. Occasionally a session does not start; while nothing else uses it, it is started again."""
        self._servers = {"pipewire": self.run("pipewire")}
        try:
            wait_until(lambda: self._answers("pipewire-0"), what="PipeWire")
            self.start_server("wireplumber")
            self.start_server("pipewire-pulse")
        except (AssertionError, subprocess.TimeoutExpired):
            if attempts == 1:
                raise
            self.kill_servers()
            self.start_servers(attempts - 1)

    def start_server(self, name):
        """One alone."""
        self._servers[name] = self.run(name, *ARGUMENTS.get(name, []))
        if name in ("pipewire-pulse", "pulseaudio"):
            wait_until(lambda: self._pactl("info", check=False), what="PulseAudio's server")

    def kill_server(self, name):
        """One alone."""
        self._servers.pop(name).kill()

    def _answers(self, name):
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.folder / name)) == 0

    def hold_servers(self, seconds):
        """The servers of sound stand still for a while."""
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for server in self._servers.values():
                os.kill(server.pid, number)
            time.sleep(seconds)

    def kill_servers(self):
        """Kills all servers at once, like a crash. Returns the time."""
        died = time.monotonic()
        for server in self._servers.values():
            server.kill()
        return died

    def nodes(self, name):
        """PipeWire's nodes of this name."""
        entries = wait_until(self._dump, what="a list of PipeWire's objects")
        return [entry for entry in entries
                if ((entry.get("info") or {}).get("props") or {}).get("node.name") == name]

    def _dump(self):
        dump = subprocess.run(["pw-dump"], env=self.env, capture_output=True, text=True, timeout=at_most(10)).stdout
        try:
            return json.loads(dump)
        except ValueError:
            # The output has several parts if something has changed meanwhile, and is empty before the server runs.
            return None

    def wait_for_node(self, name, count=1):
        wait_until(lambda: len(self.nodes(name)) == count, what=f"{count} {name}")

    def _pactl(self, *arguments, check=True):
        done = subprocess.run(
            ["pactl", *arguments], env=self.env, capture_output=True, text=True, timeout=at_most(10), check=check)
        return done.stdout.strip() if done.returncode == 0 else None

    # Devices

    def camera(self, node, name, caps="video/x-raw,format=YUY2,width=640,height=480,framerate=30/1", **properties):
        """A program that provides a camera: `plug` and `pull` it, as often as needed."""
        return Camera(self, node, name, caps, properties)

    def server_camera(self, node, name):
        """A camera of the server itself, of any size, which copes better with readers that come and go quickly."""
        self._create("camera", "spa-node-factory { factory.name = videotestsrc media.class = Video/Source "
                     f"media.role = Camera node.name = {node} node.description = {name} }}")

    def session_cameras(self, **locations):
        """Cameras of the session manager, like those of hardware: they disappear and return with it."""
        self.kill_server("wireplumber")
        nodes = "".join(
            'make { ["factory.name"] = "videotestsrc", ["media.class"] = "Video/Source", ["media.role"] = "Camera", '
            f'["node.name"] = "{name.lower()}", ["node.description"] = "{name}", ["api.libcamera.location"] = "{location}" }}\n'
            for name, location in locations.items())
        settings = self.folder / "config/wireplumber"
        scripts = self.folder / ".local/share/wireplumber/scripts"
        if "libwireplumber 0.4" in subprocess.run(["wireplumber", "--version"], capture_output=True, text=True).stdout:
            scripts = settings / "scripts"
            loading = settings / "main.lua.d/90-cameras.lua", 'load_script("cameras.lua")\n'
        else:
            loading = settings / "wireplumber.conf.d/90-cameras.conf", (
                "wireplumber.components = [ { name = cameras.lua, type = script/lua, provides = test.cameras } ]\n"
                "wireplumber.profiles = { main = { test.cameras = required } }\n")
        for folder in (scripts, loading[0].parent):
            folder.mkdir(parents=True)
        loading[0].write_text(loading[1])
        (scripts / "cameras.lua").write_text(
            "cameras = {}\nfunction make(properties)\n"
            '  local camera = Node("spa-node-factory", properties)\n'
            "  camera:activate(Feature.Proxy.BOUND)\n  table.insert(cameras, camera)\nend\n" + nodes)
        self.start_server("wireplumber")
        for name in locations:
            self.wait_for_node(name.lower())

    def server_microphone(self, node, name):
        """A microphone that stays when PulseAudio's server ends."""
        self._create("microphone", "adapter { factory.name = support.null-audio-sink media.class = Audio/Source/Virtual "
                     f"node.name = {node} node.description = {name} audio.position = [ FL FR ] }}")

    def _create(self, media, what):
        watch = self.probe("watch")
        self.run("pw-cli", stdin=subprocess.PIPE).tell(f"create-node {what}")
        watch.next("added", media=media)
        watch.kill()

    def microphone(self, node, name):
        return self._pactl(
            "load-module", "module-null-sink", "media.class=Audio/Source/Virtual", f"sink_name={node}",
            f"sink_properties=device.description={name}", "channel_map=front-left,front-right")

    def speaker(self, node, name):
        return self._pactl(
            "load-module", "module-null-sink", f"sink_name={node}", f"sink_properties=device.description={name}")

    def microphone_beside(self, speaker, node, name):
        """A microphone that records what a loudspeaker plays."""
        return self._pactl(
            "load-module", "module-remap-source", f"master={speaker}.monitor", f"source_name={node}",
            f"source_properties=device.description={name}")

    def silence(self, node):
        """A silent microphone of PulseAudio's own server."""
        return self._pactl("load-module", "module-null-source", f"source_name={node}", f"description={node}")

    def unload(self, module):
        self._pactl("unload-module", module)

    def close(self):
        for process in reversed(self._processes):
            process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Camera:
    def __init__(self, machine, node, name, caps, properties):
        properties = {k.replace("__", "."): v for k, v in properties.items()}
        self._start = lambda: machine.run(
            PYTHON, HERE / "virtual_camera.py", json.dumps([node, name, caps, properties]), stdin=subprocess.PIPE)
        self._process = self._start()
        self._process.next("ready", seconds=20)

    def plug_again_if_it_crashed(self):
        """Plugs the camera in again if its program has crashed, and returns whether it had. GStreamer's sink, which provides the
        camera, sometimes crashes when a reader connects to compressed video."""
        if self._process.wait() != -signal.SIGSEGV:
            return False
        self._process = self._start()
        self._process.next("ready", seconds=20)
        self.plug()
        return True

    def plug(self):
        """Plugs the camera in, and returns the time."""
        self._process.tell("plug")
        return self._process.next("plugged")["at"]

    def pull(self):
        self._process.tell("pull")
        return self._process.next("pulled")["at"]

    def flap(self, count, seconds):
        self._process.tell(f"flap {count} {seconds}")
        self._process.next("flapped", seconds=20 + 2 * count * seconds)
