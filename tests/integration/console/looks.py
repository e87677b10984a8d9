"""How a view looks: in all widths and both schemes, with pictures for whoever reviews."""

from pathlib import Path
from typing import Final

from infra.template import ROOT
from tests.integration.console.person import Person

PICTURES: Final = ROOT / "out" / "console"
# Pictures are taken of two of them.
WIDTHS: Final = (360, 390, 768, 1024, 1440)
PHOTOGRAPHED: Final = frozenset({390, 1440})


def look_at(
    person: Person, view: str, address: str, shown: str, *, key: str = "", draft: str = ""
) -> None:
    """Open a view, and fail if it has barriers or scrolls sideways; `view` names its pictures.

    `shown` is an expression that is true once the view has what is to be seen.
    """
    for dark in (False, True):
        person.enter(address, key=key, draft=draft, dark=dark)
        for width in WIDTHS:
            person.browser.resize(width)
            person.browser.wait_for(shown)
            assert not person.is_too_wide(), (view, width)
            if width in PHOTOGRAPHED:
                scheme = "dark" if dark else "light"
                person.photograph(Path(PICTURES / f"{view}-{width}-{scheme}.png"))
                assert person.barriers() == [], (view, width, scheme)
