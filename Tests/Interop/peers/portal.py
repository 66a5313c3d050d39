"""A desktop's camera portal, by python-dbusmock. Run by the system's Python, on the session bus of its environment.

    portal.py granted|refused|ask|dismissed|silent|deaf [absent]

`ask` answers when it reads `yes` or `no` on standard input; `silent` accepts the request and never answers it; `deaf` never
replies to anything. `absent` is a portal without a camera."""
import os
import socket
import sys
import threading

import dbus
import dbus.mainloop.glib
import dbusmock
from gi.repository import GLib

CAMERA = "org.freedesktop.portal.Camera"
PATH = "/org/freedesktop/portal/desktop"
manner, present = sys.argv[1], "absent" not in sys.argv
ANSWERS = {"granted": 0, "refused": 1, "dismissed": 2}

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName("org.freedesktop.portal.Desktop", bus, do_not_queue=True)
portal = dbusmock.mockobject.DBusMockObject(name, PATH, CAMERA, {"IsCameraPresent": dbus.Boolean(present)})
asked = []


def answer(path, response):
    signal = dbus.lowlevel.SignalMessage(path, "org.freedesktop.portal.Request", "Response")
    signal.append(dbus.UInt32(response), dbus.Dictionary({}, signature="sv"), signature="ua{sv}")
    bus.send_message(signal)
    return False


def access(options):
    path = f"{PATH}/request/mock/{options['handle_token']}"
    asked.append(path)
    print("asked", flush=True)
    if manner in ANSWERS:
        GLib.timeout_add(50, answer, path, ANSWERS[manner])
    return dbus.ObjectPath(path)


def remote():
    client = socket.socket(socket.AF_UNIX)
    client.connect(os.environ["XDG_RUNTIME_DIR"] + "/pipewire-0")
    return dbus.types.UnixFd(client)


dbusmock.mockobject.duet_access, dbusmock.mockobject.duet_remote = access, remote
if manner == "deaf":
    portal.AddMethod(CAMERA, "AccessCamera", "a{sv}", "o", "time.sleep(3600)")
else:
    portal.AddMethod(CAMERA, "AccessCamera", "a{sv}", "o", "ret = duet_access(args[0])")
portal.AddMethod(CAMERA, "OpenPipeWireRemote", "a{sv}", "h", "ret = duet_remote()")


def read():
    for line in sys.stdin:
        GLib.idle_add(answer, asked[-1], 0 if line.strip() == "yes" else 1)


threading.Thread(target=read, daemon=True).start()
print("ready", flush=True)
GLib.MainLoop().run()
