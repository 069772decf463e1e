import unittest

from plan import Plan, PlanError, emits, read_plan


class ReadPlan(unittest.TestCase):
    def test_no_plan(self) -> None:
        for given in ({}, {"a": 1}, {"openai_input": "text"}, {"openai_input": {}}, None, [], "text"):
            with self.subTest(given):
                self.assertIsNone(read_plan(given))

    def test_plan(self) -> None:
        steps = [
            {"output": None},
            {"emit": [1]},
            {"bytes": 0},
            {"bytes": 5.0},
            {"hold": "a.b-c_1"},
            {"sleepMs": 0},
            {"fail": ""},
            {"exit": 1},
            {"first": [{"first": []}]},
            {"deaf": True},
            {"report": ["input", "env", "gpu", "s3Config"]},
        ]
        plumbline = {"v": 1, "steps": steps}
        self.assertEqual(read_plan({"plumbline": plumbline}), Plan(None, steps))
        self.assertEqual(read_plan({"openai_input": {"model": "m", "plumbline": plumbline}}), Plan(None, steps))
        addressed = {**plumbline, "beacon": "https://receiver.test:8443/b/"}
        self.assertEqual(read_plan({"plumbline": addressed}), Plan("https://receiver.test:8443/b", steps))

    def test_refused(self) -> None:
        plans = [
            None,
            [],
            {"steps": []},
            {"v": 2, "steps": []},
            {"v": True, "steps": []},
            {"v": "1", "steps": []},
            {"v": 1},
            {"v": 1, "steps": {}},
            {"v": 1, "steps": [], "more": 1},
            {"v": 1, "beacon": None, "steps": []},
            {"v": 1, "beacon": "b", "steps": []},
            {"v": 1, "beacon": "ftp://receiver.test/b", "steps": []},
            {"v": 1, "beacon": "http://receiver.test:x/b", "steps": []},
        ]
        for plan in plans:
            with self.subTest(plan), self.assertRaisesRegex(PlanError, "plumbline"):
                read_plan({"plumbline": plan})

    def test_steps_refused(self) -> None:
        steps = [
            1,
            None,
            {},
            {"unknown": 1},
            {"output": 1, "emit": 2},
            {"bytes": -1},
            {"bytes": 1.5},
            {"bytes": True},
            {"bytes": 2**53},
            {"bytes": float("nan")},
            {"hold": ""},
            {"hold": "a/b"},
            {"hold": "a\n"},
            {"hold": 1},
            {"sleepMs": "5"},
            {"fail": 1},
            {"exit": "x"},
            {"exit": False},
            {"first": {}},
            {"first": [{"nested": 1}]},
            {"deaf": False},
            {"deaf": 1},
            {"report": "input"},
            {"report": ["secrets"]},
            {"report": [{}]},
        ]
        for step in steps:
            with self.subTest(step), self.assertRaisesRegex(PlanError, r"steps\[1\]"):
                read_plan({"plumbline": {"v": 1, "steps": [{"output": 1}, step]}})

    def test_emits(self) -> None:
        self.assertFalse(emits([{"output": {"emit": 1}}, {"first": [{"fail": "x"}]}]))
        self.assertTrue(emits([{"first": [{"first": [{"emit": 1}]}]}]))


if __name__ == "__main__":
    unittest.main()
