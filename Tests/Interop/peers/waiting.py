"""Threads that wait at a socket."""
import contextlib
import socket


def stop(thread, *waited_at):
    """Ends a thread that waits at one of these sockets, and then closes them.

    After closing alone, the thread would wait on; and its system call, made again after a signal, would take what arrives at
    whichever socket has the same number by then.
    """
    for one in waited_at:
        with contextlib.suppress(OSError):  # an unconnected one wakes its thread all the same
            one.shutdown(socket.SHUT_RDWR)
    thread.join()
    for one in waited_at:
        one.close()
