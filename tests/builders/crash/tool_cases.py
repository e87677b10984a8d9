"""Cases of the crash matrix for PDF tools: every point that such a render passes kills once."""

from collections.abc import Iterator
from typing import Final

from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.crash.cases import LOST, CrashCase, Mode

# Points of both modes, in the order of a render.
_RENDER: Final = (
    P.RENDER_BEGUN,
    P.RENDER_CLAIMED,
    P.ENGINE_BEGUN,
    P.ENGINE_MADE,
    P.ENGINE_STORED,
    P.RENDER_MADE,
    P.RENDER_VALIDATED,
    P.RENDER_STORED,
    P.RENDER_FINISHED,
    P.RENDER_SETTLED,
    P.RENDER_EVENT_SENT,
    P.RELAY_BEGUN,
    P.RELAY_SETTLED,
    P.RELAY_CLEANED_UP,
    P.RELAY_PREPARED,
    P.RELAY_PUBLISHED,
    P.RELAY_FOLDED,
    P.RELAY_FOLLOWED_UP,
)
_OF_MODE: Final[dict[Mode, tuple[P, ...]]] = {
    "sync": (P.API_ADMITTED, P.API_CREATED, P.API_RAN),
    "async": (P.API_ADMITTED, P.API_BODY_STORED, P.API_CREATED, P.API_ENQUEUED),
}
_TICKED: Final = {P.API_ADMITTED, P.API_BODY_STORED, P.RENDER_FINISHED, P.RENDER_SETTLED}
_MODES: Final[tuple[Mode, ...]] = ("sync", "async")


def tool_cases() -> list[CrashCase]:
    """Return a tool that makes several files, and one whose mark the engine prints."""
    return [*_several_files(), *_printed_mark()]


def _several_files() -> Iterator[CrashCase]:
    for mode in _MODES:
        for point in (*_OF_MODE[mode], *_RENDER):
            action = "comes back" if point is P.API_CREATED and mode == "sync" else "returns"
            yield _split(mode, point, "1", action=action)
        # After some of its files, which are stored concurrently.
        yield _split(mode, P.RENDER_STORED, "2")
        yield _split(mode, P.ENGINE_MADE, "1 1 1", end=LOST)


def _split(
    mode: Mode, point: P, hits: str, *, action: str = "returns", end: str = "succeeded"
) -> CrashCase:
    return CrashCase(
        point,
        mode,
        len(hits.split()),
        {point: hits},
        "comes back" if action == "comes back" else "returns",
        end,
        needs_tick=point in _TICKED,
        large_result=point is P.ENGINE_STORED,
        formats=("pdf",) * 3,
        tool="split",
    )


def _printed_mark() -> Iterator[CrashCase]:
    """Yield deaths of the engine that prints, then of the function of tools that gets the mark."""
    for mode in _MODES:
        for point in (P.ENGINE_BEGUN, P.ENGINE_MADE):
            for hits in ("1", "2"):
                yield CrashCase(point, mode, 1, {point: hits}, tool="watermark")
