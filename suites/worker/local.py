"""The local process protocol: messages as JSON lines over standard input and output (spec/worker.md)."""

import json
import os
import signal
import sys
import threading
from typing import Any, Callable, Dict

from handler import HandlerError, execute
from plan import PlanError
from stop import Stop, Stopped

Send = Callable[[Dict[str, Any]], None]


def serve() -> None:
    """Executes what standard input asks for until that ends, and then ends whatever still runs."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    send = create_sender()
    stops: Dict[str, Stop] = {}
    send({"type": "ready", "v": 1})
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "execute":
            job = {**message["job"], "env": message.get("env", {}), "gpu": message.get("gpu")}
            stop = stops[job["execution"]] = Stop()
            threading.Thread(target=run, args=(job, stop, stops, send), daemon=True).start()
        elif message["type"] == "stop" and message["execution"] in stops:
            stops[message["execution"]].ask()
    os._exit(0)


def wait_for_end() -> None:
    """Returns at the end of standard input."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for _ in sys.stdin.buffer:
        pass


def run(job: Dict[str, Any], stop: Stop, stops: Dict[str, Stop], send: Send) -> None:
    """One execution, from its first step to the message that tells its end."""
    execution = job["execution"]
    course = execute(job, stop)
    try:
        while True:
            try:
                send({"type": "partial", "execution": execution, "partial": next(course)})
            except StopIteration as end:
                told = {"type": "completed", "output": end.value}
                break
    except Stopped:
        told = {"type": "stopped"}
    except (HandlerError, PlanError) as error:
        told = {"type": "failed", "message": str(error)}
    except Exception as error:  # A fault of ours fails the job; it must not look like a job without an end.
        told = {"type": "failed", "message": f"the worker has a fault: {type(error).__name__}: {error}"}
    stops.pop(execution, None)
    send({**told, "execution": execution})


def create_sender() -> Send:
    """Takes standard output for messages alone; whatever else is printed goes to standard error."""
    lines = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    lock = threading.Lock()

    def send(message: Dict[str, Any]) -> None:
        data = memoryview(json.dumps(message).encode() + b"\n")
        with lock:
            try:
                while data:
                    data = data[lines.write(data) :]
            except OSError:
                os._exit(1)  # Nobody listens any more.

    return send
