"""Animations at their end: those of CSS, and those that scripts make frame by frame (decision 52).

Animations of CSS and of Element.animate are finished; scripts get virtual time until they request
no more frames.
"""

from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.contract.options.image import Wait
from chalicelib.contract.options.output import IMAGE_FORMATS, OutputOptions
from chalicelib.engine.browser.chromium.pipe import CallRefusedError
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab, as_render_failures
from chalicelib.engine.deadline import Deadline

_DRAWN_FORMATS: Final = IMAGE_FORMATS | {"pdf"}
_ROUND_MS: Final = 500
# Timers may begin an animation, or the next one: time that passes without any before the end.
_IDLE_ROUNDS: Final = 2
_IDLE_ROUNDS_BETWEEN: Final = 4
MAX_ROUNDS: Final = 20
# Real time for all rounds: frames of a drawing that never ends may be slow.
MAX_ROUNDS_S: Final = 3.0
# A connection that stays open, such as that of an EventSource, must not hold the time.
_MAX_NETWORK_S: Final = 0.5
_MAX_PRINT_START_S: Final = 4.0
_PAUSE_FOR_NETWORK: Final = "pauseIfNetworkFetchesPending"
# While time stands still, no timer and no event of an asset comes: it is given in slices, about as
# fast as it passes.
_SLICE_MS: Final = 50
_MAX_STOP_S: Final = 0.25
# Longer than a frame of the browser, so that frames come by timer in virtual time only.
_MAX_FRAME_MS: Final = 50
# Returns whether there was something to finish. Endless animations have no end: they are taken
# away. The events of finished ones are sent with the next frame.
_FINISH: Final = """
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const roots = [document];
  for (const root of roots) {
    const all = root === document ? Document.prototype : ShadowRoot.prototype;
    for (const element of all.querySelectorAll.call(root, '*')) {
      if (element.shadowRoot instanceof ShadowRoot) roots.push(element.shadowRoot);
    }
  }
  const animations = roots.flatMap((root) => (root === document ? Document.prototype
    : ShadowRoot.prototype).getAnimations.call(root))
    .filter(({playState}) => playState === 'running' || playState === 'paused');
  for (const animation of animations) {
    try {
      animation.finish();
    } catch {
      animation.cancel();
    }
  }
"""
_FINISH_ANIMATIONS: Final = PageFunction[None](f"() => {{{_FINISH}}}")
_RUN_ROUND: Final = PageFunction[bool](
    f"""async (milliseconds) => {{{_FINISH}
  await Promise.all([
    new Promise((resolve) => setTimeout(resolve, milliseconds)),
    animations.length && new Promise((resolve) => requestAnimationFrame(resolve)),
  ]);
  const asks = (target) => {{
    try {{
      return !target.dispatchEvent(new Event('platen-frames', {{cancelable: true}}))
        || [...Array(target.length).keys()].some((number) => asks(target[number]));
    }} catch {{
      return false;
    }}
  }};
  return asks(window) || animations.length > 0;
}}"""
)


def reaches_end(output: OutputOptions) -> bool:
    """Tell whether animations are drawn at their end: unless the caller chose a moment."""
    return is_drawn(output) and not has_moment(output.page_wait)


def is_drawn(output: OutputOptions) -> bool:
    """Tell whether the page is printed, or a picture is taken of it."""
    return not _DRAWN_FORMATS.isdisjoint(output.formats)


def has_moment(wait: Wait) -> bool:
    """Tell whether a wait says at which moment the page is drawn."""
    return bool(wait.selector or wait.expression or wait.delay_ms)


def prepare_frame_clock(tab: Tab) -> None:
    """Give the documents that follow frames in virtual time."""
    tab.send("Page.addScriptToEvaluateOnNewDocument", source=_frame_clock_script())


def finish_animations(tab: Tab) -> None:
    """Finish the animations of a document without scripts; returns before they are."""
    tab.call_function(_FINISH_ANIMATIONS)


def run_to_end(tab: Tab, deadline: Deadline) -> None:
    """Finish animations, and let scripts run in virtual time until they request no frames.

    Virtual time stands still afterwards. A script that takes too long is stopped. Raises
    TimeoutError at the deadline, and CallRefusedError when the document is left.
    """
    last_wait, tab.waits_for = tab.waits_for, "animations"
    tab.has_virtual_time = True
    rounds_end = deadline.within(min(MAX_ROUNDS_S, deadline.remaining_s() / 2))
    try:
        _run_rounds(tab, rounds_end)
    except TimeoutError:
        if deadline.has_passed:
            raise
        _stop_time(tab, deadline)
    tab.waits_for = last_wait


def wait_in_slices[Result](tab: Tab, answer: Future[Result], deadline: Deadline) -> Result:
    """Return the answer of a call that may need time to pass; raises as `Tab.wait_for`."""
    while tab.has_virtual_time:
        try:
            return tab.wait_for(answer, deadline.within(_SLICE_MS / 1000))
        except TimeoutError:
            if deadline.has_passed:
                raise
        _set_virtual_time(tab, "advance", _SLICE_MS)
    return tab.wait_for(answer, deadline)


def outcome_in_slices[Result](tab: Tab, answer: Future[Result]) -> Result:
    """Return the answer of a call that may need time to pass; raises as `Tab.outcome`."""
    with as_render_failures():
        return wait_in_slices(tab, answer, tab.deadline)


def hold_time(tab: Tab) -> None:
    """Let virtual time stand still: the rest of a round would pass at once in the next document."""
    if tab.has_virtual_time:
        tab.send("Emulation.setVirtualTimePolicy", policy="pause")


def await_print[Result](tab: Tab, answer: Future[Result]) -> Result:
    """Return the answer of a print call; raises as `Tab.outcome`.

    Events that the browser awaits before it prints never come while time stands still.
    """
    if tab.has_virtual_time:
        with suppress(TimeoutError, CallRefusedError):
            return tab.wait_for(answer, tab.deadline.within(_MAX_PRINT_START_S))
        tab.send("Emulation.setVirtualTimePolicy", policy="advance")
    return tab.outcome(answer)


def _run_rounds(tab: Tab, rounds_end: Deadline) -> None:
    policy, idle_rounds, needed_rounds = _PAUSE_FOR_NETWORK, 0, _IDLE_ROUNDS
    for _ in range(MAX_ROUNDS):
        # Time stands still until the round's timer is set; otherwise it would pass before.
        answer = tab.call_function(_RUN_ROUND, _ROUND_MS - 1)
        _set_virtual_time(tab, policy, _ROUND_MS)
        try:
            result = tab.wait_for(answer, rounds_end.within(_MAX_NETWORK_S))
        except TimeoutError:
            policy = "advance"
            _set_virtual_time(tab, policy, _ROUND_MS)
            result = tab.wait_for(answer, rounds_end)
        if result["result"].get("value", False):
            idle_rounds, needed_rounds = 0, _IDLE_ROUNDS_BETWEEN
        else:
            idle_rounds += 1
        if rounds_end.has_passed or idle_rounds == needed_rounds:
            return


def _stop_time(tab: Tab, deadline: Deadline) -> None:
    """Let time stand still, and stop the script that holds it: a clock that it reads stands."""
    stopped = tab.send("Emulation.setVirtualTimePolicy", policy="pause")
    while not stopped.done():
        with suppress(TimeoutError):
            tab.wait_for(stopped, deadline.within(_MAX_STOP_S))
            break
        if deadline.has_passed:
            raise TimeoutError
        tab.send("Runtime.terminateExecution")
        tab.has_stopped_script = True
    # What found nothing to stop stops the next script.
    with suppress(CallRefusedError):
        tab.wait_for(tab.send("Runtime.evaluate", expression="0"), deadline)


def _set_virtual_time(tab: Tab, policy: str, budget_ms: int) -> None:
    tab.send("Emulation.setVirtualTimePolicy", policy=policy, budget=budget_ms)


@cache
def _frame_clock_script() -> str:
    script = Path(__file__).with_name("frame_clock.js").read_text()
    return script.replace("MAX_FRAME_MS", str(_MAX_FRAME_MS))
