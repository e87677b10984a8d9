"""Files with which people install the service: checked by the tools of those that read them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from infra.operator.serve import PORT
from infra.serve.run import DRAIN_S
from infra.setup.steps import COMMANDS_DIR
from infra.template import ROOT
from tests.builders.stack.proxies import changed

pytestmark = pytest.mark.integration
SERVE: Final = ROOT / "infra" / "serve"
UNIT: Final = SERVE / "platen.service"
# 0 is no exposure, 10 all; systemd calls up to 4.9 good.
MAX_EXPOSURE: Final = 2.5


def test_the_containerfile_has_no_fault() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    linted = subprocess.run(
        [hadolint, SERVE / "Containerfile"], capture_output=True, text=True, check=False
    )
    assert (linted.returncode, linted.stdout) == (0, "")


def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "platen.service"
    unit.write_text(changed(UNIT, {"/opt/platen": str(ROOT)}))
    read = subprocess.run(
        [COMMANDS_DIR / "systemd-analyze", "verify", "--man=no", unit],
        capture_output=True,
        text=True,
        check=False,
    )
    # It also reads the units of the machine that this one names.
    assert "platen.service" not in read.stderr, read.stderr
    assert read.returncode == 0, read.stderr


def test_the_unit_exposes_little() -> None:
    rated = subprocess.run(
        [COMMANDS_DIR / "systemd-analyze", "security", "--offline=true", "--no-pager", UNIT],
        capture_output=True,
        text=True,
        check=True,
    )
    sys.stdout.write(rated.stdout)
    found = re.search(r"exposure level for platen.service: ([0-9.]+)", rated.stdout)
    assert found
    assert float(found[1]) <= MAX_EXPOSURE


def test_what_stops_the_service_waits_for_what_runs() -> None:
    (unit_s,) = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(), re.MULTILINE)
    compose_s = compose()["stop_grace_period"].removesuffix("s")
    pod_s = deployment()["terminationGracePeriodSeconds"]
    assert min(int(unit_s), int(compose_s), int(pod_s)) > DRAIN_S


def test_the_pod_has_what_the_image_needs() -> None:
    pod = deployment()
    (container,) = pod["containers"]
    containerfile = (SERVE / "Containerfile").read_text()
    (health,) = re.findall(r'^    CMD (\["python".*\])$', containerfile, re.MULTILINE)
    (user,) = re.findall(r"^USER (\d+)$", containerfile, re.MULTILINE)
    (volume,) = re.findall(r"^VOLUME (\S+)$", containerfile, re.MULTILINE)

    assert pod["securityContext"]["runAsUser"] == int(user)
    assert container["livenessProbe"]["exec"]["command"] == json.loads(health)
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert {each["mountPath"] for each in container["volumeMounts"]} == {volume, "/tmp"}  # noqa: S108
    assert container["ports"] == [{"containerPort": PORT}]
    assert compose()["volumes"] == [f"data:{volume}"]


def test_two_servers_never_hold_one_folder() -> None:
    spec = next(each["spec"] for each in objects() if each["kind"] == "Deployment")
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


def compose() -> dict[str, Any]:
    """Return the service of compose.yaml."""
    service: dict[str, Any] = yaml.safe_load((SERVE / "compose.yaml").read_text())["services"][
        "platen"
    ]
    return service


def objects() -> list[dict[str, Any]]:
    """Return the objects of kubernetes.yaml."""
    return list(yaml.safe_load_all((SERVE / "kubernetes.yaml").read_text()))


def deployment() -> dict[str, Any]:
    """Return the pod of kubernetes.yaml."""
    spec = next(each["spec"] for each in objects() if each["kind"] == "Deployment")
    pod: dict[str, Any] = spec["template"]["spec"]
    return pod
