"""Idempotency-Key of requests that make something else than a render: one effect for each key."""

import json
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from chalicelib.api.edge import idempotency
from chalicelib.core.crash_points import CrashPoint
from tests.builders.email_connections import SENDER, SMTP, made_connection
from tests.builders.email_rules import rules_path, template_id_of
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.signed_links import LINKS_PATH, published, sign
from tests.builders.storage_destinations import ACCESS_KEYS, S3
from tests.builders.templates import LARGE_HTML, make_template
from tests.builders.threads import at_once
from tests.builders.uploads import file_part, multipart_request

KEY = {"Idempotency-Key": "order-7"}
UPLOAD = {"filename": "a.html", "content_type": "text/html", "bytes": 7}

type Request = tuple[str, dict[str, Any], str]
"""Path, body, and a field of the body that another request has otherwise."""


class Killed(BaseException):
    """The function died."""


def template(_service: Service) -> Request:
    return "/v1/templates", {"name": "T", "html": LARGE_HTML, "publish": True}, "name"


def dataset(service: Service) -> Request:
    data = {"text": LARGE_HTML}
    return f"{make_template(service)}/datasets", {"name": "D", "data": data}, "name"


def version(service: Service) -> Request:
    return f"{make_template(service)}/publish", {"note": "First"}, "note"


def older_version(service: Service) -> Request:
    path = make_template(service, publish=True)
    service.call("POST", f"{path}/publish")
    return f"{path}/rollback", {"version": 1}, ""


def connection(_service: Service) -> Request:
    body = {"name": "C", "provider": "smtp", "default_from": SENDER, "config": SMTP}
    return "/v1/email-connections", body, "name"


def rule(service: Service) -> Request:
    path = rules_path(template_id_of(service))
    connection_id = made_connection(service)["id"]
    body = {"name": "R", "to": "a@example.com", "subject": "S", "connection_id": connection_id}
    return path, body, "name"


def destination(_service: Service) -> Request:
    body = {"name": "D", "provider": "s3", "config": S3, "credentials": ACCESS_KEYS}
    return "/v1/storage-destinations", body, "name"


def link(service: Service) -> Request:
    return LINKS_PATH, {"name": "L", "template_id": published(service)}, "name"


def endpoint(_service: Service) -> Request:
    return (
        "/v1/webhook-endpoints",
        {"url": "https://example.com/", "description": "E"},
        "description",
    )


def upload(_service: Service) -> Request:
    return "/v1/uploads", UPLOAD, "filename"


REQUESTS = [
    template,
    dataset,
    version,
    older_version,
    connection,
    rule,
    destination,
    link,
    endpoint,
    upload,
]
of_each = pytest.mark.parametrize("build", REQUESTS, ids=lambda build: build.__name__)


def rows(service: Service) -> list[str]:
    """Return what exists: the keys of all rows but those of keys and limits."""
    tables = (service.settings.main_table, service.settings.transient_table)
    found = [
        row
        for table in tables
        for row in service.clients.dynamodb.scan(TableName=table, ConsistentRead=True)["Items"]
    ]
    keys = [f"{row['PK']['S']} {row['SK']['S']}" for row in found]
    ignored = ("ANS#", "RATE#", "KEY#")
    return sorted(key for key in keys if not key.startswith(ignored) and "#LIM" not in key)


def send(service: Service, request: Request, **changes: Any) -> ApiAnswer:
    path, body, _ = request
    return service.call("POST", path, json_body=body | changes, headers=KEY)


def kill_at(patch: pytest.MonkeyPatch, point: CrashPoint) -> None:
    def kill(reached: CrashPoint) -> None:
        if reached is point:
            raise Killed

    patch.setattr(idempotency, "crash_if_armed", kill)


@of_each
def test_repeat_makes_nothing_and_answers_the_same(
    service: Service, build: Callable[[Service], Request]
) -> None:
    request = build(service)
    first = send(service, request)
    there = rows(service)

    again = send(service, request)

    assert first.status == again.status == 201, first.body
    assert again.json == first.json
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert rows(service) == there
    other = service.call("POST", request[0], json_body=request[1])
    assert other.status == 201
    assert other.headers["Location"] != first.headers["Location"]


@of_each
def test_another_body_is_refused(service: Service, build: Callable[[Service], Request]) -> None:
    request = build(service)
    send(service, request)
    name = request[2] or "version"

    answer = send(service, request, **{name: 2 if name == "version" else "other"})

    assert (answer.status, answer.code) == (422, "idempotency_key_reused")


@of_each
@pytest.mark.parametrize("point", ["ANSWER_CLAIMED", "ANSWER_MADE"])
def test_repeat_goes_on_where_a_killed_function_has_stopped(
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    build: Callable[[Service], Request],
    point: str,
) -> None:
    request = build(service)
    with monkeypatch.context() as patch:
        kill_at(patch, CrashPoint[point])
        with pytest.raises(Killed):
            send(service, request)
    there = rows(service)
    assert send(service, request).code == "idempotency_in_progress"
    service.clock.advance(seconds=31)

    again = send(service, request)

    assert again.status == 201, again.body
    if point == "ANSWER_MADE":
        assert rows(service) == there
    shown = service.call("GET", again.headers["Location"].removeprefix("https://api.test"))
    assert shown.status == 200
    assert send(service, request).json == again.json


@of_each
def test_two_requests_at_once_make_one_thing(
    service: Service, build: Callable[[Service], Request]
) -> None:
    request = build(service)
    before = rows(service)
    answers = at_once(lambda: send(service, request), threads=2)
    there = rows(service)

    again = send(service, request)

    made = [each for each in answers if each.status == 201]
    late = [each for each in answers if each.status != 201]
    assert made
    assert {each.code for each in late} <= {"idempotency_in_progress"}
    assert [each.json for each in made] == [again.json] * len(made)
    assert rows(service) == there != before
    assert again.headers["Idempotent-Replayed"] == "true"


def test_secret_of_a_replay_is_the_secret(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = link(service)
    with monkeypatch.context() as patch:
        kill_at(patch, CrashPoint.ANSWER_MADE)
        with pytest.raises(Killed):
            send(service, request)
    service.clock.advance(seconds=31)
    resumed, replayed = send(service, request).json, send(service, request).json

    assert resumed["secret"] == replayed["secret"]
    assert sign(replayed).startswith("/l/")
    stored = service.clients.dynamodb.scan(TableName=service.settings.transient_table)
    assert resumed["secret"] not in str(stored)


def test_refused_request_leaves_its_key_free(service: Service) -> None:
    path, body, _ = link(service)
    absent = {**body, "template_id": "tpl_" + "0" * 26}
    assert send(service, (path, absent, "")).code == "template_not_found"

    assert send(service, (path, body, "")).status == 201


def test_failed_request_can_be_repeated_at_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> NoReturn:
        raise RuntimeError

    request = destination(service)
    with monkeypatch.context() as patch:
        patch.setattr(type(service.services.storage.manage), "create", fail)
        assert send(service, request).status == 500

    assert send(service, request).status == 201


def test_key_is_free_again_after_a_day(service: Service) -> None:
    request = connection(service)
    first = send(service, request).json["id"]
    service.clock.advance(hours=24, seconds=1)

    assert send(service, request).json["id"] != first


def test_form_is_compared_by_name_and_bytes(service: Service) -> None:
    def post(content: bytes, name: str = "a.html") -> ApiAnswer:
        form = multipart_request(file_part(content, name))
        form["headers"] |= KEY
        return service.call("POST", "/v1/uploads", **form)

    first = post(b"<p>one")

    assert post(b"<p>one").json == first.json
    assert post(b"<p>two").code == "idempotency_key_reused"
    assert post(b"<p>one", "b.html").code == "idempotency_key_reused"


def test_key_of_another_allowlist_sees_nothing_of_the_answer(service: Service) -> None:
    first = send(service, endpoint(service)).json
    own = template_id_of(service)
    restricted = service.key("live", templates=[own])
    path, body, _ = endpoint(service)

    answer = service.call("POST", path, json_body=body, headers=KEY, key=restricted)

    assert answer.code == "validation_error"
    assert first["secret"] not in json.dumps(answer.json)
