"""A receiver for the tests: counts starts, holds keys until they are released, and answers as it is told."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """Listens on a free port of this machine while it is entered."""

    def __init__(self) -> None:
        self.arrivals: list = []
        self.answers: dict = {}
        """By path: what is answered instead, one after the other: a status, a body, or `cut` for no answer at all."""
        self._released: dict = {}
        self._arrived = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                receiver._answer(self, None)

            def do_POST(self) -> None:
                receiver._answer(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/b"

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()

    def paths(self) -> list:
        return [path for path, _, _ in self.arrivals]

    def bodies(self, path: str) -> list:
        return [body for at, body, _ in self.arrivals if at == path]

    def wait_for(self, path: str) -> None:
        with self._arrived:
            if not self._arrived.wait_for(lambda: path in self.paths(), timeout=10):
                raise AssertionError(f"{path} was not asked for; what came: {self.paths()}")

    def release(self, key: str) -> None:
        self._gate(key).set()

    def _gate(self, key: str) -> threading.Event:
        return self._released.setdefault(key, threading.Event())

    def _answer(self, request: BaseHTTPRequestHandler, body: Any) -> None:
        path = request.path[len("/b/") :]
        with self._arrived:
            self.arrivals.append((path, body, request.headers.get("Plumbline-Call")))
            self._arrived.notify_all()
        told = self.answers.get(path) or []
        answer = told.pop(0) if told else {"n": self.paths().count("start")}
        if answer == "cut":
            request.close_connection = True
            return
        if path.startswith("hold/") and not isinstance(answer, int):
            self._gate(path[len("hold/") :]).wait()
        status, text = (answer, b"") if isinstance(answer, int) else (200, json.dumps(answer).encode())
        request.send_response(status)
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)
