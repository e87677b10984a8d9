"""Emulation of one document does not reach the next one of its lane (decision 40)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from tests.builders.pages.real_browser import new_browser
from tests.integration.engine.page.test_lanes import (
    OURS,
    PLAIN,
    begin_lane,
    prepared_lane,
    render,
    reported,
)

# Reports what emulation changes.
ENVIRONMENT: Final = """<!doctype html><style>@media screen { p { color: red } }</style><p>x<script>
const now = new Date(0);
const found = Object.entries({
  time: now.toString(), local: now.toLocaleString(), number: (1234.5).toLocaleString(),
  zone: Intl.DateTimeFormat().resolvedOptions(), order: ['z', 'ä'].sort(Intl.Collator().compare),
  languages: navigator.languages, agent: navigator.userAgent, print: matchMedia('print').matches,
  size: [innerWidth, innerHeight, devicePixelRatio], touch: navigator.maxTouchPoints,
  color: getComputedStyle(document.querySelector('p')).color, scroll: [scrollX, scrollY],
});
found.forEach((each) => console.log(JSON.stringify(each)));
</script>"""
EMULATIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "locale": {"locale": "de-DE"},
    "time zone": {"timezone": "Asia/Tokyo"},
    "viewport": {"viewport": {"width": 320, "height": 200, "mobile": True}},
    "user agent": {"http": {"user_agent": "Other/1"}},
    "no scripts": {"javascript": False},
    "picture": {"formats": ["png", "pdf"], "image": {"width": 99, "height": 77}},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    browser = new_browser()
    yield browser
    browser.close()


@pytest.mark.parametrize("name", EMULATIONS)
def test_emulation_lasts_one_document(browser: Browser, name: str) -> None:
    fresh = reported(render(browser, ENVIRONMENT, lane=None))
    begin_lane(browser)
    render(browser, PLAIN, **EMULATIONS[name])
    assert prepared_lane(browser) == OURS

    outcome = render(browser, ENVIRONMENT)

    assert reported(outcome) == fresh


def test_document_in_a_lane_gets_its_own_emulation(browser: Browser) -> None:
    german = {"locale": "de-DE", "timezone": "Asia/Tokyo", "media": "print"}
    fresh = reported(render(browser, ENVIRONMENT, lane=None, **german))
    begin_lane(browser)
    render(browser, PLAIN, locale="fr-FR", timezone="America/New_York", media="screen")
    assert prepared_lane(browser) == OURS

    assert reported(render(browser, ENVIRONMENT, **german)) == fresh
