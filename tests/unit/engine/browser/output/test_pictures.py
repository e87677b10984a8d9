"""Picture sizes are checked before anything is sent to the browser."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.pipe import Answer, Handler
from chalicelib.engine.browser.output.pictures import PossibleParts, replace_missing_parts
from chalicelib.engine.browser.tab.emulation import Emulation
from chalicelib.engine.browser.tab.prepared_page import PreparedPage
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.picture_sizes import check_size


class UnusablePipe:
    """Pipe to a browser that fails at every message."""

    def set_handler(self, session: str, handler: Handler | None) -> None:
        """Send no events."""

    def send(self, method: str, parameters: Mapping[str, Any], session: str) -> Answer:
        raise AssertionError(method, parameters, session)


def unusable_tab() -> Tab:
    pipe: Any = UnusablePipe()
    nobody: Any = None
    unused = PreparedPage(
        pipe, "session", "context", "frame", "https://origin.invalid", nobody, nobody
    )
    return Tab(unused, Deadline.at_epoch(2**40))


@pytest.mark.parametrize(
    ("width", "height", "scale"),
    [(16_384, 3_906, 1), (3_906, 16_384, 1), (8_000, 8_000, 1), (4_000, 4_000, 2), (1, 8_192, 2)],
)
def test_picture_at_the_limits_is_accepted(width: int, height: int, scale: float) -> None:
    check_size(width, height, scale)


@pytest.mark.parametrize(
    ("width", "height", "scale", "messages"),
    [
        (16_385, 1, 1, ("16384", "16385 x 1 ")),
        (1, 16_385, 1, ("16384", "1 x 16385 ")),
        (5_462, 10, 3, ("16384", "16386 x 30 ")),
        (8_001, 8_000, 1, ("64000000", "8001 x 8000 ")),
        (4_001, 4_000, 2, ("64000000", "8002 x 8000 ")),
    ],
)
def test_picture_above_a_limit_is_refused(
    width: int, height: int, scale: float, messages: tuple[str, str]
) -> None:
    with pytest.raises(RenderFailure) as failure:
        check_size(width, height, scale)

    assert failure.value.code == "render_failed"
    assert [part for part in messages if part not in failure.value.detail] == []


@pytest.mark.parametrize(
    "output",
    [
        {"format": "png", "image": {"width": 10_000, "height": 10_000, "scale": 3}},
        {"format": "png", "viewport": {"width": 9_000, "height": 9_000}},
        {"format": "png", "viewport": {"width": 6_000, "device_scale_factor": 3}},
        {
            "format": "png",
            "image": {"width": 6_000},
            "viewport": {"height": 5_000, "device_scale_factor": 2},
        },
        {"format": "pdf", "viewport": {"width": 10_000, "height": 10_000}},
        {"format": "png", "image": {"width": 8_001, "height": 8_000, "fit": "cover"}},
        {"format": "webp", "image": {"width": 8_001, "height": 4_000}},
        {"format": "webp", "image": {"width": 8_192, "height": 10, "scale": 2}},
        {"formats": ["pdf", "webp"], "image": {"width": 8_001, "height": 4_000, "fit": "fill"}},
    ],
)
def test_oversized_window_is_never_sent_to_the_browser(output: dict[str, Any]) -> None:
    with pytest.raises(RenderFailure, match="may have at most"):
        Emulation(unusable_tab()).apply(OutputOptions.from_json(output))


def test_parts_that_cannot_be_looked_at_fail_the_render() -> None:
    thrown = {"result": {"type": "object"}, "exceptionDetails": {"text": "Uncaught"}}
    tab: Any = SimpleNamespace(
        has_virtual_time=False,
        deadline=Deadline.at_epoch(2**40),
        call_function=lambda *_: None,
        wait_for=lambda *_: thrown,
    )
    assets: Any = SimpleNamespace(missing_urls=tuple)
    parts = PossibleParts(elements=True, style_pictures=False)

    with pytest.raises(RenderFailure) as failure:
        replace_missing_parts(tab, assets, parts, has_broken_image=False)

    assert failure.value.code == "render_failed"
