"""Generated bodies name what the reference offers; otherwise nearly every creation is refused for unknown hardware, and no job
fails. The examples of the document are sent as they are."""

from copy import deepcopy

import schemathesis

GPU, CPU, VOLUME, DATA_CENTER, TEMPLATE, MOST_VCPUS = "gpu-a", "cpu3c", "vol-1", "dc-1", "tpl-worker", 32
# The endpoint of all jobs. It keeps a worker and is not deleted.
JOBS = "normal"
FAILING = {"plumbline": {"v": 1, "steps": [{"fail": "as asked"}]}}


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is not None and case.meta.phase.name == "examples":
        return
    label, path = case.operation.label, case.path_parameters or {}
    if label == "DELETE /v1/endpoints/{id}" and path.get("id") == JOBS:
        case.path_parameters = {**path, "id": "second"}
    if not isinstance(case.body, dict):
        return
    # Copies: Hypothesis uses what it has drawn again.
    if label == "POST /v2/pods":
        case.body = deepcopy(case.body)
        offer(case.body)
    elif label in ("POST /v1/endpoints", "PATCH /v1/endpoints/{id}"):
        case.body = deepcopy(case.body)
        offer_endpoint(case.body, workers=1 if path.get("id") == JOBS else 0)
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


def offer_endpoint(body, workers):
    """The schema does not say that numbers are not negative. Few workers leave some of the quota."""
    if isinstance(body.get("templateId"), str):
        body["templateId"] = TEMPLATE
    for at, name in enumerate(items(body.get("gpuTypeIds"))):
        if isinstance(name, str):
            body["gpuTypeIds"][at] = GPU
    for name in ("workersMin", "workersMax"):
        if is_integer(body.get(name, 0)):
            body[name] = workers
    for name in ("idleTimeout", "executionTimeoutMs"):
        if is_integer(body.get(name)):
            body[name] = 60_000


def members(value):
    return value if isinstance(value, dict) else {}


def items(value):
    return value if isinstance(value, list) else []


def is_integer(value):
    return type(value) is int


def is_power_of_two(value):
    return is_integer(value) and value > 1 and value & (value - 1) == 0
