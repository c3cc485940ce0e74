"""Records transitions in children that kill themselves at a step; run as `python -m tests.reliability.crash_program`.

One JSON order a line on standard input: `{workspace, arguments, key, number, moment}`. One line back for each: the exit
code of its child, -9 for a killed one, 0 for one that ended before it came to the step.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

import django

CHILD_SECONDS = 60


def main() -> None:
    django.setup()
    for line in sys.stdin:
        # This process never speaks to the database, so that a child inherits no connection.
        child = os.fork()
        if child == 0:
            signal.alarm(CHILD_SECONDS)
            _record(json.loads(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _record(order: dict[str, Any]) -> None:
    from fabric_app.mesh.idempotency import Idempotency
    from fabric_app.models import Workspace
    from tests.factories import move
    from tests.reliability.interruptions import Interruption, interrupted

    workspace = Workspace.objects.get(slug=order["workspace"])
    key = Idempotency(*order["key"]) if order["key"] else None
    with interrupted(
        Interruption(order["number"], order["moment"], act=lambda _: os.kill(os.getpid(), signal.SIGKILL))
    ):
        move(workspace, idempotency=key, **order["arguments"])


if __name__ == "__main__":
    main()
