"""`python3 suites/worker`: the conformance worker as a process of `plumbline serve --worker`."""

import sys

# The folder may be read-only, or under version control.
sys.dont_write_bytecode = True

from local import serve  # noqa: E402

serve()
