"""What a worker finds around it, for the step report."""

import os
import re
import shutil
import subprocess
from typing import Optional

SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|PRIVATE|COOKIE|SESSION|SIGNATURE|CERT|DSN", re.I)
SECRET_VALUE = re.compile(r"://[^/@\s]+@|-----BEGIN |\bBearer ")


def environment() -> dict:
    """The environment of this process without what looks like a secret, by its name or its value."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if not SECRET_NAME.search(name) and not SECRET_VALUE.search(value)
    }


def graphics() -> Optional[dict]:
    """The graphics processors, as `{id, count}` with the name that the driver gives the first; None on CPU."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    query = [tool, "--query-gpu=name", "--format=csv,noheader"]
    listed = subprocess.run(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    names = [line.strip() for line in listed.stdout.splitlines() if line.strip()]
    if listed.returncode != 0 or not names:
        return None
    return {"id": names[0], "count": len(names)}
