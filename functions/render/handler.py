"""Cold start of the render function: the browser first, imports while it starts (decision 7).

A background thread loads what only the end of a render needs.
"""

import gc
import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.engine.render_engine import RenderEngine
from chalicelib.settings import RenderSettings, ca_bundle_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from chalicelib.adapters.aws.messages import QueueEvent
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.core.json import Json
    from functions.render.serve import RenderServices


log = logging.getLogger(__name__)

# Its thread lasts as long as the process: a child process that it starts lives as long.
_BACKGROUND_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="start")
_SWITCH_INTERVAL_S: Final = sys.getswitchinterval()
# The first render is over by then, and has loaded the parts of the rest that it needed.
_BACKGROUND_DELAY_S: Final = 1.0


def warm() -> None:
    """Start the services; return when the first render can begin."""
    _render_services()


def handler(
    event: "QueueEvent | dict[str, Json]", context: "LambdaContext"
) -> "Mapping[str, object]":
    """Answer an invocation with its result, a queue's batch with its failed messages."""
    services = _render_services()
    from functions.render.serve import serve  # noqa: PLC0415 -- the start has imported it

    return serve(event, context.aws_request_id, services)


@cache
def _render_services() -> "RenderServices":
    """Start the engine of this process, and wire the use case to it."""
    _tune_for_start()
    settings = RenderSettings.from_env()
    engine = RenderEngine(
        chromium_dir=settings.chromium_dir,
        fonts_dir=settings.fonts_dir,
        sandbox=settings.browser_sandbox != "off",
        egress=GuardedEgress(allow=settings.egress_allow, own_hosts=settings.own_hosts),
        authorities=ca_bundle_path(),
        on_recycle=partial(_count_recycle, settings.stack),
    )
    engine.start_browser()
    # The browser starts in its own process; the other modules are imported meanwhile.
    from chalicelib.adapters.aws.session import AwsClients  # noqa: PLC0415
    from chalicelib.adapters.json_logs import configure_logging  # noqa: PLC0415
    from chalicelib.bootstrap import render  # noqa: PLC0415
    from chalicelib.core.clock import SystemClock  # noqa: PLC0415
    from chalicelib.engine.render_engine import make_undumpable  # noqa: PLC0415
    from functions.render.serve import RenderServices  # noqa: PLC0415

    make_undumpable()
    configure_logging("render")
    clients = AwsClients()
    services = RenderServices(
        execute=render.execute_render(settings, clients, engine.run, SystemClock()),
        consumers=render.render_consumers(settings, clients),
        lint=engine.lint,
        validate_received=render.validate_received(settings, clients, SystemClock()),
        run_dry_run=render.run_dry_run(settings, clients, engine.run, SystemClock()),
    )
    _BACKGROUND_THREAD.submit(_load_in_background, engine, clients, settings.stack)
    engine.wait_until_ready()
    return services


def _load_in_background(engine: RenderEngine, clients: "AwsClients", stack: str) -> None:
    """Load what the first page does not need, beginning with the AWS clients of every render.

    A render that needs a part sooner loads it itself.
    """
    try:
        clients.create("s3", "dynamodb", "sqs")
    except Exception:
        log.exception("background loading failed")
    finally:
        _restore_defaults()
    time.sleep(_BACKGROUND_DELAY_S)
    _count(stack, "ColdStarts")
    engine.load_finishing()
    engine.start_templates()


def _tune_for_start() -> None:
    # Imports create no garbage, and collecting takes a tenth of the start.
    gc.disable()
    # A thread that waits for the browser must run at once, although another thread imports.
    sys.setswitchinterval(_SWITCH_INTERVAL_S / 50)


def _restore_defaults() -> None:
    gc.freeze()
    gc.enable()
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


def _count_recycle(stack: str, reason: str) -> None:
    _count(stack, "BrowserRecycles", reason=reason)


def _count(stack: str, metric: str, **by: str) -> None:
    from chalicelib.adapters.metrics import Metrics  # noqa: PLC0415 -- no render waits for it

    Metrics(stack, "render").count(metric, **by)


warm_up_on_lambda(warm)
