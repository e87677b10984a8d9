"""Clients of AWS that count their calls."""

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, override

from chalicelib.adapters.aws.session import AwsClients

if TYPE_CHECKING:
    from boto3.session import Session

    from infra.write_units import WriteUnits


class CountingClients(AwsClients):
    """Clients that count their calls, and write units if asked, under the name of a function."""

    def __init__(
        self, function: str, counts: Counter[str], units: "WriteUnits | None" = None
    ) -> None:
        """Count calls in `counts` as `<function> <call>`."""
        super().__init__()
        self._function = function
        self._counts = counts
        self._units = units

    @cached_property
    @override
    def _session(self) -> "Session":
        import boto3  # noqa: PLC0415

        session = boto3.session.Session()
        session.events.register("before-send", self._count)
        if self._units is not None:
            self._units.count(session.events, self._function)
        return session

    def _count(self, event_name: str, **_: Any) -> None:
        self._counts[f"{self._function} {event_name.rsplit('.', 1)[-1]}"] += 1
