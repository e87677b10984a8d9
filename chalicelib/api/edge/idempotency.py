"""Idempotency-Key of requests that make something else than a render (decision 62)."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.api.edge.endpoint import Call, Endpoint, Reply
from chalicelib.api.edge.request_body import MULTIPART_TYPE, form_file
from chalicelib.core import json
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import repeatable_ids, sha256_hex
from chalicelib.features.answers.model import AnswerClaim, KeptAnswer
from chalicelib.features.renders.idempotency.model import IdempotencyKey

_REPLAYED: Final = {"Idempotent-Replayed": "true"}


def answer_once(call: Call) -> Reply:
    """Run the view, or answer a repeat as the first request was answered."""
    if call.endpoint.creates is None or call.idempotency_key is None:
        return call.endpoint(call)
    answers = call.services.answers
    claim = answers.claim(_key(call, call.idempotency_key))
    if isinstance(claim, KeptAnswer):
        return Reply(claim.status, claim.body, headers={**claim.headers, **_REPLAYED})
    crash_if_armed(CrashPoint.ANSWER_CLAIMED)
    reply = _run_or_find(call, claim)
    crash_if_armed(CrashPoint.ANSWER_MADE)
    assert isinstance(reply.body, Mapping)
    answer = KeptAnswer(reply.status, json.dumps(reply.body), dict(reply.headers))
    # What is made stays made: a repeat finds it.
    with tolerate_transient("the answer of a request is not kept"):
        answers.keep(claim, answer, has_secret=call.endpoint.creates.has_secret)
    crash_if_armed(CrashPoint.ANSWER_KEPT)
    return reply


def shown_again(call: Call, made_id: str, view: Endpoint, parameter: str = "id") -> Reply | None:
    """Return the answer of an object that an earlier attempt has made, by the view that shows it.

    None if it does not exist.
    """
    with_id = call.with_params({**call.params, parameter: made_id})
    shown = unless_absent(lambda: view(with_id))
    if shown is None:
        return None
    url = f"{call.services.api_host}{_path(call)}/{made_id}"
    return Reply(HTTPStatus.CREATED, shown.body, headers={"Location": url})


def unless_absent[T](read: Callable[[], T]) -> T | None:
    """Return the result of `read`, or None if the object does not exist."""
    try:
        return read()
    except ServiceError as error:
        if error.problem.http_status == HTTPStatus.NOT_FOUND:
            return None
        raise


def _run_or_find(call: Call, claim: AnswerClaim) -> Reply:
    answers, creates = call.services.answers, call.endpoint.creates
    assert creates is not None
    try:
        if claim.is_repeat:
            reply = creates.find(call, claim.seed)
            if reply is not None:
                return reply
        with repeatable_ids(claim.seed):
            return call.endpoint(call)
    except ServiceError as refusal:
        with tolerate_transient("the key of a refused request is not freed"):
            if refusal.problem.http_status < HTTPStatus.INTERNAL_SERVER_ERROR:
                answers.free(claim)
            else:
                answers.postpone(claim)
        raise
    except Exception:
        with tolerate_transient("the key of a failed request is not freed"):
            answers.postpone(claim)
        raise


def _key(call: Call, key: str) -> IdempotencyKey:
    # A key with an allowlist must not see the answers of others.
    scope = json.canonical_bytes([call.method, _path(call), sorted(call.caller.templates)])
    return IdempotencyKey(
        call.caller.workspace_id, call.caller.mode, sha256_hex(scope), key, _body_sha256(call)
    )


def _body_sha256(call: Call) -> str:
    """Return the hash of a request: of a form, of the name and bytes of its file."""
    asked: dict[str, json.Json] = {"json": call.json, "if_match": call.headers.get("if-match")}
    if call.headers.get("content-type", "").lower().startswith(MULTIPART_TYPE):
        file = form_file(call)
        asked |= {
            "name": file.filename,
            "type": file.content_type,
            "file": sha256_hex(file.content),
        }
    return sha256_hex(json.canonical_bytes(asked))


def _path(call: Call) -> str:
    path = call.endpoint.path
    for name, value in call.params.items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path
