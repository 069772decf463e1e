"""Reads the plan of a conformance job, the member `plumbline` of its input (spec/worker.md, heading The plan)."""

import json
import re
from typing import Any, NamedTuple, Optional
from urllib.parse import urlsplit

VERSION = 1
MAX_SAFE_INTEGER = 2**53 - 1
HOLD_KEY = re.compile(r"[A-Za-z0-9._-]+")
REPORTED = ("input", "env", "gpu", "s3Config")


class PlanError(Exception):
    """Why an input cannot be followed."""


class Plan(NamedTuple):
    """What a conformance job shall do."""

    beacon: Optional[str]
    """Without a slash at the end; None where nobody listens."""
    steps: list


def read_plan(given: Any) -> Optional[Plan]:
    """
    The plan in an input, or in the body that an OpenAI route was called with; None where there is none, so that the
    input is echoed. Raises PlanError where it is malformed, of another version or has an unknown step.
    """
    holder = given
    if isinstance(given, dict) and "plumbline" not in given:
        holder = given.get("openai_input")
    if not isinstance(holder, dict) or "plumbline" not in holder:
        return None
    plan = holder["plumbline"]
    if not isinstance(plan, dict):
        raise PlanError("plumbline is not an object")
    version = plan.get("v")
    if not is_integer(version) or version != VERSION:
        raise PlanError(f"plumbline.v is {json.dumps(version)}, expected {VERSION}")
    for name in plan:
        if name not in ("v", "beacon", "steps"):
            raise PlanError(f"plumbline.{name} is not known")
    if "beacon" in plan and not is_address(plan["beacon"]):
        raise PlanError("plumbline.beacon is not a URL")
    steps = plan.get("steps")
    if not isinstance(steps, list):
        raise PlanError("plumbline.steps is not a list")
    for place, step in enumerate(steps):
        if not is_step(step):
            raise PlanError(f"plumbline.steps[{place}] is not a known step")
    beacon = plan.get("beacon")
    return Plan(beacon[:-1] if beacon is not None and beacon.endswith("/") else beacon, steps)


def emits(steps: list) -> bool:
    """Whether any of the steps may hand on a partial result."""
    return any("emit" in step or emits(step.get("first", [])) for step in steps)


def is_step(value: Any) -> bool:
    if not isinstance(value, dict) or len(value) != 1:
        return False
    [(name, content)] = value.items()
    check = CHECKS.get(name)
    return check is not None and check(content)


def is_integer(value: Any) -> bool:
    """JSON has one kind of number: 5.0 is an integer, and true is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= MAX_SAFE_INTEGER and value == int(value)


def is_count(value: Any) -> bool:
    return is_integer(value) and value >= 0


def is_address(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
        # A port that is no number shows itself only when it is read.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port >= 0)
    except ValueError:
        return False


CHECKS = {
    "output": lambda value: True,
    "emit": lambda value: True,
    "bytes": is_count,
    "hold": lambda value: isinstance(value, str) and HOLD_KEY.fullmatch(value) is not None,
    "sleepMs": is_count,
    "fail": lambda value: isinstance(value, str),
    "exit": is_integer,
    "first": lambda value: isinstance(value, list) and all(is_step(step) for step in value),
    "deaf": lambda value: value is True,
    "report": lambda value: isinstance(value, list) and all(name in REPORTED for name in value),
}
