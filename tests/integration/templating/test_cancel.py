"""Canceling a running template."""

import threading
import time
from concurrent.futures import Future

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.templating.worker import TemplateWorker

pytestmark = pytest.mark.integration

_LONG = "{% for a in range(1200000) %}{% set b = 'x' * 900 %}{% endfor %}"


def test_canceled_template_ends_soon_and_the_next_render_succeeds() -> None:
    worker, stopped = TemplateWorker(), Future[None]()
    deadline = time.time() + 60
    worker.render("warm", {}, strict=False, deadline=deadline)

    threading.Timer(0.1, stopped.set_result, [None]).start()
    with worker.cancel_on(stopped), pytest.raises(RenderFailure) as failure:
        worker.render(_LONG, {}, strict=False, deadline=deadline)

    # Without the cancellation it would end with `template_fuel_exhausted`.
    assert failure.value.code == "render_timeout"
    assert worker.render("{{ 1 + 1 }}", {}, strict=False, deadline=deadline) == "2"
    worker.close()
