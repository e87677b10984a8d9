"""Peak memory of a process of the function that uploads, over one message.

As a program, with the environment of the function and the message as its argument, it prints the
bytes of its peak.
"""

import json
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Final

from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import TargetUploads
from infra.bench.functions import function_variables
from infra.bench.processes import peak_bytes
from infra.local.event_sources import sqs_event
from infra.local.running_stack import RunningStack
from infra.template import ROOT

_HANDLER: Final = "functions.upload_files.handler"


def peak_memory(stack: RunningStack, uploads: TargetUploads) -> int:
    """Return the peak memory, in bytes, of a process that makes these uploads."""
    message = json.dumps(UploadFilesMessage.of(uploads).to_json())
    arguments = [sys.executable, "-m", __name__, message]
    variables = function_variables(stack, "UploadFilesFunction")
    done = subprocess.run(
        arguments,
        env=variables,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=300,
    )
    return int(done.stdout.splitlines()[-1])


def _upload(message: str) -> None:
    """Run the function in this process on one message, and print the peak of its memory."""
    received: dict[str, Any] = {
        "MessageId": "1",
        "ReceiptHandle": "1",
        "Body": message,
        "Attributes": {"ApproximateReceiveCount": "1"},
    }
    context = SimpleNamespace(aws_request_id="bench")
    # Imported by name, as Lambda does.
    handler = import_module(_HANDLER).handler
    answer = handler(sqs_event([received], "arn:aws:sqs:eu-central-1:0:uploads"), context)
    assert answer == {"batchItemFailures": []}, answer
    print(peak_bytes())


if __name__ == "__main__":
    _upload(sys.argv[1])
