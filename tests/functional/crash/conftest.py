"""Service whose functions die at the armed crash points."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import EngineJob, PageJob
from tests.builders.crash.in_process.stack import ServiceStack, service_stack
from tests.builders.in_process_aws import MotoAws


@pytest.fixture
def stack(aws: MotoAws, tmp_path: Path) -> Iterator[ServiceStack]:
    """Run a service for one case."""
    with service_stack(aws, tmp_path) as running:
        running.service.engine.before_run = fail_if_bad
        yield running


def fail_if_bad(job: EngineJob) -> None:
    """Fail as the templates of the cases do for data that are bad."""
    if isinstance(job, PageJob) and (job.data or {}).get("bad"):
        raise RenderFailure("template_runtime_error", "division by zero")
