"""The orientation sensor on the system bus, by python-dbusmock. Reports the words that it reads, such as `left-up`."""
import sys
import threading

import dbus
import dbus.mainloop.glib
import dbusmock
from gi.repository import GLib

NAME, PATH = "net.hadess.SensorProxy", "/net/hadess/SensorProxy"
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
name = dbus.service.BusName(NAME, dbus.SystemBus(), do_not_queue=True)
sensor = dbusmock.mockobject.DBusMockObject(
    name, PATH, NAME, {"HasAccelerometer": True, "AccelerometerOrientation": "normal"})
sensor.AddMethod(NAME, "ClaimAccelerometer", "", "", "print('claimed', flush=True)")
sensor.AddMethod(NAME, "ReleaseAccelerometer", "", "", "")


def turn(word):
    sensor.UpdateProperties(NAME, {"AccelerometerOrientation": word})
    return False


def read():
    for line in sys.stdin:
        GLib.idle_add(turn, line.strip())


threading.Thread(target=read, daemon=True).start()
print("ready", flush=True)
GLib.MainLoop().run()
