"""The render function's start: the browser first, then all else while it comes up.

What the end of a render needs is loaded by a thread of its own: its page is made meanwhile.
"""

import gc
import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from chalicelib.adapters.net.egress import Egress
from chalicelib.bootstrap.start import at_start
from chalicelib.engine.host import Engine
from chalicelib.settings import RenderSettings, trusted_authorities

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import Clients
    from functions.render.serve import Host


log = logging.getLogger(__name__)

# Its thread lasts as long as the process, so what it starts lives as long.
_BACKGROUND: Final = ThreadPoolExecutor(1, thread_name_prefix="start")
_TURN_S: Final = sys.getswitchinterval()
# By then the first render is over; what it needed of the rest it has loaded or started itself.
_CALM_S: Final = 1.0


def warm() -> None:
    """Return when the first render can begin."""
    _host()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an invocation with RunAnswer, and a queue's batch with its failed messages."""
    host = _host()
    from functions.render.serve import serve  # noqa: PLC0415 -- the start has imported it

    return serve(event, context.aws_request_id, host)


@cache
def _host() -> "Host":
    """Start the engine of this process, and wire the use case to it."""
    _hurry()
    settings = RenderSettings.from_env()
    engine = Engine(
        chromium_dir=settings.chromium_dir,
        fonts_dir=settings.fonts_dir,
        sandbox=settings.browser_sandbox != "off",
        outside=Egress(allow=settings.egress_allow, own_hosts=settings.own_hosts),
        authorities=trusted_authorities(),
        recycled=partial(_count_recycle, settings.stack),
    )
    engine.start()
    # From here on the browser is coming up: whatever it does not need is imported now.
    from chalicelib.adapters.aws.session import Clients  # noqa: PLC0415
    from chalicelib.adapters.json_logs import configure  # noqa: PLC0415
    from chalicelib.bootstrap import render  # noqa: PLC0415
    from chalicelib.core.clock import SystemClock  # noqa: PLC0415
    from chalicelib.engine.privacy import keep_to_itself  # noqa: PLC0415
    from functions.render.serve import Host  # noqa: PLC0415

    keep_to_itself()
    configure("render")
    clients = Clients()
    execute = render.execute_render(settings, clients, engine.run, SystemClock())
    examine = render.examine_einvoice(settings, clients, SystemClock())
    host = Host(execute, render.inbox(settings, clients), engine.lint, examine)
    _BACKGROUND.submit(_load_the_rest, engine, clients, settings.stack)
    engine.wait()
    return host


def _load_the_rest(engine: Engine, clients: "Clients", stack: str) -> None:
    """Have ready what the first page does not need; who needs it sooner gets it by itself.

    First what every render needs at its end.
    """
    try:
        clients.make("s3", "dynamodb", "sqs")
    except Exception:
        log.exception("what a render needs could not be loaded ahead of it")
    finally:
        _calm_down()
    time.sleep(_CALM_S)
    _count(stack, "ColdStarts")
    engine.load()
    engine.start_templates()


def _hurry() -> None:
    # Nothing that is imported is garbage: looking for some takes a tenth of the start.
    gc.disable()
    # The browser answers while others import: who waits for an answer gets its turn at once.
    sys.setswitchinterval(_TURN_S / 50)


def _calm_down() -> None:
    gc.freeze()
    gc.enable()
    sys.setswitchinterval(_TURN_S)


def _count_recycle(stack: str, why: str) -> None:
    _count(stack, "BrowserRecycles", reason=why)


def _count(stack: str, what: str, **by: str) -> None:
    from chalicelib.adapters.metrics import Metrics  # noqa: PLC0415 -- no render waits for it

    Metrics(stack, "render").count(what, **by)


at_start(warm)
