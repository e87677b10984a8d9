"""How a view looks: in all widths and both schemes, with pictures for whoever reviews.

With PLATEN_DOCS_PICTURES=1 the pictures of the main views replace those of docs/console.md.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PIL import Image

from infra.template import ROOT
from tests.integration.console.person import Person

PICTURES: Final = ROOT / "out" / "console"
DOCS_PICTURES: Final = ROOT / "docs" / "images" / "console"
WIDTHS: Final = (360, 390, 768, 1024, 1440)
# The widths and the views of which pictures are kept.
PHOTOGRAPHED: Final = frozenset({390, 1440})
MAIN_VIEWS: Final = frozenset(
    {
        *("preview", "templates", "template-preview", "scene", "render", "batch"),
        *("deliveries-endpoint", "invoice-checked", "tools-merge", "usage"),
    }
)


def look_at(
    person: Person,
    view: str,
    address: str,
    shown: str,
    *,
    draft: str = "",
    first: Callable[[], None] | None = None,
) -> None:
    """Open a view, and fail if it has barriers or scrolls sideways; `view` names its pictures.

    `shown` is an expression that is true once the view has what is to be seen; `first` does what
    somebody does before that, such as dropping a file.
    """
    for dark in (False, True):
        person.enter(address, draft=draft, dark=dark)
        if first:
            first()
        for width in WIDTHS:
            person.browser.resize(width)
            person.browser.wait_for(shown)
            assert not person.is_too_wide(), (view, width)
            if width in PHOTOGRAPHED:
                picture = f"{view}-{width}-{'dark' if dark else 'light'}"
                person.photograph(PICTURES / f"{picture}.png")
                if view in MAIN_VIEWS and os.environ.get("PLATEN_DOCS_PICTURES"):
                    _keep_for_docs(PICTURES / f"{picture}.png")
                assert person.barriers() == [], picture


def _keep_for_docs(picture: Path) -> None:
    DOCS_PICTURES.mkdir(parents=True, exist_ok=True)
    with Image.open(picture) as image:
        image.convert("RGB").save(DOCS_PICTURES / f"{picture.stem}.webp", quality=80, method=6)
