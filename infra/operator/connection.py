"""Which service the operator means: the one the environment names, else the one running here."""

import json
import os
from pathlib import Path
from typing import Any, Final

from chalicelib import bootstrap
from infra.operator.output import Refused

_RUN_FOLDER: Final = Path(__file__).resolve().parent.parent.parent / ".platen"


def operator() -> bootstrap.Operator:
    """Return the use cases of the service that is meant; raises Refused where there is none."""
    if "PLATEN_MAIN_TABLE" not in os.environ:
        os.environ.update(_running_here())
    return bootstrap.operator()


def _running_here() -> dict[str, str]:
    try:
        run = json.loads((_RUN_FOLDER / "run.json").read_text())
        stack: dict[str, Any] = json.loads((_RUN_FOLDER / "endpoints.json").read_text())
        os.kill(run["pid"], 0)
    except (OSError, ValueError, KeyError) as absent:
        message = (
            "no stack runs on this machine (start one with `make up`), and PLATEN_MAIN_TABLE, "
            "which names another one, is not set"
        )
        raise Refused(message) from absent
    return {
        **stack["endpoints"],
        "AWS_REGION": stack["region"],
        "AWS_DEFAULT_REGION": stack["region"],
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "PLATEN_MAIN_TABLE": stack["resources"]["MainTable"]["Ref"],
    }
