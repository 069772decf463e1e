"""
`python3 suites/worker`: the conformance worker as a process of `plumbline serve --worker`; with PLUMBLINE_PORT in its
environment, the one of load-balanced endpoints, on that port.
"""

import os
import sys

# The folder may be read-only, or under version control.
sys.dont_write_bytecode = True

from local import create_sender, serve, wait_for_end  # noqa: E402
from server import listen, serve_locally  # noqa: E402

port = os.environ.get("PLUMBLINE_PORT")
if port is None:
    serve()
elif port == "0":
    serve_locally(create_sender(), wait_for_end)
else:
    listen("0.0.0.0", int(port)).serve_forever()
