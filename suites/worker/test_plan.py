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

    def test_what_json_cannot_say(self) -> None:
        for step in ({"bytes": float("nan")}, {"bytes": float("inf")}):
            with self.subTest(step), self.assertRaisesRegex(PlanError, r"steps\[0\]"):
                read_plan({"plumbline": {"v": 1, "steps": [step]}})

    def test_emits(self) -> None:
        self.assertFalse(emits([{"output": {"emit": 1}}, {"first": [{"fail": "x"}]}]))
        self.assertTrue(emits([{"first": [{"first": [{"emit": 1}]}]}]))


if __name__ == "__main__":
    unittest.main()
