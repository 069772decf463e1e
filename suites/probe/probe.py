"""
The probe: a program that reports what happens in the container of a pod (suites/probe/README.md). Python 3.9 or later,
standard library only.

It does nothing by itself: files, variables and hosts are named by requests. Only a request with the token of the pod may use
files and the network; it reports no variable but those of the suite.
"""

import hmac
import json
import os
import re
import sys
import threading
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, Optional, Tuple
from urllib.parse import parse_qs, urlsplit

START = uuid.uuid4().hex
"""Each start of the container has another one."""

TOKEN_VARIABLE = "PLUMBLINE_PROBE"
TOKEN_HEADER = "Plumbline-Probe"
DEFAULT_PORT = 8000

REPORTED = re.compile(r"PLUMBLINE_\w+", re.ASCII)
OWN_FILE = re.compile(r"/(?:[^/]+/)*plumbline-[A-Za-z0-9._-]+")
HOST = re.compile(r"[A-Za-z0-9._~-]+")
MOST_BYTES = 65_536
READ_BYTES = 1_048_576
PEER_SECONDS = 5

ROOT = os.environ.get("PLUMBLINE_PROBE_ROOT", "")
"""The folder that stands for the root of the file system; empty in a container."""

NETWORK = os.environ.get("PLUMBLINE_PROBE_NETWORK", "")
"""An HTTP proxy that stands for the network; empty in a container."""


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


def report(names: str) -> Dict[str, Any]:
    """The start, the arguments, and those of the named variables that are the suite's."""
    asked = [name for name in names.split(",") if REPORTED.fullmatch(name) and name != TOKEN_VARIABLE]
    return {"v": 1, "start": START, "args": sys.argv[1:], "env": {name: os.environ.get(name) for name in asked}}


def own_file(path: str) -> Path:
    if not OWN_FILE.fullmatch(path) or ".." in path.split("/"):
        raise Refused(400, "expected an absolute path of a file whose name begins with plumbline-")
    return Path(ROOT + path)


def read_file(path: str) -> Dict[str, Any]:
    try:
        with own_file(path).open(encoding="utf-8") as file:
            return {"text": file.read(MOST_BYTES)}
    except (OSError, UnicodeDecodeError):
        raise Refused(404, "no such file") from None


def write_file(path: str, body: bytes) -> Dict[str, Any]:
    file = own_file(path)
    if not file.parent.is_dir():
        raise Refused(404, "no such folder")
    try:
        file.write_bytes(body)
    except OSError as error:
        raise Refused(403, f"the file cannot be written: {error.strerror}") from None
    return {"written": len(body)}


def remove_file(path: str) -> Dict[str, Any]:
    found = read_file(path)
    own_file(path).unlink()
    return found


def call_peer(body: bytes) -> Dict[str, Any]:
    """The start that the probe at another host reports; null if none responds."""
    try:
        asked = json.loads(body)
        host, port = asked["host"], asked["port"]
    except (KeyError, TypeError, ValueError):
        host, port = None, None
    is_port = isinstance(port, int) and not isinstance(port, bool) and 0 < port < 65_536
    if not isinstance(host, str) or not HOST.fullmatch(host) or not is_port:
        raise Refused(400, "expected a host and a port")
    # Proxies of the environment are for other networks.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": NETWORK} if NETWORK else {}))
    try:
        with opener.open(f"http://{host}:{port}/plumbline/probe", timeout=PEER_SECONDS) as response:
            peer = json.loads(response.read(MOST_BYTES))
        return {"start": peer.get("start")}
    except (AttributeError, OSError, ValueError):
        return {"start": None}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.answer()

    def do_PUT(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def do_DELETE(self) -> None:
        self.answer()

    def answer(self) -> None:
        try:
            status, value = 200, self.value()
        except Refused as refused:
            status, value = refused.status, {"error": str(refused)}
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def value(self) -> Dict[str, Any]:
        body = self.body()
        if body is None:
            raise Refused(413, f"a file may have {MOST_BYTES} bytes at most")
        path, query = self.target()
        route = f"{self.command} {path}"
        if route == "GET /plumbline/probe":
            return report(query.get("env", ""))
        if route not in ("GET /plumbline/file", "PUT /plumbline/file", "DELETE /plumbline/file", "POST /plumbline/call"):
            raise Refused(404, "no such route")
        token = os.environ.get(TOKEN_VARIABLE, "")
        given = self.headers.get(TOKEN_HEADER, "")
        if token == "" or not hmac.compare_digest(given.encode(), token.encode()):
            raise Refused(403, "the token is not that of the pod")
        if path == "/plumbline/call":
            return call_peer(body)
        file = query.get("path", "")
        if self.command == "PUT":
            return write_file(file, body)
        return read_file(file) if self.command == "GET" else remove_file(file)

    def target(self) -> Tuple[str, Dict[str, str]]:
        parts = urlsplit(self.path)
        return parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}

    def body(self) -> Optional[bytes]:
        """None for a body that is too long. Unless it is endless it is read, so that the client reads the response."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            body = self.chunks()
        else:
            length = self.headers.get("Content-Length", "0")
            is_readable = length.isdigit() and int(length) <= READ_BYTES
            body = self.rfile.read(int(length)) if is_readable else None
        if body is None:
            self.close_connection = True
        return None if body is None or len(body) > MOST_BYTES else body

    def chunks(self) -> Optional[bytes]:
        """The body that a proxy sends in chunks; None if it is endless or malformed."""
        body = b""
        while len(body) <= READ_BYTES:
            size = self.rfile.readline(64).split(b";")[0].strip()
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,6}", size):
                return None
            body += self.rfile.read(int(size, 16))
            self.rfile.readline(64)
            if int(size, 16) == 0:
                return body
        return None


def main() -> None:
    asked = os.environ.get("PLUMBLINE_PORT")
    if asked is None:
        ThreadingHTTPServer(("", DEFAULT_PORT), Handler).serve_forever()
        return
    # A process of `plumbline serve --probe`: it says its port, and ends with its standard input.
    server = ThreadingHTTPServer(("127.0.0.1", int(asked)), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"type": "ready", "v": 1, "port": server.server_address[1]}), flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
