"""How an execution is told to stop while it waits, in another thread than the one that tells it."""

import socket
import threading
import time
from typing import Optional


class Stopped(Exception):
    """An execution that shall stop, and does."""


class Stop:
    """The stop of one execution. A deaf one does not hear it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = threading.Event()
        self._deaf = False
        self._waiting: Optional[socket.socket] = None

    def ask(self) -> None:
        """Asks the execution to stop, and ends the request that it waits in."""
        with self._lock:
            self._asked.set()
            if not self._deaf and self._waiting is not None:
                hang_up(self._waiting)

    def be_deaf(self) -> None:
        with self._lock:
            self._deaf = True

    def heed(self) -> None:
        """Raises Stopped where a stop was asked for, and is heard."""
        if self._asked.is_set() and not self._deaf:
            raise Stopped()

    def attach(self, connection: socket.socket) -> None:
        """Names the connection that a stop ends; raises Stopped where that has come already."""
        with self._lock:
            self.heed()
            self._waiting = connection

    def detach(self) -> None:
        with self._lock:
            self._waiting = None

    def pause(self, seconds: float) -> None:
        """Real time, cut short by a stop."""
        if self._deaf:
            time.sleep(seconds)
        else:
            self._asked.wait(seconds)
        self.heed()


def hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # It has ended by itself.
