"""Canceling a running template."""

from concurrent.futures import Future

import psutil
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.busy_process import when_busy
from tests.builders.waiting import generous_deadline

pytestmark = pytest.mark.integration

_LONG = "{% for a in range(1200000) %}{% set b = 'x' * 900 %}{% endfor %}"


def test_canceled_template_ends_soon_and_the_next_render_succeeds() -> None:
    worker, stopped = TemplateWorker(), Future[None]()
    deadline = generous_deadline()
    worker.render("warm", {}, strict=False, deadline=deadline)
    assert worker._child is not None
    child = psutil.Process(worker._child._process.pid)

    with (
        when_busy(child, lambda: stopped.set_result(None)),
        worker.cancel_on(stopped),
        pytest.raises(RenderFailure) as failure,
    ):
        worker.render(_LONG, {}, strict=False, deadline=deadline)

    # Without the cancellation it would end with `template_fuel_exhausted`.
    assert failure.value.code == "render_timeout"
    assert worker.render("{{ 1 + 1 }}", {}, strict=False, deadline=deadline) == "2"
    worker.close()
