"""Hand a fact to everybody who listens, each exactly once as the table shows it."""

import datetime as dt
import logging
from collections.abc import Callable, Iterable, Sequence

from chalicelib.adapters.aws.faults import passed_over
from chalicelib.adapters.aws.messages import Poison
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables
from chalicelib.adapters.json_logs import about
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.features.facts.message import TellFact
from chalicelib.features.facts.model import Heard, Listener
from chalicelib.features.facts.repository import Facts, fact_of

log = logging.getLogger(__name__)

type Observer = Callable[[Heard, dt.datetime], None]


class RelayFacts:
    """Tells facts; a fact that comes again is told to nobody."""

    def __init__(
        self,
        *,
        tables: Tables,
        facts: Facts,
        listeners: Sequence[Listener],
        clock: Clock,
        observers: Sequence[Observer] = (),
    ) -> None:
        """Build from the facts and who listens to them; observers learn what was told and when."""
        self._tables = tables
        self._facts = facts
        self._listeners = listeners
        self._clock = clock
        self._observers = observers

    def read_ahead(self, messages: Iterable[TellFact]) -> None:
        """Read what a batch will ask for, if AWS has room; else each fact is read by itself."""
        keys = [(message.subject, message.sort_key) for message in messages]
        with passed_over("not read ahead"):
            self._facts.read_ahead(keys)

    def __call__(self, message: TellFact) -> None:
        """Tell one fact; raises Poison where there is none."""
        item, row = self._facts.with_subject(message.subject, message.sort_key)
        if item is None or row is None:
            reason = f"there is no fact {message.sort_key} of {message.subject}"
            raise Poison(reason)
        fact = fact_of(item)
        about(request_id=fact.request_id, workspace=fact.workspace_id, **_named(row))
        here(CrashPoint.RELAY_BEGUN)
        if "told_at" in item:
            return
        heard = Heard(fact, row, message.settled)
        once = [write for listener in self._listeners for write in listener(heard)]
        now = self._clock.now()
        try:
            self._tables.transact([self._facts.telling(fact, rfc3339(now)), *once])
        except ConditionFailed as lost:
            # Somebody else told it meanwhile; a listener's own condition must not fail.
            if lost.index != 0:
                raise
            return
        here(CrashPoint.RELAY_TOLD)
        log.info("fact told", extra={"fact": fact.id, "type": fact.type})
        for observe in self._observers:
            observe(heard, now)


def _named(row: Item) -> dict[str, str]:
    """Return the id of a subject by what it is, where it is a render."""
    return {"render": row["id"]} if row["id"].startswith("rnd_") else {}
