"""Cases of the crash matrix: the points that kill, the way there, and the expected end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.core.crash_points import CrashPoint as P

type Mode = Literal["sync", "async"]
type CallerAction = Literal[
    "returns",
    "leaves",
    "comes back",
    "cancels",
    "expires",
    "purges",
    "is late",
    "finds no room",
    "is refused",
    "waits",
]
type Hits = Mapping[P, str]

LOST: Final = "render_lost"
CANCELED: Final = "canceled"


@dataclass(frozen=True, slots=True)
class CrashCase:
    """One render whose functions are killed.

    `hits`: the hits of each point that kill; `caller_action`: the action of its caller;
    `expected_end`: `succeeded`, `canceled` or the code of its error; `needs_tick`: the tick must do
    a part of it and is brought forward. `large`: its body exceeds an invocation; `large_result`:
    its files exceed the engine's answer. `tool`: the PDF tool that it is, or None.
    """

    point: P
    mode: Mode
    attempt: int
    hits: Hits
    caller_action: CallerAction = "returns"
    expected_end: str = "succeeded"
    needs_tick: bool = False
    large: bool = False
    large_result: bool = False
    formats: tuple[str, ...] = ("pdf",)
    tool: str | None = None

    @property
    def name(self) -> str:
        """Return its name in tests and requests."""
        parts = [self.point.name.lower(), self.mode, str(self.attempt)]
        parts += [] if self.caller_action == "returns" else [self.caller_action.replace(" ", "_")]
        parts += ["large"] if self.large else []
        parts += ["large_result"] if self.large_result else []
        parts += [self.tool] if self.tool else self.formats if len(self.formats) > 1 else []
        parts += ["second"] if self.tool and self.hits[self.point] == "2" else []
        parts += [] if self.expected_end in {"succeeded", CANCELED} else [self.expected_end]
        return "-".join(parts)

    @property
    def path(self) -> str:
        """Return the path of its request."""
        return f"/pdf-tools/{self.tool}" if self.tool else "/renders"

    @property
    def plan(self) -> str:
        """Return the plan of its workspace; the smallest one has the shortest timeout."""
        return "free" if self.is_late else "scale"

    @property
    def is_late(self) -> bool:
        """Tell whether a function answers later than its caller waits, or finds no room."""
        return self.caller_action in {"is late", "finds no room", "is refused"}

    @property
    def kill_count(self) -> int:
        """Return how many processes it kills."""
        return sum(len(numbers.split()) for numbers in self.hits.values())


def crash_cases() -> list[CrashCase]:
    """Return the whole matrix."""
    cases = [
        *_late(),
        *_api(),
        *_render(),
        *_engine(),
        *_relay(),
        *_tick(),
        *_maintenance(),
        *_dead_letters(),
    ]
    assert len({case.name for case in cases}) == len(cases)
    return cases


def _late() -> Iterator[CrashCase]:
    """Yield two renders that occupy both functions, then others that find no capacity."""
    yield CrashCase(P.API_LATE_HANDED_OVER, "sync", 1, {P.API_LATE_HANDED_OVER: "1"}, "is late")
    hits = {P.RENDER_CLAIMED: "1", P.API_LATE_BODY_STORED: "1"}
    yield CrashCase(P.API_LATE_BODY_STORED, "sync", 2, hits, "is late")
    for point, ends in ((P.API_LATE_HANDED_OVER, LOST), (P.API_LATE_BODY_STORED, "succeeded")):
        yield CrashCase(point, "sync", 1, {point: "1"}, "finds no room", ends, needs_tick=True)
    yield CrashCase(P.API_ENQUEUED, "sync", 1, {P.API_ENQUEUED: "1"}, "finds no room")
    yield CrashCase(P.API_ENDED, "sync", 1, {P.API_ENDED: "1"}, "is refused", needs_tick=True)


def _api() -> Iterator[CrashCase]:
    for mode in ("sync", "async"):
        yield CrashCase(P.API_ADMITTED, mode, 1, {P.API_ADMITTED: "1"}, needs_tick=True)
        yield CrashCase(P.API_ADMITTED, mode, 2, {P.API_ADMITTED: "1 1"}, needs_tick=True)
    yield CrashCase(P.API_BODY_STORED, "async", 1, {P.API_BODY_STORED: "1"}, needs_tick=True)
    yield CrashCase(P.API_BODY_STORED, "async", 2, {P.API_BODY_STORED: "1 1"}, needs_tick=True)
    yield CrashCase(
        P.API_BODY_STORED, "sync", 1, {P.API_BODY_STORED: "1"}, needs_tick=True, large=True
    )
    yield CrashCase(P.API_CREATED, "async", 1, {P.API_CREATED: "1"})
    yield CrashCase(P.API_CREATED, "sync", 1, {P.API_CREATED: "1"}, "leaves", LOST, needs_tick=True)
    yield CrashCase(P.API_CREATED, "sync", 1, {P.API_CREATED: "1"}, "comes back")
    again: Hits = {P.API_CREATED: "1", P.RENDER_CLAIMED: "1"}
    yield CrashCase(P.API_CREATED, "sync", 2, again, "comes back")
    yield CrashCase(P.API_ENQUEUED, "async", 1, {P.API_ENQUEUED: "1"})
    yield CrashCase(P.API_ENQUEUED, "async", 2, {P.API_CREATED: "1", P.API_ENQUEUED: "1"})
    yield CrashCase(P.API_RAN, "sync", 1, {P.API_RAN: "1"})
    yield CrashCase(P.API_RAN, "sync", 2, {P.RENDER_CLAIMED: "1", P.API_RAN: "1"})
    hits = {P.RENDER_CLAIMED: "1 1 1", P.API_ENDED: "1"}
    yield CrashCase(P.API_ENDED, "sync", 3, hits, expected_end=LOST, needs_tick=True)
    hits = {P.API_CREATED: "1", P.API_ENDED: "1"}
    yield CrashCase(P.API_ENDED, "sync", 1, hits, "cancels", CANCELED, needs_tick=True)
    yield CrashCase(P.API_ENDED, "async", 1, hits, "cancels", CANCELED, needs_tick=True)


def _render() -> Iterator[CrashCase]:
    for mode in ("sync", "async"):
        for point in (
            P.RENDER_BEGUN,
            P.RENDER_CLAIMED,
            P.RENDER_MADE,
            P.RENDER_VALIDATED,
            P.RENDER_STORED,
        ):
            yield CrashCase(point, mode, 1, {point: "1"})
            yield CrashCase(point, mode, 2, {point: "1 1"})
        # After one of two files, which are stored concurrently.
        one: Hits = {P.RENDER_STORED: "1"}
        yield CrashCase(P.RENDER_STORED, mode, 1, one, formats=("pdf", "png"))
        for point in (P.RENDER_FINISHED, P.RENDER_SETTLED, P.RENDER_EVENT_SENT):
            unsent = point is not P.RENDER_EVENT_SENT
            yield CrashCase(point, mode, 1, {point: "1"}, needs_tick=unsent)
            hits = {P.RENDER_CLAIMED: "1", point: "1"}
            yield CrashCase(point, mode, 2, hits, needs_tick=unsent)
        yield CrashCase(P.RENDER_STORED, mode, 3, {P.RENDER_STORED: "1 1 1"}, expected_end=LOST)


def _engine() -> Iterator[CrashCase]:
    """Yield deaths of the engine, which the render function survives."""
    for mode in ("sync", "async"):
        for point in (P.ENGINE_BEGUN, P.ENGINE_MADE, P.ENGINE_STORED):
            large = point is P.ENGINE_STORED
            yield CrashCase(point, mode, 1, {point: "1"}, large_result=large)
            both: Hits = {point: "1", P.RENDER_MADE: "1"}
            yield CrashCase(point, mode, 2, both, large_result=large)
        hits = {P.ENGINE_MADE: "1 1 1"}
        yield CrashCase(P.ENGINE_MADE, mode, 3, hits, expected_end=LOST)


def _relay() -> Iterator[CrashCase]:
    points = (
        P.RELAY_BEGUN,
        P.RELAY_SETTLED,
        P.RELAY_CLEANED_UP,
        P.RELAY_PREPARED,
        P.RELAY_PUBLISHED,
    )
    for mode in ("sync", "async"):
        for point in points:
            yield CrashCase(point, mode, 1, {point: "1"})
    for point in points:
        # A published event is not delivered again, so RELAY_BEGUN must kill the first attempt.
        first: Hits = {P.RELAY_BEGUN: "1", point: "1"}
        hits: Hits = first if point is P.RELAY_PUBLISHED else {point: "1 1"}
        yield CrashCase(point, "sync", 2, hits)
    # What follows a publication is done again after each death.
    for point in (P.RELAY_FOLDED, P.RELAY_FOLLOWED_UP):
        for attempt, numbers in ((1, "1"), (2, "1 1")):
            yield CrashCase(point, "async", attempt, {point: numbers})


def _tick() -> Iterator[CrashCase]:
    for point in (P.TICK_BEGUN, P.TICK_FOUND, P.TICK_CLAIMED, P.TICK_BATCH_SENT, P.TICK_SENT):
        yield CrashCase(point, "sync", 1, {P.RENDER_SETTLED: "1", point: "1"}, needs_tick=True)
        hits = {P.API_CREATED: "1", point: "1 1"}
        yield CrashCase(point, "async", 2, hits, "leaves", needs_tick=True)


def _maintenance() -> Iterator[CrashCase]:
    unsent: dict[P, str] = {P.API_CREATED: "1"}
    postponed: dict[P, str] = {P.MAINTENANCE_POSTPONED: "1"}
    for point in (P.MAINTENANCE_BEGUN, P.MAINTENANCE_POSTPONED, P.MAINTENANCE_RESENT):
        yield CrashCase(point, "async", 1, unsent | {point: "1"}, "leaves", needs_tick=True)
        # A message that is queued again is usually received at once.
        again = postponed | {point: "1"} if point is P.MAINTENANCE_RESENT else {point: "1 1"}
        yield CrashCase(point, "async", 2, unsent | again, "leaves", needs_tick=True)
    gone = {P.API_CREATED: "1", P.MAINTENANCE_ENDED: "1"}
    yield CrashCase(P.MAINTENANCE_ENDED, "sync", 1, gone, "leaves", LOST, needs_tick=True)
    begun = {P.MAINTENANCE_BEGUN: "1", **gone}
    yield CrashCase(P.MAINTENANCE_ENDED, "sync", 2, begun, "leaves", LOST, needs_tick=True)
    for point in (P.MAINTENANCE_EXPIRED, P.MAINTENANCE_PURGE_MARKED):
        yield CrashCase(point, "sync", 1, {point: "1"}, "expires", needs_tick=True)
    for point in (P.MAINTENANCE_PURGE_MARKED, P.MAINTENANCE_PURGED):
        yield CrashCase(point, "async", 1, {point: "1"}, "purges", needs_tick=True)
    both = {P.MAINTENANCE_EXPIRED: "1 1", P.MAINTENANCE_PURGE_MARKED: "1"}
    yield CrashCase(P.MAINTENANCE_EXPIRED, "async", 2, both, "expires", needs_tick=True)
    for attempt, numbers in ((1, "1"), (2, "1 1")):
        hits = {P.API_ADMITTED: numbers, P.MAINTENANCE_RECONCILED: numbers}
        yield CrashCase(P.MAINTENANCE_RECONCILED, "async", attempt, hits, "waits", needs_tick=True)


def _dead_letters() -> Iterator[CrashCase]:
    dies = {P.RENDER_BEGUN: " ".join(["1"] * MAX_RECEIVE_COUNT)}
    for point in (P.DEAD_LETTERS_ENDED, P.DEAD_LETTERS_RECORDED):
        yield CrashCase(point, "async", MAX_RECEIVE_COUNT, {**dies, point: "1"}, expected_end=LOST)
    hits = {P.RENDER_CLAIMED: "1 1 1", P.API_ENDED: "1"}
    yield CrashCase(P.API_ENDED, "async", 3, hits, expected_end=LOST, needs_tick=True)
