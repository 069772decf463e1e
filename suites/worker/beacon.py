"""The beacon of one execution: what it tells, and what it waits for (spec/worker.md, heading The beacon)."""

import http.client
import json
import socket
import urllib.request
from typing import Any, Optional, Tuple
from urllib.parse import urlsplit

from stop import Stop

FIRST_PAUSE_SECONDS = 0.02
LONGEST_PAUSE_SECONDS = 0.64
LONGEST_ANSWER_BYTES = 65_536
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class BeaconError(Exception):
    """A receiver that cannot be reached or makes no sense."""


class Broken(BeaconError):
    """A connection that was made, and ended without an answer."""


class Beacon:
    """Every member raises BeaconError, and Stopped where the execution was stopped meanwhile."""

    def __init__(self, address: str, call: Optional[str], identity: dict, stop: Stop) -> None:
        self._address = address
        self._headers = {"User-Agent": "plumbline-worker/1"}
        if call is not None:
            self._headers["Plumbline-Call"] = call
        self._identity = identity
        self._stop = stop

    def start(self) -> int:
        """Tells that the execution began, and is told which one of its job it is, from 1."""
        answer = self._post("start", self._identity)
        try:
            read = json.loads(answer)
        except ValueError as error:
            raise BeaconError(f"the beacon answered no JSON to start ({error})") from None
        n = read.get("n") if isinstance(read, dict) else None
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise BeaconError(f"the beacon answered n as {json.dumps(n)}, expected an integer from 1")
        return n

    def hold(self, key: str) -> None:
        """Waits until the key is released, however long that takes."""
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                status, _ = self._send(f"hold/{key}", None)
                if 200 <= status < 300:
                    return
            except Broken:
                pass  # Something between cut a long wait; that says nothing about the key.
            self._stop.pause(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def end(self, outcome: str, message: Optional[str] = None) -> None:
        """Tells how the handler ended, before the platform is told."""
        identity = {name: self._identity[name] for name in ("execution", "worker")}
        self._post("end", {**identity, "outcome": outcome, **({} if message is None else {"message": message})})

    def _post(self, path: str, body: Any) -> bytes:
        status, answer = self._send(path, body)
        if not 200 <= status < 300:
            raise BeaconError(f"the beacon answered {status} to {path}")
        return answer

    def _send(self, path: str, body: Any) -> Tuple[int, bytes]:
        address = f"{self._address}/{path}"
        headers = self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, headers)
        connected = False

        def on_connected(connection: socket.socket) -> None:
            nonlocal connected
            self._stop.attach(connection)
            connected = True

        self._stop.heed()
        try:
            with create_opener(address, on_connected).open(request) as response:
                answer = response.read(LONGEST_ANSWER_BYTES)
            # A stop cuts an answer short without an error.
            self._stop.heed()
            return response.status, answer
        except (OSError, http.client.HTTPException) as error:
            self._stop.heed()
            raise (Broken if connected else BeaconError)(f"{type(error).__name__}: {error}") from None
        finally:
            self._stop.detach()


def create_opener(address: str, on_connected: Any) -> urllib.request.OpenerDirector:
    """An opener that takes every status as an answer, has no time limit, and shows each connection it makes."""

    class Plain(http.client.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            keep_alive(self.sock)
            on_connected(self.sock)

    class Secure(http.client.HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            keep_alive(self.sock)
            on_connected(self.sock)

    class PlainHandler(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Plain, req)

    class SecureHandler(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Secure, req)

    class AnyStatus(urllib.request.HTTPErrorProcessor):
        def http_response(self, request: Any, response: Any) -> Any:
            return response

        https_response = http_response

    handlers: list = [PlainHandler(), SecureHandler(), AnyStatus()]
    if urlsplit(address).hostname in LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def keep_alive(connection: socket.socket) -> None:
    """Long waits pass through machines that forget silent connections, and should be found out where they did."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        option = getattr(socket, name, None)
        if option is not None:
            connection.setsockopt(socket.IPPROTO_TCP, option, seconds)
