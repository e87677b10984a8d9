"""When a page is ready: loaded, its fonts and pictures there, and all that its owner waits for."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.pipe import Answer
from chalicelib.engine.browser.output.fonts import REQUESTED_FONTS
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.options.image import Wait

_POLL_S: Final = 0.025
_QUIET_S: Final = 0.5
_MAX_ERROR_CHARS: Final = 300
# Fonts are asked for by the layout, so it is made first. A lazy picture below the fold would
# never be loaded, yet it is printed. What a page has named `images` is not what it has of them.
_WAIT_UNTIL_SETTLED: Final = """async (until) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const reached = until === 'domcontentloaded'
    ? () => own('readyState') !== 'loading' : () => own('readyState') === 'complete';
  while (!reached()) {
    await new Promise((resolve) => {
      window.addEventListener('load', resolve, {once: true});
      setTimeout(resolve, 20);
    });
  }
  own('documentElement')?.getBoundingClientRect();
  await own('fonts').ready;
  for (const image of own('images')) {
    image.loading = 'eager';
    while (!image.complete) {
      await new Promise((resolve) => {
        image.addEventListener('load', resolve, {once: true});
        image.addEventListener('error', resolve, {once: true});
        setTimeout(resolve, 20);
      });
    }
  }
  return ASKED_FONTS;
}""".replace("ASKED_FONTS", REQUESTED_FONTS)
_HAS_SELECTOR: Final = "(s) => Document.prototype.querySelector.call(document, s) !== null"
_FALSY: Final = frozenset({"NaN", "-0", "0n"})


def begin_settling(tab: Tab, wait: Wait) -> Answer:
    """Return the moment at which all that the page has asked for is there, and ASKED_FONTS."""
    tab.settle_answer = tab.call_function(_WAIT_UNTIL_SETTLED, wait.until)
    return tab.settle_answer


def wait_for_conditions(
    tab: Tab, wait: Wait, deadline: Deadline, quiet_s: Callable[[], float]
) -> None:
    """Wait for what the page's owner named; `quiet_s`: since the last request.

    Raises TimeoutError, and RenderFailure `render_failed` for a selector or an expression that is
    none.
    """
    if wait.until == "networkidle":
        while quiet_s() < _QUIET_S:
            tab.pause(_POLL_S, deadline)
    for name, holds in (("selector", _has_selector), ("expression", _is_true)):
        sought = getattr(wait, name)
        if sought is not None:
            tab.waits_for = name
            while not holds(tab, sought, deadline):
                tab.pause(_POLL_S, deadline)
    if wait.delay_ms:
        tab.waits_for = "delay_ms"
        tab.pause(wait.delay_ms / 1000, deadline)
    if wait.selector or wait.expression or wait.delay_ms:
        tab.wait_for(begin_settling(tab, wait), deadline)


def _has_selector(tab: Tab, selector: str, deadline: Deadline) -> bool:
    found = tab.wait_for(tab.call_function(_HAS_SELECTOR, selector), deadline)
    if "exceptionDetails" in found:
        raise RenderFailure("render_failed", "wait.selector is not a valid CSS selector")
    return bool(found["result"]["value"])


def _is_true(tab: Tab, expression: str, deadline: Deadline) -> bool:
    evaluated = tab.send("Runtime.evaluate", expression=expression, awaitPromise=True, silent=True)
    found = tab.wait_for(evaluated, deadline)
    if "exceptionDetails" not in found:
        return _is_truthy(found["result"])
    if found["exceptionDetails"].get("exception", {}).get("className") == "SyntaxError":
        _check_syntax(tab, expression, deadline)
    return False


def _check_syntax(tab: Tab, expression: str, deadline: Deadline) -> None:
    """Refuse what is no JavaScript: it never becomes true, whatever the page does."""
    parameters = {"expression": expression, "sourceURL": "", "persistScript": False}
    compiled = tab.wait_for(tab.send("Runtime.compileScript", **parameters), deadline)
    if "exceptionDetails" in compiled:
        found = compiled["exceptionDetails"].get("exception", {}).get("description", "SyntaxError")
        # The page may have its own say in it.
        first = (str(found).splitlines() or ["SyntaxError"])[0][:_MAX_ERROR_CHARS]
        message = f"wait.expression is not valid JavaScript: {first}"
        raise RenderFailure("render_failed", message)


def _is_truthy(remote: Mapping[str, Any]) -> bool:
    if remote.get("type") in {"object", "function", "symbol"}:
        return remote.get("subtype") != "null"
    if "unserializableValue" in remote:
        return remote["unserializableValue"] not in _FALSY
    return bool(remote.get("value"))
