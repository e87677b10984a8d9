"""The cases of the crash matrix: which points kill, on which way, and what must come of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.adapters.aws.messages import LAST_DELIVERY
from chalicelib.core.crash_points import CrashPoint as P

type Mode = Literal["sync", "async"]
type Way = Literal[
    "returns",
    "leaves",
    "comes back",
    "cancels",
    "expires",
    "purges",
    "is late",
    "finds no room",
    "is refused",
]
type Hits = Mapping[P, str]

LOST: Final = "render_lost"
CANCELED: Final = "canceled"


@dataclass(frozen=True, slots=True)
class Case:
    """One render whose functions are killed.

    `hits`: at which hits of which points; `way`: what its caller does; `ends`: `succeeded`,
    `canceled`, or the code of its error; `due`: something of it must be done by the tick, which is
    brought forward.
    """

    lane: str
    point: P
    mode: Mode
    attempt: int
    hits: Hits
    way: Way = "returns"
    ends: str = "succeeded"
    due: bool = False
    large: bool = False
    formats: tuple[str, ...] = ("pdf",)

    @property
    def name(self) -> str:
        """Return what tests and requests call it."""
        parts = [self.point.name.lower(), self.mode, str(self.attempt)]
        parts += [] if self.way == "returns" else [self.way.replace(" ", "_")]
        parts += ["large"] if self.large else []
        parts += self.formats if len(self.formats) > 1 else []
        parts += [] if self.ends in {"succeeded", CANCELED} else [self.ends]
        return "-".join(parts)

    @property
    def plan(self) -> str:
        """Return the plan of its workspace: the smallest one waits least."""
        return "free" if self.lane == "late" else "scale"

    @property
    def kills(self) -> int:
        """Return how many processes it kills."""
        return sum(len(numbers.split()) for numbers in self.hits.values())


def cases() -> list[Case]:
    """Return the whole matrix."""
    found = [*_late(), *_api(), *_render(), *_relay(), *_tick(), *_upkeep(), *_dead_letters()]
    assert len({case.name for case in found}) == len(found)
    return found


def _late() -> Iterator[Case]:
    """Two renders that hold both functions, then others that find no room."""
    yield Case("late", P.API_LATE_LEFT, "sync", 1, {P.API_LATE_LEFT: "1"}, "is late")
    hits = {P.RENDER_CLAIMED: "1", P.API_LATE_BODY_KEPT: "1"}
    yield Case("late", P.API_LATE_BODY_KEPT, "sync", 2, hits, "is late")
    for point, ends in ((P.API_LATE_LEFT, LOST), (P.API_LATE_BODY_KEPT, "succeeded")):
        yield Case("late", point, "sync", 1, {point: "1"}, "finds no room", ends, due=True)
    yield Case("late", P.API_ENQUEUED, "sync", 1, {P.API_ENQUEUED: "1"}, "finds no room")
    yield Case("late", P.API_ENDED, "sync", 1, {P.API_ENDED: "1"}, "is refused", due=True)


def _api() -> Iterator[Case]:
    for mode in ("sync", "async"):
        yield Case("api", P.API_ADMITTED, mode, 1, {P.API_ADMITTED: "1"}, due=True)
        yield Case("api", P.API_ADMITTED, mode, 2, {P.API_ADMITTED: "1 1"}, due=True)
    yield Case("api", P.API_BODY_KEPT, "async", 1, {P.API_BODY_KEPT: "1"}, due=True)
    yield Case("api", P.API_BODY_KEPT, "async", 2, {P.API_BODY_KEPT: "1 1"}, due=True)
    yield Case("api", P.API_BODY_KEPT, "sync", 1, {P.API_BODY_KEPT: "1"}, due=True, large=True)
    yield Case("api", P.API_CREATED, "async", 1, {P.API_CREATED: "1"})
    yield Case("api", P.API_CREATED, "sync", 1, {P.API_CREATED: "1"}, "leaves", LOST, due=True)
    yield Case("api", P.API_CREATED, "sync", 1, {P.API_CREATED: "1"}, "comes back")
    again: Hits = {P.API_CREATED: "1", P.RENDER_CLAIMED: "1"}
    yield Case("api", P.API_CREATED, "sync", 2, again, "comes back")
    yield Case("api", P.API_ENQUEUED, "async", 1, {P.API_ENQUEUED: "1"})
    yield Case("api", P.API_ENQUEUED, "async", 2, {P.API_CREATED: "1", P.API_ENQUEUED: "1"})
    yield Case("api", P.API_RAN, "sync", 1, {P.API_RAN: "1"})
    yield Case("api", P.API_RAN, "sync", 2, {P.RENDER_CLAIMED: "1", P.API_RAN: "1"})
    hits = {P.RENDER_CLAIMED: "1 1 1", P.API_ENDED: "1"}
    yield Case("api", P.API_ENDED, "sync", 3, hits, ends=LOST, due=True)
    hits = {P.API_CREATED: "1", P.API_ENDED: "1"}
    yield Case("api", P.API_ENDED, "sync", 1, hits, "cancels", CANCELED, due=True)
    yield Case("api", P.API_ENDED, "async", 1, hits, "cancels", CANCELED, due=True)


def _render() -> Iterator[Case]:
    for mode in ("sync", "async"):
        for point in (
            P.RENDER_BEGUN,
            P.RENDER_CLAIMED,
            P.RENDER_MADE,
            P.RENDER_JUDGED,
            P.RENDER_STORED,
        ):
            yield Case(mode, point, mode, 1, {point: "1"})
            yield Case(mode, point, mode, 2, {point: "1 1"})
        # After one of two files, which are stored side by side.
        one: Hits = {P.RENDER_STORED: "1"}
        yield Case(mode, P.RENDER_STORED, mode, 1, one, formats=("pdf", "png"))
        for point in (P.RENDER_FINISHED, P.RENDER_SETTLED, P.RENDER_FACT_SENT):
            unsent = point is not P.RENDER_FACT_SENT
            yield Case(mode, point, mode, 1, {point: "1"}, due=unsent)
            hits = {P.RENDER_CLAIMED: "1", point: "1"}
            yield Case(mode, point, mode, 2, hits, due=unsent)
        yield Case(mode, P.RENDER_STORED, mode, 3, {P.RENDER_STORED: "1 1 1"}, ends=LOST)


def _relay() -> Iterator[Case]:
    points = (P.RELAY_BEGUN, P.RELAY_SETTLED, P.RELAY_CLEARED, P.RELAY_TOLD)
    for mode in ("sync", "async"):
        for point in points:
            yield Case("workers", point, mode, 1, {point: "1"})
    for point in points:
        # A fact that is told is not begun again.
        first: Hits = {P.RELAY_BEGUN: "1", point: "1"}
        hits: Hits = first if point is P.RELAY_TOLD else {point: "1 1"}
        yield Case("workers", point, "sync", 2, hits)


def _tick() -> Iterator[Case]:
    for point in (P.TICK_BEGUN, P.TICK_CLAIMED, P.TICK_SENT):
        yield Case("workers", point, "sync", 1, {P.RENDER_SETTLED: "1", point: "1"}, due=True)
        hits = {P.API_CREATED: "1", point: "1 1"}
        yield Case("workers", point, "async", 2, hits, "leaves", due=True)


def _upkeep() -> Iterator[Case]:
    unsent: dict[P, str] = {P.API_CREATED: "1"}
    postponed: dict[P, str] = {P.UPKEEP_POSTPONED: "1"}
    for point in (P.UPKEEP_BEGUN, P.UPKEEP_POSTPONED, P.UPKEEP_RESENT):
        yield Case("workers", point, "async", 1, unsent | {point: "1"}, "leaves", due=True)
        # What is queued again is most likely not waiting any more.
        again = postponed | {point: "1"} if point is P.UPKEEP_RESENT else {point: "1 1"}
        yield Case("workers", point, "async", 2, unsent | again, "leaves", due=True)
    gone = {P.API_CREATED: "1", P.UPKEEP_ENDED: "1"}
    yield Case("workers", P.UPKEEP_ENDED, "sync", 1, gone, "leaves", LOST, due=True)
    begun = {P.UPKEEP_BEGUN: "1", **gone}
    yield Case("workers", P.UPKEEP_ENDED, "sync", 2, begun, "leaves", LOST, due=True)
    for point in (P.UPKEEP_PURGE_MARKED, P.UPKEEP_PURGED):
        yield Case("workers", point, "sync", 1, {point: "1"}, "expires", due=True)
        yield Case("workers", point, "async", 1, {point: "1"}, "purges", due=True)
    both = {P.UPKEEP_PURGE_MARKED: "1", P.UPKEEP_PURGED: "1"}
    yield Case("workers", P.UPKEEP_PURGED, "async", 2, both, "expires", due=True)
    # With the cases that leave something to be reconciled, which the point cannot tell apart.
    for attempt, numbers in ((1, "1"), (2, "1 1")):
        hits = {P.API_ADMITTED: numbers, P.UPKEEP_RECONCILED: numbers}
        yield Case("api", P.UPKEEP_RECONCILED, "async", attempt, hits, due=True)


def _dead_letters() -> Iterator[Case]:
    dies = {P.RENDER_BEGUN: " ".join(["1"] * LAST_DELIVERY)}
    for point in (P.DEAD_LETTERS_ENDED, P.DEAD_LETTERS_RECORDED):
        yield Case("dead", point, "async", LAST_DELIVERY, {**dies, point: "1"}, ends=LOST)
    hits = {P.RENDER_CLAIMED: "1 1 1", P.API_ENDED: "1"}
    yield Case("dead", P.API_ENDED, "async", 3, hits, ends=LOST, due=True)
