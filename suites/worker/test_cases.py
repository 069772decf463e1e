import json
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from handler import HandlerError, execute
from plan import PlanError

TABLE = json.loads((Path(__file__).parents[2] / "spec" / "worker-cases.json").read_text("utf-8"))


class Left(BaseException):
    """The process would have ended."""


class Cases(unittest.TestCase):
    """Plans and what follows from them, the same table for every conformance worker."""

    def test_table(self) -> None:
        for case in TABLE["cases"]:
            with self.subTest(case["says"]):
                expected = {name: value for name, value in case.items() if name not in ("says", "input")}
                self.assertEqual(seen(case["input"]), {"partials": [], **expected})


def seen(given: Any) -> dict:
    partials: list = []
    with mock.patch("os._exit", side_effect=Left) as leave:
        try:
            course = execute({"id": "job-1", "input": given, **TABLE["surroundings"]})
            while True:
                partials.append(next(course))
        except StopIteration as end:
            return {"partials": partials, "output": end.value}
        except (HandlerError, PlanError) as error:
            return {"partials": partials, "error": str(error)}
        except Left:
            return {"partials": partials, "exit": leave.call_args.args[0]}


if __name__ == "__main__":
    unittest.main()
