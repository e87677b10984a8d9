"""What a person does with documents and with the form of an invoice."""

import base64
import json
from typing import Any, Final

from chalicelib.core.json import JsonObject
from tests.integration.console.looks import look_at
from tests.integration.console.person import Person

XML_IS_SHOWN: Final = (
    "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content') != null"
)
SENTENCE: Final = ".verdict-sentence"
_GOAL: Final = (
    "[...document.querySelector('.check-xml .editor').shadowRoot.querySelectorAll('.place-goal')]"
    ".map((each) => each.innerText).join('')"
)


def drop(person: Person, name: str, content: bytes) -> None:
    """Drop a file onto the view."""
    person.browser.wait_for("document.querySelector('.check-drop') !== null")
    text, title = json.dumps(base64.b64encode(content).decode()), json.dumps(name)
    person.browser.value(
        f"{{ const bytes = Uint8Array.from(atob({text}), (char) => char.charCodeAt(0));"
        " const dataTransfer = new DataTransfer();"
        f" dataTransfer.items.add(new File([bytes], {title}));"
        " document.querySelector('.check-drop').dispatchEvent("
        "new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer })) }"
    )


def drop_large(person: Person, name: str, content: str) -> None:
    """Drop a file whose content is an expression of the page."""
    person.browser.wait_for("document.querySelector('.check-drop') !== null")
    person.browser.value(
        "{ const dataTransfer = new DataTransfer();"
        f" dataTransfer.items.add(new File([{content}], {json.dumps(name)}));"
        " document.querySelector('.check-drop').dispatchEvent("
        "new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer })) }"
    )


def paste(person: Person, text: str) -> None:
    """Paste a text into the view."""
    person.browser.wait_for("document.querySelector('.check-drop') !== null")
    person.browser.value(
        "{ const clipboardData = new DataTransfer();"
        f" clipboardData.setData('text/plain', {json.dumps(text)});"
        " document.body.dispatchEvent("
        "new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData })) }"
    )


def selected_on_page(person: Person) -> str:
    """Return the text that is selected on the page of the invoice."""
    selected = "document.querySelector('.invoice-paper [data-selected=true]')"
    return str(person.browser.wait_for(f"{selected}?.innerText"))


def selected_in_xml(person: Person) -> str:
    """Return the text that is highlighted in the XML."""
    return str(person.browser.wait_for(_GOAL))


def write_draft(person: Person, invoice: JsonObject, **target: str) -> None:
    """Put an invoice into the form before it is opened."""
    draft = {"profile": "EN16931", "syntax": "cii", "output": "xml"} | target
    stored = json.dumps(json.dumps(draft | {"invoice": invoice}))
    person.browser.value(f"sessionStorage.setItem('platen.invoice', {stored})")


def fill(person: Person, path: str, text: str) -> None:
    """Type into the field of a path, which is empty."""
    field = f"document.getElementById({json.dumps(f'invoice-{path}')})"
    person.browser.wait_for(f"{field} !== null")
    person.browser.value(f"{field}.focus()")
    if person.browser.value(f"{field}.type === 'date' || {field}.tagName === 'SELECT'"):
        choose(person, f"invoice-{path}", text)
    else:
        person.browser.type_text(text)


def choose(person: Person, element_id: str, value: str) -> None:
    """Set the value of a choice or of a date."""
    person.browser.value(
        f"{{ const field = document.getElementById({json.dumps(element_id)});"
        " Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')"
        f".set.call(field, {json.dumps(value)});"
        " field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input',"
        " { bubbles: true })) }"
    )


def value_of(person: Person, path: str) -> Any:
    """Return what a field has."""
    return person.browser.value(f"document.getElementById({json.dumps(f'invoice-{path}')})?.value")


def press_key(person: Person, key: str) -> None:
    """Press a key where the focus is."""
    code = {"Enter": 13, "ArrowUp": 38, "ArrowDown": 40}[key]
    for kind in ("keyDown", "keyUp"):
        person.browser.call(
            "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code
        )


def look_at_document(person: Person, view: str, address: str, name: str, content: bytes) -> None:
    """Check a document, and look at the view as `look_at` does."""
    shown = f"document.querySelector('{SENTENCE}') !== null"
    look_at(person, view, address, shown, first=lambda: drop(person, name, content))
