"""
The conformance worker of load-balanced endpoints, an HTTP server (spec/worker.md, heading The worker of load-balanced
endpoints). Python 3.9 or later, standard library only.
"""

import hashlib
import json
import os
import re
import tempfile
import threading
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Optional, Tuple
from urllib.parse import parse_qs, unquote

from beacon import Beacon, BeaconError, create_opener
from plan import HOLD_KEY
from stop import Stop

WORKER = os.environ.get("PLUMBLINE_WORKER") or f"worker-{uuid.uuid4().hex[:12]}"
LONGEST_TEXT_BYTES = 65_536
MOST_PARTS = 10_000
GIVEN = ("X-Plumbline-Given", 'a; b="c d"')
"""A header of every response."""

Answer = Tuple[int, Optional[str], bytes]
"""Status, content type and body."""


class Refused(Exception):
    """Why a request is answered with an error."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.answer = json_of(status, {"error": "refused by the worker", "detail": detail})


class Counts:
    """How often each nonce was received, in a folder that all workers of an endpoint share and that outlives them."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def add(self, nonce: str) -> None:
        file = os.open(self._file(nonce), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(file, b".")
        finally:
            os.close(file)

    def of(self, nonce: str) -> int:
        file = self._file(nonce)
        return file.stat().st_size if file.exists() else 0

    def _file(self, nonce: str) -> Path:
        return self._folder / hashlib.sha256(nonce.encode()).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers every method."""

    protocol_version = "HTTP/1.1"
    counts: Counts
    is_ready = False
    is_pinged = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def log_message(self, *_: Any) -> None:
        pass

    def answer(self) -> None:
        path, _, query = self.path.partition("?")
        nonce = self.headers.get("Plumbline-Nonce")
        if nonce is not None and not path.startswith("/plumbline/seen/"):
            self.counts.add(nonce)
        body = self.read_body()
        try:
            parts = re.fullmatch(r"/plumbline/parts/(.*)", path)
            if parts is not None:
                return self.send_parts(parts[1])
            status, media_type, content = self.answer_to(path, query, body)
        except Refused as refused:
            status, media_type, content = refused.answer
        has_body = status not in (204, 205, 304)
        self.send_response(status)
        self.send_header(*GIVEN)
        if media_type is not None and has_body:
            self.send_header("Content-Type", media_type)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(content) if has_body else 0))
        self.end_headers()
        if self.command != "HEAD" and has_body:
            self.wfile.write(content)

    def answer_to(self, path: str, query: str, body: bytes) -> Answer:
        if path == "/ping":
            return self.ping()
        if path == "/plumbline/echo" or path.startswith("/plumbline/echo/"):
            return json_of(200, self.echo(path, query, body))
        route, _, rest = path[len("/plumbline/") :].partition("/")
        if not path.startswith("/plumbline/") or route not in ROUTES:
            raise Refused(404, f"no route {path}")
        return ROUTES[route](self, unquote(rest), query, body)

    def ping(self) -> Answer:
        """204 to the first one, so that a platform can be seen to wait for 200."""
        if not Handler.is_pinged:
            Handler.is_pinged = True
            return 204, None, b""
        Handler.is_ready = True
        return json_of(200, {"worker": WORKER})

    def echo(self, path: str, query: str, body: bytes) -> dict:
        return {
            "worker": WORKER,
            "ready": Handler.is_ready,
            "method": self.command,
            "path": path,
            "query": query,
            "headers": [[name, value] for name, value in self.headers.items() if name.lower() != "authorization"],
            "body": text_of(body),
            "bytes": len(body),
            "bodySha256": hashlib.sha256(body).hexdigest(),
            "given": [GIVEN],
        }

    def status(self, rest: str, _: str, __: bytes) -> Answer:
        status = status_in(rest)
        if status < 400:
            return json_of(status, {"status": status})
        return json_of(status, {"error": f"error {status}", "detail": f"status {status} was asked for"})

    def give_back(self, rest: str, _: str, body: bytes) -> Answer:
        return status_in(rest), self.headers.get("Content-Type"), body

    def hold(self, key: str, query: str, _: bytes) -> Answer:
        address = parse_qs(query).get("beacon", [""])[0]
        if HOLD_KEY.fullmatch(key) is None or not address.startswith(("http://", "https://")):
            raise Refused(400, "hold needs a key and a beacon")
        try:
            Beacon(address.rstrip("/"), self.headers.get("Plumbline-Call"), {}, Stop()).hold(key)
        except BeaconError as error:
            raise Refused(500, f"the beacon cannot be reached: {error}") from None
        return json_of(200, {"held": key})

    def exit(self, _: str, __: str, ___: bytes) -> Answer:
        if self.command != "POST":
            raise Refused(405, "exit takes POST")
        os._exit(1)

    def seen(self, nonce: str, _: str, __: bytes) -> Answer:
        return json_of(200, {"seen": self.counts.of(nonce)})

    def call(self, _: str, __: str, body: bytes) -> Answer:
        """Calls a peer."""
        try:
            asked = json.loads(body)
            content = asked.get("body")
            if not asked["url"].startswith(("http://", "https://")):
                raise ValueError("url is not an http or https address")
            request = urllib.request.Request(
                asked["url"],
                None if content is None else content.encode(),
                dict(asked.get("headers") or []),
                method=asked.get("method", "GET"),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refused(400, f"call needs url, method, headers and body: {error}") from None
        try:
            with create_opener(asked["url"], lambda _: None).open(request) as response:
                return json_of(200, {"status": response.status, "body": response.read().decode("utf-8", "replace")})
        except OSError as error:
            raise Refused(500, f"the peer cannot be reached: {error}") from None

    def send_parts(self, number: str) -> None:
        """A body whose length nobody says beforehand, in so many parts."""
        if re.fullmatch(r"\d{1,5}", number) is None:
            raise Refused(404, "expected a number of parts")
        self.send_response(200)
        self.send_header(*GIVEN)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.command == "HEAD":
            return
        for part in range(1, min(int(number), MOST_PARTS) + 1):
            text = f"part {part}\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        self.wfile.write(b"0\r\n\r\n")

    def read_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = bytearray()
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            if size == 0:
                break
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass  # Trailers.
        return bytes(body)


ROUTES: dict = {
    "status": Handler.status,
    "return": Handler.give_back,
    "hold": Handler.hold,
    "exit": Handler.exit,
    "seen": Handler.seen,
    "call": Handler.call,
}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: Any) -> None:
        pass  # A caller that has gone.


def listen(host: str, port: int) -> Server:
    """A server that is not answering yet, on any free port for port 0."""
    folder = os.environ.get("PLUMBLINE_COUNTS") or os.path.join(tempfile.gettempdir(), "plumbline-counts")
    Handler.counts = Counts(Path(folder))
    return Server((host, port), Handler)


def serve_locally(send: Callable[[dict], None], wait: Callable[[], None]) -> None:
    """Serves on a free port of this machine, which `send` tells, until `wait` returns."""
    server = listen("127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    send({"type": "ready", "v": 1, "port": server.server_address[1]})
    wait()
    os._exit(0)


def json_of(status: int, value: Any) -> Answer:
    return status, "application/json", json.dumps(value).encode()


def status_in(text: str) -> int:
    if re.fullmatch(r"[2-5]\d\d", text) is None:
        raise Refused(400, "expected a status from 200 to 599")
    return int(text)


def text_of(body: bytes) -> Optional[str]:
    """None if it is long, or is not UTF-8."""
    if len(body) > LONGEST_TEXT_BYTES:
        return None
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None
