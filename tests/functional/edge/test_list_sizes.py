"""A page of a list ends where an answer of the platform has no more room."""

import json
from typing import Any, Final

from tests.builders.service import Service

# What the platform takes of a function, and what is kept free for all around the page.
PLATFORM_BYTES: Final = 6_000_000
PAGE_BYTES: Final = 4_000_000
# As large in a text inside an answer as a character can be.
WIDE: Final = "\U0001f9fe"
METADATA: Final = {f"{number:02d}": WIDE * 500 for number in range(50)}


def sent(answer: Any) -> int:
    """Return the bytes of an answer as a function gives it: its body is a text."""
    return len(json.dumps(json.dumps(answer)))


def test_a_page_ends_before_the_answer_is_too_large_and_the_next_goes_on_there(
    service: Service,
) -> None:
    made = []
    for number in range(18):
        service.clock.advance(seconds=1)
        large = {} if number % 6 == 0 else METADATA
        made.append(service.render(metadata=large).json)
    assert sum(map(sent, made)) > PAGE_BYTES

    first = service.call("GET", "/v1/renders?limit=18").json
    second = service.call("GET", f"/v1/renders?limit=18&cursor={first['next_cursor']}").json

    assert sent(first) < PLATFORM_BYTES
    assert sum(map(sent, first["data"])) <= PAGE_BYTES
    assert sum(map(sent, [*first["data"], second["data"][0]])) > PAGE_BYTES
    assert (first["has_more"], second["has_more"]) == (True, False)
    listed = [render["id"] for page in (first, second) for render in page["data"]]
    assert listed == [render["id"] for render in reversed(made)]
