"""Answer that is kept, and the right to answer."""

from dataclasses import dataclass

import msgspec

from chalicelib.core.ids import IdSeed
from chalicelib.features.renders.idempotency.model import IdempotencyKey


class KeptAnswer(msgspec.Struct, frozen=True):
    """Answer as it was sent: its body is text."""

    status: int
    body: str
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """Right to answer the requests of a key; with `is_repeat` an earlier one began and ended."""

    key: IdempotencyKey
    token: str
    seed: IdSeed
    is_repeat: bool
