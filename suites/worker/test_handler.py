import os
import threading
import types
import unittest
from typing import Any
from unittest import mock

from handler import HandlerError, execute, handler, last_of, stream
from plan import PlanError
from receiver import Receiver
from stop import Stop, Stopped


def job(steps: list, beacon: Any = None, **more: Any) -> dict:
    plumbline = {"v": 1, "steps": steps, **({} if beacon is None else {"beacon": beacon})}
    return {"id": "job-1", "input": {"plumbline": plumbline}, **more}


def run(steps: list, **more: Any) -> Any:
    return handler(job(steps, **more))


def collect(course: Any) -> tuple:
    partials = []
    try:
        while True:
            partials.append(next(course))
    except StopIteration as end:
        return partials, end.value


class WithoutBeacon(unittest.TestCase):
    def test_echo(self) -> None:
        for given in ({}, {"a": [1, {"b": None}]}, {"text": "ü€𝄞", "n": 0.1}):
            self.assertEqual(handler({"id": "job-1", "input": given}), given)

    def test_partial_results(self) -> None:
        for steps, partials, output in (
            ([{"emit": 1}, {"emit": [2]}], [1, [2]], [1, [2]]),
            ([{"emit": 1}, {"output": "all"}], [1], "all"),
            ([{"output": None}, {"emit": 1}], [1], None),
            ([{"first": [{"emit": 1}]}], [1], [1]),
        ):
            with self.subTest(steps):
                course = run(steps)
                self.assertIsInstance(course, types.GeneratorType)
                self.assertEqual(collect(course), (partials, output))
                self.assertEqual(collect(stream(job(steps))), (partials, output))

    def test_partial_results_come_one_by_one(self) -> None:
        course = run([{"emit": 1}, {"fail": "later"}])
        self.assertEqual(next(course), 1)
        with self.assertRaisesRegex(HandlerError, "^later$"):
            next(course)

    def test_failures(self) -> None:
        with self.assertRaisesRegex(HandlerError, "^no$"):
            run([{"fail": "no"}, {"output": 1}])
        with self.assertRaisesRegex(HandlerError, "^hold needs a beacon$"):
            run([{"hold": "go"}])
        with self.assertRaises(PlanError):
            run([{"unknown": 1}])
        with self.assertRaises(PlanError):
            next(stream(job([{"unknown": 1}])))

    def test_exit(self) -> None:
        with mock.patch("os._exit", side_effect=SystemExit) as leave, self.assertRaises(SystemExit):
            run([{"exit": 1}])
        leave.assert_called_once_with(1)

    def test_report(self) -> None:
        handed = job([{"report": ["input", "env", "gpu", "s3Config"]}], env={"A": "b"}, gpu=None, s3Config={"k": "v"})
        self.assertEqual(
            handler(handed), {"input": handed["input"], "env": {"A": "b"}, "gpu": None, "s3Config": {"k": "v"}}
        )
        around = {"MODE": "test", "API_KEY": "x", "DATABASE": "db://me:pw@host", "A_TOKEN": "y"}
        with mock.patch.dict(os.environ, around, clear=True), mock.patch("shutil.which", return_value=None):
            self.assertEqual(run([{"report": ["env", "gpu"]}]), {"env": {"MODE": "test"}, "gpu": None})


class WithBeacon(unittest.TestCase):
    def setUp(self) -> None:
        self.receiver = Receiver().__enter__()
        self.addCleanup(self.receiver.__exit__)
        self.beacon = self.receiver.address

    def test_what_is_told(self) -> None:
        given = {"call": "x7", "execution": "job-1.2", "worker": "w1", "attempt": 2}
        self.assertEqual(run([{"output": 1}], beacon=self.beacon + "/", **given), 1)
        told = {"execution": "job-1.2", "worker": "w1"}
        self.assertEqual(
            self.receiver.arrivals,
            [("start", {**told, "attempt": 2}, "x7"), ("end", {**told, "outcome": "completed"}, "x7")],
        )

    def test_a_platform_that_hands_over_id_and_input_alone(self) -> None:
        run([], beacon=self.beacon)
        run([], beacon=self.beacon)
        first, second = self.receiver.bodies("start")
        self.assertNotEqual(first["execution"], second["execution"])
        self.assertEqual(first["worker"], second["worker"])
        self.assertIsNone(first["attempt"])
        self.assertEqual([call for _, _, call in self.receiver.arrivals], [None] * 4)

    def test_first(self) -> None:
        steps = [{"output": "again"}, {"first": [{"output": "first"}]}]
        self.assertEqual([run(steps, beacon=self.beacon) for _ in range(2)], ["first", "again"])

    def test_the_end_of_a_failure(self) -> None:
        with self.assertRaises(HandlerError):
            run([{"fail": "no"}], beacon=self.beacon)
        [end] = self.receiver.bodies("end")
        self.assertEqual((end["outcome"], end["message"]), ("failed", "no"))

    def test_hold_asks_again(self) -> None:
        self.receiver.answers["hold/a.b"] = [503, "cut", 404, 204]
        run([{"hold": "a.b"}], beacon=self.beacon, call="x1")
        self.assertEqual(self.receiver.paths(), ["start", *["hold/a.b"] * 4, "end"])
        self.assertEqual({call for _, _, call in self.receiver.arrivals}, {"x1"})

    def test_a_beacon_that_makes_no_sense(self) -> None:
        for answer in (500, 302, "cut", {}, None, {"n": 0}, {"n": True}, {"n": 1.5}):
            with self.subTest(answer), self.assertRaisesRegex(HandlerError, "beacon"):
                self.receiver.answers["start"] = [answer]
                run([{"output": 1}], beacon=self.beacon)
        with self.assertRaisesRegex(HandlerError, "the beacon answered 500 to end"):
            self.receiver.answers["end"] = [500]
            run([{"output": 1}], beacon=self.beacon)

    def test_a_beacon_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(HandlerError, "^the beacon cannot be reached: "):
            run([], beacon="http://127.0.0.1:1/b")

    def start(self, steps: list) -> tuple:
        """Runs in another thread: how to stop it, how to wait for it, and where its end is put."""
        stop = Stop()
        ends: list = []

        def follow() -> None:
            try:
                ends.append(last_of(execute(job(steps, beacon=self.beacon), stop)))
            except Exception as error:
                ends.append(type(error))

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        return stop, lambda: thread.join(10), ends

    def test_a_stop_ends_a_hold(self) -> None:
        stop, join, ends = self.start([{"hold": "go"}])
        self.receiver.wait_for("hold/go")
        stop.ask()
        join()
        self.assertEqual((ends, self.receiver.paths()), ([Stopped], ["start", "hold/go"]))

    def test_a_stop_ends_a_sleep(self) -> None:
        stop, join, ends = self.start([{"sleepMs": 60_000}])
        self.receiver.wait_for("start")
        stop.ask()
        join()
        self.assertEqual((ends, self.receiver.paths()), ([Stopped], ["start"]))

    def test_a_deaf_one_reports_late(self) -> None:
        stop, join, ends = self.start([{"deaf": True}, {"hold": "go"}, {"sleepMs": 1}, {"output": "late"}])
        self.receiver.wait_for("hold/go")
        stop.ask()
        self.receiver.release("go")
        join()
        self.assertEqual((ends, self.receiver.paths()), (["late"], ["start", "hold/go", "end"]))


if __name__ == "__main__":
    unittest.main()
