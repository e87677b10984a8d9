"""Preflight of a page: its templates run, and what they make is shown without the web."""

import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import replace
from typing import Final

from chalicelib.contract.options.http import HttpOptions
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.output.placeholders import may_have_placeholders
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.context import JobContext, RenderWarning
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.inputs.data import load_data_and_invoice
from chalicelib.engine.inputs.embed_assets import add_assets
from chalicelib.engine.job import LintOutcome, PageJob
from chalicelib.engine.lint import document_faults
from chalicelib.engine.pipeline import PipelineServices
from chalicelib.engine.ports import Egress, FetchResponse, HostRefusedError
from chalicelib.engine.sources.source_document import SourceDocument

# Warnings that neither scripts nor files of the web take back, and those that files do not.
_CERTAIN: Final = frozenset(
    {"asset_failed", "feature_unavailable", "header_footer_overlap", "locale_unsupported"}
)
_OF_TEXTS: Final = frozenset({"link_broken", "placeholder_left"})
_NOSCRIPT: Final = re.compile(r"<noscript(?=[\s>/]).*?(?:</noscript|\Z)", re.DOTALL | re.IGNORECASE)
_ORIGIN: Final = re.compile(r"[^/\\?#]*(?://)?[^/\\?#]*")
# A picture that was not fetched, as the measurement of headers finds it.
_NOT_FETCHED: Final = "data:;base64,"
_LOOKUP_S: Final = 3.0
_MAX_LOOKUPS: Final = 50
_CONCURRENCY: Final = 8


def preflight_page(job: PageJob, context: JobContext, services: PipelineServices) -> LintOutcome:
    """Return what a render of the job would fail with or warn of, as far as it is known offline.

    Hosts are looked up, and nothing is sent to them. Raises RenderFailure `render_timeout`.
    """
    try:
        job = load_data_and_invoice(job, context, services.egress)
    except RenderFailure as failure:
        return LintOutcome([failure])
    faults, document = document_faults(job, context, services.templates)
    if faults or document is None:
        return LintOutcome(faults, document.warnings if document else ())
    try:
        return LintOutcome((), _shown_warnings(document, job, context, services))
    except RenderFailure as failure:
        # Without its conditions a page is slow by itself, and a render may have more time.
        is_slow = failure.code == "wait_timeout"
        return LintOutcome(() if is_slow else [failure], document.warnings)


def look_up(
    addresses: Mapping[str, str], egress: Egress, deadline: Deadline, *, https_only: Sequence[str]
) -> dict[str, str]:
    """Return why addresses are refused, by their names; those of the first fifty hosts."""
    hosts = {name: (_origin(url), name in https_only) for name, url in addresses.items()}

    def refusal(host: tuple[str, bool]) -> str | None:
        timeout_s = min(_LOOKUP_S, deadline.remaining_s())
        return egress.refusal(host[0], timeout_s=timeout_s, https_only=host[1])

    looked_up = list(dict.fromkeys(hosts.values()))[:_MAX_LOOKUPS]
    with ThreadPoolExecutor(_CONCURRENCY, thread_name_prefix="look-up") as pool:
        refusals = dict(zip(looked_up, pool.map(refusal, looked_up), strict=True))
    return {name: reason for name, host in hosts.items() if (reason := refusals.get(host))}


def _origin(url: str) -> str:
    """Return a URL up to its path; the time is linear."""
    match = _ORIGIN.match(url)
    assert match is not None, "it matches every text"
    return match[0]


def _shown_warnings(
    document: SourceDocument, job: PageJob, context: JobContext, services: PipelineServices
) -> Sequence[RenderWarning]:
    offline = _OfflineEgress(services.egress)
    document = add_assets(document, job, context, offline)
    if set(document.output.formats) == {"xml"}:
        # No page is drawn.
        return document.warnings
    html, output = _offline(document)

    def look_up_all(urls: Iterable[str]) -> Mapping[str, str]:
        named = {url: url for url in urls}
        return look_up(named, services.egress, context.time_limit, https_only=())

    def show(page: BrowserPage) -> Sequence[RenderWarning]:
        view = page.show_offline(
            html, output, look_up_all, is_canvas=document.is_canvas, assets=document.assets
        )
        if view.is_whole and document.is_canvas:
            page.fit_canvas(output)
        if view.is_inert:
            if not document.has_templates and may_have_placeholders(html):
                page.find_placeholders()
            page.find_broken_links()
        codes = _CERTAIN | _OF_TEXTS if view.is_inert else _CERTAIN
        return [
            warning
            for warning in page.warnings
            if (view.is_whole or warning.code in codes) and warning.detail != _NOT_FETCHED
        ]

    try:
        shown = services.browser.use(show, context.time_limit, context.lane)
    finally:
        services.browser.prepare()
    return [*document.warnings, *shown]


def _offline(document: SourceDocument) -> tuple[str, OutputOptions]:
    """Return the text of a document, and its options, as they are shown offline."""
    html, output = document.html, document.output
    if output.javascript:
        # A page with scripts does not show it.
        html = _NOSCRIPT.sub("", html)
    if document.url is not None:
        # Headers and footers only: the page itself is not known.
        output = replace(output, http=HttpOptions())
    return html, output


class _OfflineEgress:
    """Egress that looks hosts up; files of hosts that may be reached are empty."""

    def __init__(self, egress: Egress) -> None:
        """Look up with `egress`."""
        self._egress = egress
        self._left = _MAX_LOOKUPS

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        """Raise HostRefusedError."""
        del port, timeout_s
        raise HostRefusedError(f"{host} is not connected to")

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        """Return an empty file; raises HostRefusedError."""
        del max_bytes
        reason = self.refusal(url, timeout_s=min(_LOOKUP_S, timeout_s), https_only=https_only)
        if reason is not None:
            raise HostRefusedError(reason)
        return FetchResponse(url, 200, {}, b"")

    def refusal(self, url: str, *, timeout_s: float, https_only: bool = False) -> str | None:
        """Return why a URL is refused; None for those after the first fifty."""
        self._left -= 1
        if self._left < 0:
            return None
        return self._egress.refusal(url, timeout_s=timeout_s, https_only=https_only)
