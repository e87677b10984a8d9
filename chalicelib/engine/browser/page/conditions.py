"""Conditions of `output.wait`: a selector that matches, an expression that is true."""

import json
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction, RemoteObject
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.deadline import Deadline

_MAX_ERROR_CHARS: Final = 300
_HAS_SELECTOR: Final = PageFunction[bool](
    "(s) => Document.prototype.querySelector.call(document, s) !== null"
)
# Falsy values that CDP cannot return as JSON.
_FALSY: Final = frozenset({"NaN", "-0", "0n"})


def has_selector(tab: Tab, selector: str, deadline: Deadline) -> bool:
    """Tell whether an element matches; raises TimeoutError, RenderFailure `render_failed`."""
    answer = tab.wait_for(tab.call_function(_HAS_SELECTOR, selector), deadline)
    if "exceptionDetails" in answer:
        raise RenderFailure("render_failed", "wait.selector is not a valid CSS selector")
    return answer["result"]["value"]


def is_true(tab: Tab, expression: str, deadline: Deadline) -> bool:
    """Tell whether a JavaScript expression is truthy; raises as `has_selector`.

    The tab knows why it is not.
    """
    evaluated = tab.send("Runtime.evaluate", expression=expression, awaitPromise=True, silent=True)
    answer = tab.wait_for(evaluated, deadline)
    if "exceptionDetails" not in answer:
        if _is_truthy(answer["result"]):
            return True
        tab.unmet_reason = f"it is {_falsy_text(answer['result'])}"
        return False
    thrown = answer["exceptionDetails"].get("exception", {})
    tab.unmet_reason = f"it throws {_first_line(thrown.get('description') or 'a value')}"
    # A SyntaxError may also be thrown by the page's own code, so the text is compiled to be sure.
    if thrown.get("className") == "SyntaxError":
        _check_syntax(tab, expression, deadline)
    return False


def _check_syntax(tab: Tab, expression: str, deadline: Deadline) -> None:
    """Raise RenderFailure for an expression that does not compile: it never becomes true."""
    compiling = tab.send(
        "Runtime.compileScript", expression=expression, sourceURL="", persistScript=False
    )
    compiled = tab.wait_for(compiling, deadline)
    if "exceptionDetails" in compiled:
        error = compiled["exceptionDetails"].get("exception", {}).get("description", "SyntaxError")
        message = f"wait.expression is not valid JavaScript: {_first_line(error)}"
        raise RenderFailure("render_failed", message)


def _first_line(error: object) -> str:
    """Return the first line of an error; a page can replace its text by anything."""
    return (str(error).splitlines() or ["SyntaxError"])[0][:_MAX_ERROR_CHARS]


def _falsy_text(remote: RemoteObject) -> str:
    """Return a falsy value as JavaScript writes it."""
    if remote.get("type") == "undefined":
        return "undefined"
    return remote.get("unserializableValue") or json.dumps(remote.get("value"))


def _is_truthy(remote: RemoteObject) -> bool:
    if remote.get("type") in {"object", "function", "symbol"}:
        return remote.get("subtype") != "null"
    if "unserializableValue" in remote:
        return remote["unserializableValue"] not in _FALSY
    return bool(remote.get("value"))
