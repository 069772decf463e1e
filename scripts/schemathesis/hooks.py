"""Bodies name what the reference offers. Otherwise nearly every creation is refused for unknown hardware, and no job fails."""

from copy import deepcopy

import schemathesis

GPU, CPU, VOLUME, DATA_CENTER, MOST_VCPUS = "gpu-a", "cpu3c", "vol-1", "dc-1", 32
FAILING = {"plumbline": {"v": 1, "steps": [{"fail": "as asked"}]}}


@schemathesis.hook
def before_call(context, case, kwargs):
    if not isinstance(case.body, dict):
        return
    if case.operation.label == "POST /v2/pods":
        # A copy: Hypothesis uses what it has drawn again.
        case.body = deepcopy(case.body)
        offer(case.body)
    elif case.body.get("input") == {}:
        case.body = {**case.body, "input": FAILING}


def offer(body):
    """Only values that the API document accepts are replaced: a wrong one has to stay wrong."""
    gpu, cpu = members(body.get("gpu")), members(body.get("cpu"))
    if isinstance(gpu.get("id"), str):
        gpu["id"] = GPU
    if isinstance(cpu.get("id"), str) and cpu["id"]:
        cpu["id"] = CPU
    if is_power_of_two(cpu.get("vcpuCount")):
        cpu["vcpuCount"] = min(cpu["vcpuCount"], MOST_VCPUS)
    for mount in items(members(body.get("mounts")).get("network")):
        if isinstance(members(mount).get("volumeId"), str):
            mount["volumeId"] = VOLUME
    for at, name in enumerate(items(body.get("dataCenterIds"))):
        if isinstance(name, str):
            body["dataCenterIds"][at] = DATA_CENTER


def members(value):
    return value if isinstance(value, dict) else {}


def items(value):
    return value if isinstance(value, list) else []


def is_power_of_two(value):
    return type(value) is int and value > 1 and value & (value - 1) == 0
