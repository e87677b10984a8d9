"""Somebody who uses the console: pastes keys, presses buttons, reads."""

import json
from pathlib import Path
from typing import Any, Final

from infra.local.running_stack import RunningStack
from tests.builders.pages.visitor import Visitor
from tests.builders.waiting import eventually

PAGE_IS_DRAWN: Final = "document.querySelector('.sheets canvas[data-drawn]') !== null"
_IS_TOO_WIDE: Final = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


class Person:
    """Hands and eyes of somebody before the browser."""

    def __init__(self, browser: Visitor, stack: RunningStack, axe: str) -> None:
        """Sit down before a browser; `axe` is the script that looks for barriers."""
        self.browser, self._stack, self._axe = browser, stack, axe

    @classmethod
    def beside(cls, other: "Person") -> "Person":
        """Open a second tab in the browser of somebody."""
        tab = other.browser.new_tab()
        tab.open("/console/assets/none")
        return cls(tab, other._stack, other._axe)

    def enter(
        self, path: str, *, key: str = "", draft: str = "", width: int = 1440, dark: bool = False
    ) -> None:
        """Open a view with a draft in the tab, and with a key: the stack's test key by default."""
        kept = {"platen.key": key or self._stack.test_key}
        if draft:
            kept["platen.draft"] = draft
        for name, value in kept.items():
            self.browser.value(f"sessionStorage.setItem({json.dumps(name)}, {json.dumps(value)})")
        self.browser.open(f"/console{path}", width=width, dark=dark)

    def paste_key(self, key: str) -> None:
        """Paste a key at the door, and open."""
        self.browser.wait_for("document.querySelector('#key') !== null")
        self.browser.value("document.querySelector('#key').focus()")
        self.browser.type_text(key)
        self.browser.value("document.querySelector('.door-form').requestSubmit()")

    def type_first(self, text: str) -> None:
        """Type a text at the beginning of the source that is shown."""
        content = "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')"
        self.browser.wait_for(f"{content} != null")
        self.browser.value(f"{content}.focus()")
        self.browser.type_text(text)

    def strike(self, key: str, *, modifiers: int = 0) -> None:
        """Strike a key; `modifiers` are those of the browser's protocol (2: Control)."""
        text = key if len(key) == 1 and not modifiers else {"Enter": "\r"}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.browser.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code={" ": "Space"}.get(key, key),
                modifiers=modifiers,
                text=text if kind == "keyDown" else "",
            )

    def strike_until(self, key: str, done: str) -> None:
        """Strike a key until an expression is true: a list takes none before it is measured."""
        look = (
            "new Promise((answer) => { const end = Date.now() + 1000; const look = () => "
            f"{done} ? answer(true) : Date.now() > end ? answer(false) : setTimeout(look, 20); "
            "look() })"
        )

        def is_done() -> bool:
            self.strike(key)
            return bool(self.browser.value(look))

        eventually(is_done)

    def press(self, name: str) -> None:
        """Press the button, tab or link of a name, once it is there and can be pressed."""
        self._press(f"{name}\n")

    def press_button_that_begins(self, words: str) -> None:
        """Press the button, tab or link whose name begins with words."""
        self._press(words)

    def _press(self, begin: str) -> None:
        found = (
            "[...document.querySelectorAll('button, a, summary, [role=menuitem]')].find((each) => "
            "each.checkVisibility() && !each.disabled"
            f" && (each.innerText + '\\n').startsWith({json.dumps(begin)}))"
        )
        self.browser.wait_for(f"{found} !== undefined")
        # Radix opens menus and tabs at the press itself, not at the click.
        events = "['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']"
        self.browser.value(
            f"{{ const target = {found}; for (const type of {events}) target.dispatchEvent("
            "new PointerEvent(type, { bubbles: true, cancelable: true, button: 0, pointerType: "
            "'mouse' })) }"
        )

    def reads(self, text: str, *, within: str = "body") -> None:
        """Wait until a text is shown within an element."""
        words, place = json.dumps(text), json.dumps(within)
        self.browser.wait_for(
            f"document.querySelector({place})?.innerText.includes({words}) ?? false"
        )

    def text(self, within: str) -> str:
        """Return the text that an element shows."""
        return str(
            self.browser.value(f"document.querySelector({json.dumps(within)})?.innerText ?? ''")
        )

    def sees_page(self) -> None:
        """Wait until the first page of a document is drawn."""
        self.browser.wait_for(PAGE_IS_DRAWN)

    def sent(self, method: str, path: str) -> list[dict[str, Any]]:
        """Return the requests of a method to a path of the API."""
        url = f"{self._stack.base_url}{path}"
        return [
            each
            for each in self.browser.requests
            if each["method"] == method and each["url"].partition("?")[0] == url
        ]

    def barriers(self) -> list[str]:
        """Return what axe finds in the view, as rule and element."""
        self.browser.value(f"window.axe === undefined && (() => {{ {self._axe} }})()")
        found = self.browser.value(
            "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => "
            "violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)))"
        )
        assert isinstance(found, list)
        return found

    def is_too_wide(self) -> bool:
        """Tell whether the view scrolls sideways."""
        return bool(self.browser.value(_IS_TOO_WIDE))

    def photograph(self, target: Path) -> None:
        """Take a picture of the window."""
        target.parent.mkdir(parents=True, exist_ok=True)
        self.browser.screenshot(target)
