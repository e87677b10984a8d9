"""Which service the operator means: the one the environment names, else the one running here."""

import json
import os
from pathlib import Path
from typing import Any, Final

from chalicelib.bootstrap import operator as bootstrap
from infra.operator.output import Refused

_RUN_FOLDER: Final = Path(__file__).resolve().parent.parent.parent / ".platen"


def operator() -> bootstrap.Operator:
    """Return the use cases of the service that is meant; raises Refused where there is none."""
    if not os.environ.get("PLATEN_MAIN_TABLE"):
        os.environ.update(_running_here())
    return bootstrap.operator()


def _running_here() -> dict[str, str]:
    try:
        run = json.loads((_RUN_FOLDER / "run.json").read_text(encoding="utf-8"))
        stack = json.loads((_RUN_FOLDER / "endpoints.json").read_text(encoding="utf-8"))
        os.kill(run["pid"], 0)
        return _environment(stack)
    except (OSError, ValueError, KeyError) as absent:
        message = (
            "no stack runs on this machine (start one with `make up`), and PLATEN_MAIN_TABLE, "
            "which names another one, is not set"
        )
        raise Refused("no_service", message) from absent


def _environment(stack: dict[str, Any]) -> dict[str, str]:
    return {
        **stack["endpoints"],
        "AWS_REGION": stack["region"],
        "AWS_DEFAULT_REGION": stack["region"],
        # The emulators keep accounts apart by the key that resources were made with.
        "AWS_ACCESS_KEY_ID": os.environ.get("AWS_ACCESS_KEY_ID", "test"),
        "AWS_SECRET_ACCESS_KEY": os.environ.get("AWS_SECRET_ACCESS_KEY", "test"),
        "PLATEN_MAIN_TABLE": stack["resources"]["MainTable"]["Ref"],
    }
