"""A Secret Service for tests: a message bus with GNOME's keyring, unlocked."""
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from .patience import Wait, at_most


class Keyring:
    def __init__(self):
        # Processes of a program that has just ended may still write there.
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        for name in ("home", "runtime", "bin"):
            (folder / name).mkdir(mode=0o700)
        self.environment = {
            "HOME": str(folder / "home"), "XDG_RUNTIME_DIR": str(folder / "runtime"),
            "XDG_DATA_HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home"),
        }
        self.folder = folder
        self._bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=os.environ | self.environment)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self._bus.stdout.readline().strip()
        self._keyring = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | self.environment)
        self._keyring.stdin.write(b"password\n")
        self._keyring.stdin.close()
        wait = Wait(45)
        while "org.freedesktop.secrets" not in self.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.ListNames"):
            assert self._keyring.poll() is None and not wait.is_over, "there is no keyring"
            time.sleep(0.05)

    def call(self, destination, path, *message, check=True):
        return subprocess.run(
            ["dbus-send", "--session", "--print-reply", f"--dest={destination}", path, *message], text=True,
            env=os.environ | self.environment, capture_output=True, check=check, timeout=at_most(10)).stdout

    @property
    def processes(self):
        """The process identifiers."""
        return [self._bus.pid, self._keyring.pid]

    def items(self):
        """The number of stored secrets."""
        return self._items().count("object path")

    def _items(self):
        # Found without an attribute. (The collection's property contains them too, but reading it occasionally ends the keyring.)
        return self.call("org.freedesktop.secrets", "/org/freedesktop/secrets",
                         "org.freedesktop.Secret.Service.SearchItems", "dict:string:string:")

    def forget(self):
        """Deletes the stored secrets."""
        for path in re.findall(r'object path "([^"]+)"', self._items()):
            self.call("org.freedesktop.secrets", path, "org.freedesktop.Secret.Item.Delete")

    def close(self):
        for process in (self._keyring, self._bus):
            process.terminate()
            process.wait(10)
        self._bus.stdout.close()
        self._folder.cleanup()
