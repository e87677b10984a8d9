"""Frames that are lower than their documents: the rest of the document is cut off."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from chalicelib.core.json import JsonObject
from chalicelib.core.redact_url import redacted_url
from chalicelib.engine.browser.chromium.pipe import Answer, CallRefusedError
from chalicelib.engine.browser.chromium.protocol import FrameTree
from chalicelib.engine.browser.requests.assets import shortened_url
from chalicelib.engine.browser.tab.prepared_page import ISOLATED_WORLD_NAME
from chalicelib.engine.browser.tab.tab import Tab

MAX_FRAMES: Final = 50
_TIMEOUT_S: Final = 1.0
_TOLERANCE_PIXELS: Final = 2
# A smaller frame is not there for a reader.
_MIN_SIDE_PIXELS: Final = 2
# A frame of another process may answer anything.
_MAX_NAME_CHARS: Final = 120
# The name of the element is known to documents of the same origin only.
_MEASURE: Final = """() => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const [page, root] = [own('scrollingElement'), own('documentElement')];
  const nameOf = () => {
    try {
      const {localName, id, classList} = window.frameElement;
      const classes = [...classList].slice(0, 2).map((name) => `.${CSS.escape(name)}`).join('');
      return `${localName}${id ? `#${CSS.escape(id)}` : classes}`.slice(0, MAX_CHARS);
    } catch { return ''; }
  };
  const hides = [page, root, own('body')].some((element) => element
    && /hidden|clip/.test(getComputedStyle(element).overflowY));
  const isFixed = (() => {
    try { return window.frameElement.scrolling === 'no'; } catch { return false; }
  })();
  const cut = !page || hides || isFixed ? 0 : page.scrollHeight - innerHeight;
  return [nameOf(), location.href, cut, Math.min(innerWidth, innerHeight)];
}""".replace("MAX_CHARS", str(_MAX_NAME_CHARS))
_EVALUATE: Final[JsonObject] = {"expression": f"({_MEASURE})()", "returnByValue": True}


def cut_frames(tab: Tab) -> Iterator[tuple[str, float]]:
    """Yield a selector of each frame that is lower than its document, and the pixels cut off.

    Only a document that has frames is asked.
    """
    if not tab.has_feature("hasFrames"):
        return
    deadline = tab.deadline.within(_TIMEOUT_S)
    send = tab.prepared_page.pipe.send
    # Frames of other processes have sessions of their own.
    answers = [
        send("Runtime.evaluate", _EVALUATE, session)
        for session in tab.prepared_page.frame_sessions[:MAX_FRAMES]
    ]
    with suppress(CallRefusedError, TimeoutError):
        tree = tab.wait_for(tab.send("Page.getFrameTree"), deadline)["frameTree"]
        worlds = [_world(tab, frame) for frame in _inner_frames(tree)[:MAX_FRAMES]]
        for world in worlds:
            with suppress(CallRefusedError):
                context = tab.wait_for(world, deadline)["executionContextId"]
                answers.append(_measure(tab, context))
    for answer in answers:
        # A frame may be gone, or be a worker.
        with suppress(CallRefusedError, TimeoutError):
            match tab.wait_for(answer, deadline).get("result", {}).get("value"):
                case [str(name), str(url), int() | float() as cut, int() | float() as side]:
                    if cut > _TOLERANCE_PIXELS and side > _MIN_SIDE_PIXELS:
                        yield name[:_MAX_NAME_CHARS] or _place(url), cut


def _world(tab: Tab, frame: str) -> Answer:
    return tab.send("Page.createIsolatedWorld", frameId=frame, worldName=ISOLATED_WORLD_NAME)


def _measure(tab: Tab, context: int) -> Answer:
    return tab.send(
        "Runtime.callFunctionOn",
        functionDeclaration=_MEASURE,
        executionContextId=context,
        returnByValue=True,
    )


def _inner_frames(tree: FrameTree) -> list[str]:
    """Return the ids of the frames within a frame."""
    found: list[str] = []
    pending = [*tree.get("childFrames", ())]
    while pending:
        each = pending.pop(0)
        found.append(each["frame"]["id"])
        pending += each.get("childFrames", ())
    return found


def _place(url: str) -> str:
    if url == "about:srcdoc":
        return "iframe[srcdoc]"
    return f'iframe[src="{redacted_url(shortened_url(url))}"]'
