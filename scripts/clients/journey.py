"""The journey with the client that openapi-python-client generated. Its argument is the address of the API."""

import sys
import time

from generated import AuthenticatedClient
from generated.api.management import create_endpoint, delete_endpoint, get_endpoint
from generated.api.pods import create_pod, delete_pod, get_pod, trigger_pod_action
from generated.api.queue import get_job_status, run_job, stream_job
from generated.models import (
    CpuConfigRequest,
    EndpointCreate,
    JobSubmission,
    JobSubmissionInput,
    PodAction,
    PodActionRequest,
    PodCreate,
)

client = AuthenticatedClient(base_url=sys.argv[1], token="plumbline-example-full")
PLAN = {"plumbline": {"v": 1, "steps": [{"emit": "first"}, {"emit": "second"}]}}


def call(operation, *path, expected=(200, 201, 204), **body):
    response = operation.sync_detailed(*path, client=client, **body)
    assert response.status_code in expected, f"{operation.__name__}: {response.status_code} {response.content}"
    return response.parsed


def until(wanted, read):
    seen = None
    for _ in range(100):
        seen = read().status
        if seen == wanted:
            return
        time.sleep(0.2)
    raise AssertionError(f"{seen} instead of {wanted}")


def use_pod():
    cpu = CpuConfigRequest(id="cpu3c", vcpu_count=2)
    pod = call(create_pod, body=PodCreate(name="python", image="alpine", cpu=cpu))
    until("RUNNING", lambda: call(get_pod, pod.id))
    call(trigger_pod_action, pod.id, body=PodActionRequest(action=PodAction.STOP))
    until("EXITED", lambda: call(get_pod, pod.id))
    call(delete_pod, pod.id, expected=(204,))


def use_endpoint(endpoint):
    job = call(run_job, endpoint, body=JobSubmission(input_=JobSubmissionInput.from_dict(PLAN)))
    until("COMPLETED", lambda: call(get_job_status, endpoint, job.id))
    emitted = [item.output for item in call(stream_job, endpoint, job.id).stream]
    assert emitted == ["first", "second"], emitted


use_pod()
use_endpoint("normal")
wanted = EndpointCreate(template_id="tpl-worker", name="python", gpu_type_ids=["gpu-a"], workers_min=0, workers_max=1)
created = call(create_endpoint, body=wanted)
use_endpoint(created.id)
call(delete_endpoint, created.id, expected=(204,))
call(get_endpoint, created.id, expected=(404,))
