"""Mouse, fingers and keys of somebody who draws on the surface of a scene."""

import json
from typing import Any, Final

from tests.integration.console.person import Person

_MODIFIERS: Final = {"alt": 1, "ctrl": 2, "meta": 4, "shift": 8}
_CODES: Final = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}
_CODES_OF_KEYS: Final = {**_CODES, "Escape": 27, "Enter": 13, "Delete": 46, " ": 32}
# A browser without a window does what a key means only if it is told.
_COMMANDS: Final = {"c": "copy", "x": "cut", "v": "paste"}

type Point = tuple[float, float]


class Hands:
    """Real events of the browser, at places of the scene."""

    def __init__(self, person: Person) -> None:
        """Put the hands of a person on mouse and keyboard."""
        self.browser = person.browser

    def place(self, x: float, y: float) -> Point:
        """Return where a point of the scene is in the window."""
        left, top, zoom = self._page()
        return left + x * zoom, top + y * zoom

    def click(self, at: Point, *held: str, count: int = 1) -> None:
        """Click at a place of the window; two clicks are a double click."""
        for number in range(1, count + 1):
            self._mouse("mousePressed", at, held, clickCount=number)
            self._mouse("mouseReleased", at, held, clickCount=number)

    def drag(self, start: Point, end: Point, *held: str) -> None:
        """Drag from a place of the window to another one."""
        self._mouse("mouseMoved", start, held, buttons=0)
        self._mouse("mousePressed", start, held)
        for share in (0.3, 0.7, 1.0):
            between = tuple(a + (b - a) * share for a, b in zip(start, end, strict=True))
            self._mouse("mouseMoved", (between[0], between[1]), held)
        self._mouse("mouseReleased", end, held)

    def press_down(self, at: Point) -> None:
        """Press the mouse button, and move a little."""
        self._mouse("mousePressed", at, ())
        self._mouse("mouseMoved", (at[0] + 40, at[1] + 40), ())

    def move(self, to: Point) -> None:
        """Move the mouse with its button pressed."""
        self._mouse("mouseMoved", to, ())

    def let_go(self, at: Point) -> None:
        """Release the mouse button."""
        self._mouse("mouseReleased", at, ())

    def key(self, name: str, *held: str, times: int = 1) -> None:
        """Press a key, with others held down."""
        code = _CODES_OF_KEYS.get(name) or ord(name.upper())
        command = {"commands": [_COMMANDS[name]]} if "ctrl" in held and name in _COMMANDS else {}
        event = {
            "key": name,
            "code": {" ": "Space"}.get(name, name),
            "windowsVirtualKeyCode": code,
            "modifiers": _modifiers(held),
        }
        for _ in range(times):
            self.browser.call("Input.dispatchKeyEvent", type="rawKeyDown", **event, **command)
            self.browser.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def touch_drag(self, start: Point, end: Point) -> None:
        """Drag with a finger."""
        self._touch("touchStart", start)
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self._touch("touchMove", middle)
        self._touch("touchMove", end)
        self._touch("touchEnd")

    def tap(self, at: Point) -> None:
        """Tap with a finger."""
        self._touch("touchStart", at)
        self._touch("touchEnd")

    def middle_of(self, selector: str) -> Point:
        """Return the middle of an element in the window."""
        box = self.box_of(selector)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def box_of(self, selector: str) -> dict[str, float]:
        """Return the box of an element in the window."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.browser.wait_for(f"{found} !== null")
        box: dict[str, float] = self.browser.value(f"{found}.getBoundingClientRect().toJSON()")
        return box

    def fill(self, field: str, text: str) -> None:
        """Replace what is in a field of the properties, and leave it."""
        found = (
            f".scene-props [data-field={json.dumps(field)}] :is(input:not([type=color]), textarea)"
        )
        self.browser.wait_for(f"document.querySelector({json.dumps(found)}) !== null")
        self.browser.value(f"document.querySelector({json.dumps(found)}).select()")
        self.browser.value(f"document.querySelector({json.dumps(found)}).focus()")
        self.browser.type_text(text)
        self.browser.value("document.activeElement.blur()")

    def _page(self) -> tuple[float, float, float]:
        shown = "document.querySelector('.surface-layers')"
        self.browser.wait_for(f"{shown} !== null")
        left, top, zoom = self.browser.value(
            f"(({{ left, top, width }}) => [left, top, width / {shown}.offsetWidth])"
            f"({shown}.getBoundingClientRect())"
        )
        return left, top, zoom

    def _mouse(self, type_: str, at: Point, held: tuple[str, ...], **more: Any) -> None:
        event = {"button": "left", "buttons": 1, "clickCount": 1} | more
        modifiers = _modifiers(held)
        self.browser.call(
            "Input.dispatchMouseEvent", type=type_, x=at[0], y=at[1], modifiers=modifiers, **event
        )

    def _touch(self, type_: str, *points: Point) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        self.browser.call("Input.dispatchTouchEvent", type=type_, touchPoints=places)


def _modifiers(held: tuple[str, ...]) -> int:
    return sum(_MODIFIERS[name] for name in held)
