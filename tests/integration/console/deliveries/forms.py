"""What somebody does with the forms of the deliveries."""

import json
from typing import Final

from tests.integration.console.person import Person

_FIELD: Final = """
(() => {
  const label = [...document.querySelectorAll('dialog[open] label, .deliveries label')]
    .find((each) => each.innerText.trim() === NAME);
  return label?.control ?? label?.querySelector('input, select')
    ?? document.querySelector(`.deliveries [aria-label=${JSON.stringify(NAME)}]`);
})()
"""


def field(name: str) -> str:
    """Return the expression of a field by its label."""
    return _FIELD.replace("NAME", json.dumps(name))


def fill(person: Person, name: str, text: str) -> None:
    """Type a text into a field in place of what it has."""
    person.browser.wait_for(f"{field(name)} != null")
    person.browser.value(f"{{ const input = {field(name)}; input.focus(); input.select() }}")
    person.browser.type_text(text)


def choose(person: Person, name: str, value: str) -> None:
    """Choose an option of a field by its value."""
    person.browser.wait_for(
        f"[...({field(name)}?.options ?? [])].some(({{ value }}) => value === {json.dumps(value)})"
    )
    person.browser.value(
        f"{{ const select = {field(name)}; "
        "Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')"
        f".set.call(select, {json.dumps(value)}); "
        "select.dispatchEvent(new Event('change', { bubbles: true })) }"
    )


def submit_twice(person: Person) -> None:
    """Press the button of a form two times, as with a double click."""
    button = "document.querySelector('form.fields [type=submit]')"
    person.browser.value(f"{{ const button = {button}; button.click(); button.click() }}")


def confirm(person: Person, name: str) -> None:
    """Press a button of the dialog that is open."""
    found = (
        "[...document.querySelectorAll('dialog[open] button')]"
        f".find((each) => each.innerText === {json.dumps(name)})"
    )
    person.browser.wait_for(f"{found} !== undefined")
    person.browser.value(f"{found}.click()")


def kept_texts(person: Person) -> str:
    """Return all that the browser keeps, with the address."""
    return str(
        person.browser.value(
            "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, "
            "location.href, history.state, window.name])"
        )
    )


def markup(person: Person) -> str:
    """Return the page as it stands, with what is typed."""
    values = "[...document.querySelectorAll('input, textarea')].map((each) => each.value).join()"
    return str(person.browser.value(f"document.documentElement.outerHTML + {values}"))
