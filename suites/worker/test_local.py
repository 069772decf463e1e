import json
import os
import subprocess
import sys
import unittest
from typing import Any

from receiver import Receiver

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Local(unittest.TestCase):
    def setUp(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, FOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.addCleanup(self.end)
        self.assertEqual(self.read(), {"type": "ready", "v": 1})

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()

    def write(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def execute(self, given: dict, **more: Any) -> None:
        self.write({"type": "execute", "job": {"id": "j", "input": given, "execution": "j.1"}, **more})

    def follow(self, *steps: dict, **more: Any) -> None:
        self.execute({"plumbline": {"v": 1, "steps": list(steps)}}, **more)

    def test_outcomes(self) -> None:
        self.execute({"text": "ü\ud800"})
        self.assertEqual(self.read(), {"type": "completed", "execution": "j.1", "output": {"text": "ü\ud800"}})
        self.follow({"emit": 1}, {"fail": ""})
        self.assertEqual(self.read(), {"type": "partial", "execution": "j.1", "partial": 1})
        self.assertEqual(self.read(), {"type": "failed", "execution": "j.1", "message": ""})
        self.follow({"unknown": 1})
        self.assertEqual(self.read()["type"], "failed")
        self.follow({"report": ["env", "gpu"]}, env={"A": "b"}, gpu={"id": "g", "count": 1})
        self.assertEqual(self.read()["output"], {"env": {"A": "b"}, "gpu": {"id": "g", "count": 1}})

    def test_much_output(self) -> None:
        self.follow({"bytes": 3_000_000})
        self.assertEqual(self.read()["output"], "x" * 3_000_000)

    def test_stop(self) -> None:
        with Receiver() as receiver:
            self.execute({"plumbline": {"v": 1, "beacon": receiver.address, "steps": [{"hold": "go"}]}})
            receiver.wait_for("hold/go")
            self.write({"type": "stop", "execution": "another"})
            self.write({"type": "stop", "execution": "j.1"})
            self.assertEqual(self.read(), {"type": "stopped", "execution": "j.1"})
            self.assertEqual(receiver.paths(), ["start", "hold/go"])

    def test_exit(self) -> None:
        self.follow({"exit": 3})
        self.assertIsNone(self.read())
        self.assertEqual(self.process.wait(10), 3)

    def test_the_end_of_standard_input_ends_it(self) -> None:
        self.follow({"sleepMs": 60_000})
        self.process.stdin.close()
        self.assertEqual(self.process.wait(10), 0)
        self.process.stdin = None


if __name__ == "__main__":
    unittest.main()
