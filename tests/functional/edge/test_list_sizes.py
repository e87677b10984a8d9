"""List pages end before the response limit of the platform."""

import json
from typing import Any, Final

from tests.builders.service import Service

# The response limit of the platform, and the reserve for the envelope of the page.
PLATFORM_BYTES: Final = 6_000_000
PAGE_BYTES: Final = 4_000_000
# The longest escape of one character in a JSON string inside an answer.
WIDE: Final = "\U0001f9fe"
METADATA: Final = {f"{number:02d}": WIDE * 500 for number in range(50)}


def response_bytes(answer: Any) -> int:
    """Return the bytes of an answer as the function returns it: with its body as a string."""
    return len(json.dumps(json.dumps(answer)))


def test_list_page_ends_before_the_response_limit_and_the_next_continues(
    service: Service,
) -> None:
    made = []
    for number in range(18):
        service.clock.advance(seconds=1)
        large = {} if number % 6 == 0 else METADATA
        made.append(service.render(metadata=large).json)
    assert sum(map(response_bytes, made)) > PAGE_BYTES

    first = service.call("GET", "/v1/renders?limit=18").json
    second = service.call("GET", f"/v1/renders?limit=18&cursor={first['next_cursor']}").json

    assert response_bytes(first) < PLATFORM_BYTES
    assert sum(map(response_bytes, first["data"])) <= PAGE_BYTES
    assert sum(map(response_bytes, [*first["data"], second["data"][0]])) > PAGE_BYTES
    assert (first["has_more"], second["has_more"]) == (True, False)
    listed = [render["id"] for page in (first, second) for render in page["data"]]
    assert listed == [render["id"] for render in reversed(made)]
