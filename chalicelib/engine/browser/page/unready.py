"""Failure of a page that is not ready in time: it names the condition."""

from contextlib import suppress
from typing import Final

from chalicelib.contract.options.image import Wait
from chalicelib.core.errors import RenderFailure
from chalicelib.core.redact_url import redacted_url
from chalicelib.engine.browser.chromium.pipe import CallRefusedError
from chalicelib.engine.browser.requests.assets import shortened_url
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.tab.origin import without_origin
from chalicelib.engine.browser.tab.selectors import beginning_of, unmatched_reason
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.deadline import timeout_failure

# A page that no script holds answers within milliseconds.
_MAX_ANSWER_S: Final = 1.0
_MAX_NAMED: Final = 5


def wait_failure(tab: Tab, requests: PageRequests, wait: Wait) -> RenderFailure:
    """Return `wait_timeout`, which names the awaited condition, or `render_timeout`."""
    if tab.deadline.has_passed:
        return timeout_failure()
    message = (
        f"the page was not ready within wait.timeout_ms ({wait.timeout_ms}); "
        f"it waited for: {_missing_condition(tab, requests, wait)}{_open_requests(requests)}"
    )
    return RenderFailure("wait_timeout", message)


def _missing_condition(tab: Tab, requests: PageRequests, wait: Wait) -> str:
    if requests.is_page_open:
        return "the page itself, which has not come"
    deadline = tab.deadline.within(_MAX_ANSWER_S)
    with suppress(TimeoutError, CallRefusedError):
        if not tab.yields(deadline):
            return "a script of the page that does not yield, such as an endless loop"
        if tab.waits_for == "selector" and wait.selector is not None:
            reason = unmatched_reason(tab, wait.selector, deadline)
            return f'selector "{beginning_of(wait.selector)}": {reason}'
        if tab.waits_for == "expression" and wait.expression is not None:
            return f'expression "{beginning_of(wait.expression)}": {tab.unmet_reason}'
    if tab.waits_for == "networkidle" and not requests.open_parts():
        return f"networkidle, while the page goes on requesting ({requests.count} requests so far)"
    return str(tab.waits_for)


def _open_requests(requests: PageRequests) -> str:
    parts = requests.open_parts()
    if not parts:
        return ""
    urls = list(dict.fromkeys(redacted_url(shortened_url(without_origin(p.url))) for p in parts))
    more = f" and {len(urls) - _MAX_NAMED} more" if len(urls) > _MAX_NAMED else ""
    are = "1 request is" if len(parts) == 1 else f"{len(parts)} requests are"
    return f"; {are} open: {', '.join(urls[:_MAX_NAMED])}{more}"
