"""
The conformance worker of queue-based endpoints (spec/worker.md). Deploy this folder and give the platform `handler`, or
`stream` where it wants to be given a generator function. Python 3.9 or later, standard library only.
"""

import os
import uuid
from typing import Any, Generator, Optional

from beacon import Beacon, BeaconError
from plan import emits, read_plan
from stop import Stop
from surroundings import environment, graphics

WORKER = os.environ.get("PLUMBLINE_WORKER") or f"worker-{uuid.uuid4().hex[:12]}"


class HandlerError(Exception):
    """What the handler fails with."""


def handler(job: dict) -> Any:
    """
    Runs a job: the output, or, for a plan that emits, a generator of its partial results that returns the output.
    Raises where the job fails.
    """
    plan = read_plan(job.get("input"))
    course = execute(job)
    return course if plan is not None and emits(plan.steps) else last_of(course)


def stream(job: dict) -> Generator[Any, None, Any]:
    """The same as a generator function, for platforms that look at the function before they call it."""
    return (yield from execute(job))


def execute(job: dict, stop: Optional[Stop] = None) -> Generator[Any, None, Any]:
    """
    Follows the steps of a job: yields its partial results, returns its output. Raises PlanError or HandlerError where the
    job fails, and Stopped where it was stopped.
    """
    stop = stop or Stop()
    plan = read_plan(job.get("input"))
    if plan is None:
        return job.get("input")
    course = Course(job, stop, None if plan.beacon is None else beacon_of(job, plan.beacon, stop))
    try:
        return (yield from course.follow(plan.steps))
    except BeaconError as error:
        raise HandlerError(f"the beacon cannot be reached: {error}") from None


class Course:
    """One execution while its steps are followed."""

    def __init__(self, job: dict, stop: Stop, beacon: Optional[Beacon]) -> None:
        self.job = job
        self.stop = stop
        self.beacon = beacon
        self.n = 1
        self.output: Optional[list] = None
        self.partials: list = []

    def follow(self, steps: list) -> Generator[Any, None, Any]:
        beacon = self.beacon
        if beacon is not None:
            self.n = beacon.start()
        try:
            yield from self.run_all(steps)
        except HandlerError as error:
            self.stop.heed()
            if beacon is not None:
                beacon.end("failed", str(error))
            raise
        self.stop.heed()
        if beacon is not None:
            beacon.end("completed")
        if self.output is not None:
            return self.output[0]
        return self.partials or None

    def run_all(self, steps: list) -> Generator[Any, None, None]:
        for step in steps:
            self.stop.heed()
            yield from self.run(step)

    def run(self, step: dict) -> Generator[Any, None, None]:
        [(name, value)] = step.items()
        if name == "output":
            self.output = [value]
        elif name == "bytes":
            self.output = ["x" * int(value)]
        elif name == "report":
            self.output = [{part: self.reported(part) for part in value}]
        elif name == "emit":
            self.partials.append(value)
            yield value
        elif name == "hold":
            if self.beacon is None:
                raise HandlerError("hold needs a beacon")
            self.beacon.hold(value)
        elif name == "sleepMs":
            self.stop.pause(value / 1000)
        elif name == "fail":
            raise HandlerError(value)
        elif name == "exit":
            os._exit(int(value) & 255)
        elif name == "first":
            if self.n == 1:
                yield from self.run_all(value)
        else:
            self.stop.be_deaf()

    def reported(self, part: str) -> Any:
        if part == "env":
            return self.job["env"] if "env" in self.job else environment()
        if part == "gpu":
            return self.job["gpu"] if "gpu" in self.job else graphics()
        return self.job.get(part)


def beacon_of(job: dict, address: str, stop: Stop) -> Beacon:
    identity = {
        "execution": job.get("execution") or f"{job.get('id')}.{uuid.uuid4().hex[:12]}",
        "worker": job.get("worker") or WORKER,
        "attempt": job.get("attempt"),
    }
    return Beacon(address, job.get("call"), identity, stop)


def last_of(course: Generator[Any, None, Any]) -> Any:
    """What a generator returns that yields nothing."""
    try:
        while True:
            next(course)
    except StopIteration as end:
        return end.value
