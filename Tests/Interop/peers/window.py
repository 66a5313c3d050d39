"""A window on a virtual screen: found by its title, and closed like by a window manager."""
import ctypes
import os
import subprocess
import time

from .patience import Wait, at_most, wait_until


class _ClientMessage(ctypes.Structure):
    """XClientMessageEvent, with its data as numbers."""

    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
                ("padding", ctypes.c_byte * 96)]  # as long as an XEvent at least


class Window:
    def __init__(self, screen, title, patience=45, program=None):
        """Waits until there is a window with this text in its title, while its program runs."""
        self.display = screen.display
        wait = Wait(patience)
        while True:
            found = self._ask("search", "--onlyvisible", "--name", title).split()
            if found:
                break
            runs = program is None or program.process.poll() is None
            assert runs and not wait.is_over, (
                f"there is no window “{title}”: {self.titles(screen)} {program.describe() if program else ''}")
            time.sleep(0.1)
        self.number = int(found[-1])

    @staticmethod
    def titles(screen):
        def ask(*command):
            return subprocess.run(["xdotool", *command], env={**os.environ, "DISPLAY": screen.display},
                                  capture_output=True, text=True, timeout=at_most(20)).stdout
        return [ask("getwindowname", window).strip() for window in ask("search", "--onlyvisible", "--name", ".").split()]

    @staticmethod
    def wait_for_none(screen, patience=45):
        """The X server removes a window a moment after its program has ended."""
        wait_until(lambda: not Window.titles(screen), patience, "a screen without windows",
                   lambda: str(Window.titles(screen)), step=0.1)

    def _ask(self, *command):
        return subprocess.run(["xdotool", *command], env={**os.environ, "DISPLAY": self.display}, capture_output=True,
                              text=True, timeout=at_most(20)).stdout

    @property
    def title(self):
        return self._ask("getwindowname", str(self.number)).strip()

    def focus(self):
        """Gives it the keyboard focus, since there is no window manager."""
        self._ask("windowfocus", "--sync", str(self.number))

    def close(self):
        """Closes it like the button of a window's frame: requests it from the program (WM_DELETE_WINDOW)."""
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XInternAtom.restype = ctypes.c_ulong
        x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
        x11.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
        x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
        display = x11.XOpenDisplay(self.display.encode())
        assert display, "the screen is gone"
        message = _ClientMessage(type=33, send_event=1, display=display, window=self.number, format=32)
        message.message_type = x11.XInternAtom(display, b"WM_PROTOCOLS", 0)
        message.data[0] = x11.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
        assert x11.XSendEvent(display, self.number, 0, 0, ctypes.byref(message))
        x11.XCloseDisplay(display)
