"""How the parts of the playground look: barriers, widths, pictures."""

import pytest

from tests.integration.console.looks import PICTURES, look_at
from tests.integration.console.person import PAGE_IS_DRAWN, Person
from tests.integration.console.playground.hands import draft

pytestmark = pytest.mark.integration

ASSET = {"path": "pictures/logo.png", "bytes": 48_120, "type": "image/png", "content": "AAAA"}
GONE = ASSET | {"path": "font.woff2", "uploadId": "upl_1", "expiresAt": "2020-01-01T00:00:00Z"}
FAULTY = "<h1>Title</h1><p>{{ name }}</p><p style='font-family: Lato'>Text<img src=gone.png>"
VIEWS = {
    "playground-assets": ("tab=assets", "document.querySelector('.asset-list li') !== null"),
    "playground-warnings": (
        "part=inspector&panel=warnings",
        "document.querySelector('.remarks .remark') !== null",
    ),
    "playground-explain": (
        "part=inspector&panel=explain",
        "document.querySelector('.font-sample canvas') !== null",
    ),
}


@pytest.mark.parametrize("view", VIEWS)
def test_part_has_no_barrier(person: Person, view: str) -> None:
    query, shown = VIEWS[view]

    stored = draft("Order 4711", FAULTY, assets=[ASSET, GONE])
    look_at(person, view, f"/playground?{query}", shown, draft=stored)


def test_picture_has_no_barrier(person: Person) -> None:
    output = {"image": {"width": 600, "height": 400, "transparent": True}}
    stored = draft("Card", format="png", output=output)

    address, shown = "/playground?part=preview", "document.querySelector('.picture') !== null"
    look_at(person, "playground-picture", address, shown, draft=stored)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("button", ["Examples", "Save as template"])
def test_dialog_has_no_barrier(person: Person, button: str, scheme: str) -> None:
    for width in (390, 1440):
        address = "/playground?part=preview"
        person.enter(address, draft=draft("Letter"), width=width, dark=scheme == "dark")
        person.browser.wait_for(PAGE_IS_DRAWN)

        person.press(button)

        person.browser.wait_for("document.querySelector('dialog[open]') !== null")
        person.browser.wait_for("[...document.images].every((each) => each.complete)")
        assert not person.is_too_wide()
        assert person.barriers() == []
        name = f"playground-{button.split(maxsplit=1)[0].lower()}-{width}-{scheme}.png"
        person.photograph(PICTURES / name)
