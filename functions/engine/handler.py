"""Cold start of the engine function: the browser first, imports while it starts (decision 7).

A background thread loads the modules that only the end of a render needs. The function has no
rights on AWS.
"""

import gc
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.core.tenancy import isolates_tenants
from chalicelib.engine.render_engine import RenderEngine
from chalicelib.engine.sandbox.walls import Walls
from chalicelib.settings import EngineSettings, ca_bundle_path

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from chalicelib.core.json import Json, JsonObject
    from functions.engine.serve import EngineServices

# Its thread lasts as long as the process: a child process that it starts lives as long.
_BACKGROUND_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="start")
_SWITCH_INTERVAL_S: Final = sys.getswitchinterval()
# The first render is over by then, and has loaded the parts of the rest that it needed.
_BACKGROUND_DELAY_S: Final = 1.0


def warm() -> None:
    """Start the services; return when the first render can begin."""
    _engine_services()


def handler(event: "dict[str, Json]", context: "LambdaContext") -> "JsonObject":
    """Answer a call of the engine; its tenant is that of the invocation."""
    services = _engine_services()
    from functions.engine.serve import serve  # noqa: PLC0415 -- the start has imported it

    return serve(event, context, services)


@cache
def _engine_services() -> "EngineServices":
    """Start the engine of this process, and wire the execution of calls to it."""
    _tune_for_start()
    settings = EngineSettings.from_env()
    walls = Walls(
        may_miss=isolates_tenants(settings.tenancy),
        on_missing=partial(_count_missing_wall, settings.stack),
    )
    engine = RenderEngine(
        chromium_dir=settings.chromium_dir,
        fonts_dir=settings.fonts_dir,
        sandbox=settings.browser_sandbox != "off",
        egress=GuardedEgress(allow=settings.egress_allow, own_hosts=settings.own_hosts),
        authorities=ca_bundle_path(),
        on_recycle=partial(_count_recycle, settings.stack),
        walls=walls,
    )
    engine.start_browser()
    # The browser starts in its own process; the other modules are imported meanwhile.
    from chalicelib.adapters.json_logs import configure_logging  # noqa: PLC0415
    from chalicelib.engine.render_engine import make_undumpable  # noqa: PLC0415
    from functions.engine.serve import engine_services  # noqa: PLC0415

    configure_logging("engine")
    make_undumpable(walls)
    services = engine_services(settings, engine, walls)
    _BACKGROUND_THREAD.submit(_load_in_background, engine, settings.stack)
    engine.wait_until_ready()
    return services


def _load_in_background(engine: RenderEngine, stack: str) -> None:
    """Load modules that the first page does not need; renders that need one sooner load it."""
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


def _count_missing_wall(stack: str, _wall: str) -> None:
    _count(stack, "WallsMissing")


def _count(stack: str, metric: str, **by: str) -> None:
    from chalicelib.adapters.metrics import Metrics  # noqa: PLC0415 -- no render waits for it

    Metrics(stack, "engine").count(metric, **by)


warm_up_on_lambda(warm)
