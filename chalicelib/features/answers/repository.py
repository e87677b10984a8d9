"""Repository of answers of requests with an Idempotency-Key, kept for 24 hours (decision 62).

The item `ANS#<key>` is claimed before the request has any effect. It has a seed, from which the ids
of all that the request makes are derived: a repeat after a crash finds the objects of the first
attempt.
"""

import datetime as dt
import secrets
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.sealing import SealContext, SecretSealer
from chalicelib.adapters.aws.table import ConditionFailed, Row, RowValue, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.ids import IdSeed, sha256_hex
from chalicelib.features.answers.model import AnswerClaim, KeptAnswer
from chalicelib.features.renders.idempotency.model import (
    RETENTION,
    IdempotencyKey,
    in_progress_error,
    key_reused_error,
)

# The field of the seal of an answer that shows a secret.
ANSWER_FIELD: Final = "kept_answer"
# The function that answers a request ends by then.
_CLAIM: Final = dt.timedelta(seconds=30)
# A row has 400 KB at most, and a character may have four bytes.
_MAX_ROW_CHARS: Final = 90_000
_SEED_BYTES: Final = 16


class KeptAnswers(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Answers in the table with a TTL; large ones in the bucket, those with a secret sealed."""

    table: Table
    objects: Objects
    sealer: SecretSealer
    clock: Clock

    def claim(self, key: IdempotencyKey) -> AnswerClaim | KeptAnswer:
        """Claim the key for a request, or return the answer of an earlier one.

        Raises `idempotency_key_reused` and `idempotency_in_progress`.
        """
        now = self.clock.now()
        token, expires_at = secrets.token_hex(_SEED_BYTES), now + RETENTION
        item: dict[str, RowValue] = {
            **_key(key),
            "body_sha256": key.body_sha256,
            "token": token,
            "seed": secrets.token_hex(_SEED_BYTES),
            "begun_at": format_rfc3339(now),
            "claimed_until": format_rfc3339(now + _CLAIM),
            "expires_at": format_rfc3339(expires_at),
            "ttl": int(expires_at.timestamp()),
        }
        write = Write(
            self.table,
            item=item,
            condition="attribute_not_exists(PK) OR expires_at <= :now",
            values={":now": format_rfc3339(now)},
        )
        try:
            self.table.write(write)
        except ConditionFailed as conflict:
            if conflict.existing_item["token"] != token:
                return self._repeat(key, conflict.existing_item, token, now)
        return AnswerClaim(key, token, _seed(item), is_repeat=False)

    def keep(self, claim: AnswerClaim, answer: KeptAnswer, *, has_secret: bool) -> None:
        """Keep the answer of a claimed request; with `has_secret` it is sealed."""
        text = msgspec.json.encode(answer).decode()
        if has_secret:
            text = self.sealer.seal(text, _place(claim.key))
        object_key = None
        if len(text) > _MAX_ROW_CHARS:
            object_key = _object_key(claim)
            self.objects.put_data(object_key, text.encode())
        self._change(
            claim,
            "SET answer = :answer, is_sealed = :sealed, object_key = :object",
            {
                ":answer": text if object_key is None else None,
                ":sealed": int(has_secret),
                ":object": object_key,
            },
        )

    def free(self, claim: AnswerClaim) -> None:
        """Free the key of a request that was refused: nothing was made."""
        self._change(claim, None, {})

    def postpone(self, claim: AnswerClaim) -> None:
        """Let the next repeat go on at once: the request has failed, perhaps after an effect."""
        until = format_rfc3339(self.clock.now())
        self._change(claim, "SET claimed_until = :until", {":until": until})

    def _repeat(
        self, key: IdempotencyKey, item: Row, token: str, now: dt.datetime
    ) -> AnswerClaim | KeptAnswer:
        if item["body_sha256"] != key.body_sha256:
            raise key_reused_error()
        if "answer" in item:
            return self._answer(key, item)
        if item["claimed_until"] > format_rfc3339(now):
            raise in_progress_error()
        write = Write(
            self.table,
            key=_key(key),
            update="SET #token = :token, claimed_until = :until",
            condition="#token = :before AND attribute_not_exists(answer)",
            names={"#token": "token"},
            values={
                ":token": token,
                ":before": item["token"],
                ":until": format_rfc3339(now + _CLAIM),
            },
        )
        try:
            self.table.write(write)
        except ConditionFailed as conflict:
            # This call has written it, but its response was lost.
            if conflict.item is None or conflict.item["token"] != token:
                raise in_progress_error() from conflict
        return AnswerClaim(key, token, _seed(item), is_repeat=True)

    def _answer(self, key: IdempotencyKey, item: Row) -> KeptAnswer:
        text: str | bytes | None = item["answer"]
        if item["object_key"] is not None:
            text = self.objects.get(item["object_key"])
        assert text is not None, item["object_key"]
        if item["is_sealed"]:
            sealed = text if isinstance(text, str) else text.decode()
            text = self.sealer.open(sealed, _place(key))
        return msgspec.json.decode(text, type=KeptAnswer)

    def _change(self, claim: AnswerClaim, update: str | None, values: dict[str, RowValue]) -> None:
        """Change or delete the item, unless another request has the claim."""
        write = Write(
            self.table,
            key=_key(claim.key),
            update=update,
            condition="#token = :token",
            names={"#token": "token"},
            values={":token": claim.token, **values},
        )
        try:
            self.table.write(write)
        except ConditionFailed:
            return


def _seed(item: Row | dict[str, RowValue]) -> IdSeed:
    return IdSeed(str(item["seed"]), parse_rfc3339(str(item["begun_at"])))


def _key(key: IdempotencyKey) -> dict[str, str]:
    return {"PK": f"ANS#{key.partition}", "SK": "META"}


def _place(key: IdempotencyKey) -> SealContext:
    return SealContext(key.workspace_id, sha256_hex(key.partition.encode()), ANSWER_FIELD)


def _object_key(claim: AnswerClaim) -> str:
    return f"tmp/answers/{claim.key.workspace_id}/{claim.token}"
