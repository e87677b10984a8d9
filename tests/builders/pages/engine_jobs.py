"""Jobs for the engine, and stand-ins for the services that a test does not use."""

import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import JobContext
from chalicelib.engine.job import PageJob
from chalicelib.engine.ports import FetchResponse, HostRefusedError
from chalicelib.engine.sources import HtmlSource, UrlSource
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.undefined_value import UndefinedValue
from tests.builders.pages.web_site import Site
from tests.builders.waiting import PATIENCE_S


class NoTemplates:
    """Templates for documents without templating."""

    def render(  # noqa: PLR0913 -- as the port
        self,
        source: str,
        data: JsonObject,
        *,
        strict: bool,
        deadline: float,
        escape: bool = True,
        includes: Includes = Includes(),  # noqa: B008 -- it is frozen
        locale_defaults: LocaleDefaults = LocaleDefaults(),  # noqa: B008 -- as above
        on_undefined: Callable[[UndefinedValue], None] | None = None,  # noqa: ARG002
    ) -> str:
        raise AssertionError(source, data, strict, deadline, escape, includes, locale_defaults)


class RefusingEgress:
    """Egress that refuses every destination."""

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:  # noqa: ARG002
        raise HostRefusedError(f"{host}:{port} may not be reached")

    def fetch(
        self,
        url: str,
        *,
        max_bytes: int,  # noqa: ARG002
        timeout_s: float,  # noqa: ARG002
        https_only: bool = False,  # noqa: ARG002
    ) -> FetchResponse:
        raise HostRefusedError(f"{url} may not be reached")

    def refusal(self, url: str, *, timeout_s: float, https_only: bool = False) -> str | None:  # noqa: ARG002
        return f"{url} may not be reached"


def no_uploads(upload_id: str) -> bytes:
    raise RenderFailure("upload_not_found", upload_id)


type Task = tuple[PageJob, JobContext]


def task(
    html: str = "",
    output: JsonObject | None = None,
    *,
    head: str | None = None,
    templating: bool = False,
    seconds: float = PATIENCE_S,
    **parts: Any,
) -> Task:
    """Return a job for a document and a context with `seconds` left.

    `parts` are fields of PageJob, such as `source` or `data`, and of JobContext.
    """
    fields = {name: parts.pop(name) for name in PageJob.__struct_fields__ if name in parts}
    source = HtmlSource(html=html, head=head, templating=templating)
    options = OutputOptions.from_json(_with_patience(output or {}))
    page_job = PageJob(**{"source": source, "output": options, **fields})
    return page_job, JobContext(
        **{"deadline": time.time() + seconds, "uploads": no_uploads, **parts}
    )


def _with_patience(output: JsonObject) -> JsonObject:
    """Let a page take its time to be ready, unless the options say how long."""
    wait: Any = output.get("wait") or {}
    return {**output, "wait": {"timeout_ms": 60_000, **wait}}


def web_page_task(
    url: str, output: JsonObject | None = None, *, seconds: float = PATIENCE_S
) -> Task:
    """Return a job for a web page and a context with `seconds` left."""
    return task(output=output, seconds=seconds, source=UrlSource(url))


def egress_to(*sites: Site) -> GuardedEgress:
    """Return an egress to sites on loopback; every name below `test` resolves to loopback.

    So does every name below `localhost`, from which pages at https: may load frames.
    """

    def resolve(host: str, _port: int) -> Sequence[str]:
        if host.endswith(".invalid"):
            raise OSError(host)
        return ["127.0.0.1" if host.endswith((".test", ".localhost")) else host]

    allow = ",".join(site.egress_allow for site in sites)
    return GuardedEgress(allow=allow, own_hosts=frozenset(), resolve=resolve)
