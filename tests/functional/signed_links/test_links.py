"""Signed links: create, read, change, delete, and what is refused."""

import datetime as dt
import json
from typing import Any

import pytest

from chalicelib.core.clock import format_rfc3339
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.signed_links import (
    LINKS_PATH,
    fetch,
    make_link,
    post_link,
    published,
    shown,
    sign,
    signed_url,
)

UNKNOWN = "lnk_" + "0" * 26
FOREIGN = (403, "template_not_allowed_for_key")


def change(service: Service, link: dict[str, Any], **fields: Any) -> ApiAnswer:
    return service.call("PATCH", f"{LINKS_PATH}/{link['id']}", json_body=fields)


def test_secret_is_shown_once_and_stored_nowhere(service: Service) -> None:
    template_id = published(service)
    fields = {"template_id": template_id, "output": {"pdf": {"page_size": "A5"}}}

    answer = post_link(service, **fields)

    link = answer.json
    path = f"{LINKS_PATH}/{link['id']}"
    assert answer.headers["Location"] == f"https://api.test{path}"
    secret = link.pop("secret")
    assert link == {
        "id": link["id"],
        "object": "signed_link",
        "name": "Badge",
        "template_id": template_id,
        "version": "live",
        "output": {"pdf": {"page_size": "A5"}},
        "allowed_referrers": [],
        "expires_at": None,
        "quota_total": None,
        "quota_used": 0,
        "enabled": True,
        "created_at": link["created_at"],
        "updated_at": link["created_at"],
    }
    assert service.call("GET", path).json == link
    assert service.call("GET", LINKS_PATH).json["data"] == [link]
    rows = service.clients.dynamodb.scan(TableName=service.settings.main_table)["Items"]
    assert secret not in json.dumps(rows, default=str)


def test_fields_are_changed_one_by_one(service: Service) -> None:
    link = make_link(service)
    del link["secret"]
    later = service.clock.now() + dt.timedelta(days=1)
    for given, stored in (
        ({"name": "B"}, {"name": "B"}),
        ({"version": 1}, {"version": 1}),
        ({"version": "live"}, {"version": "live"}),
        ({"output": {"locale": "de-AT"}}, {"output": {"locale": "de-AT"}}),
        ({"output": None}, {"output": {}}),
        (
            {"allowed_referrers": ["HTTPS://A.example:443", "https://a.example"]},
            {"allowed_referrers": ["https://a.example"]},
        ),
        ({"allowed_referrers": None}, {"allowed_referrers": []}),
        ({"expires_at": later.isoformat()}, {"expires_at": format_rfc3339(later)}),
        ({"expires_at": None}, {"expires_at": None}),
        ({"quota_total": 7}, {"quota_total": 7}),
        ({"quota_total": None}, {"quota_total": None}),
        ({"enabled": False}, {"enabled": False}),
    ):
        service.clock.advance(seconds=1)

        answer = change(service, link, **given)

        link |= stored | {"updated_at": format_rfc3339(service.clock.now())}
        assert answer.json == link, given
        assert shown(service, link) == link


def test_null_lists_and_options_mean_none(service: Service) -> None:
    link = make_link(service, output=None, allowed_referrers=None, expires_at=None)

    assert (link["output"], link["allowed_referrers"], link["expires_at"]) == ({}, [], None)


def test_links_are_listed_newest_first_in_pages(service: Service) -> None:
    template_id = published(service)
    made = []
    for _ in range(5):
        made.append(make_link(service, template_id=template_id)["id"])
        service.clock.advance(seconds=1)
    pages: list[list[str]] = []
    target = f"{LINKS_PATH}?limit=2"
    while target:
        page = service.call("GET", target).json
        pages.append([link["id"] for link in page["data"]])
        target = page["has_more"] and f"{LINKS_PATH}?limit=2&cursor={page['next_cursor']}"

    assert sum(pages, []) == made[::-1]  # noqa: RUF017 -- five links
    assert [len(page) for page in pages][:2] == [2, 2]


def test_deleted_link_is_gone_for_everybody(service: Service) -> None:
    link = make_link(service)
    path = f"{LINKS_PATH}/{link['id']}"
    assert fetch(service, sign(link)).status == 200

    assert service.call("DELETE", path).status == 204

    assert fetch(service, sign(link)).code == "not_found"
    for method, target in (("GET", path), ("DELETE", path), ("PATCH", path)):
        answer = service.call(method, target, json_body={} if method == "PATCH" else None)
        assert (answer.status, answer.code) == (404, "not_found")
    assert signed_url(service, link).code == "not_found"
    assert service.call("GET", LINKS_PATH).json["data"] == []


def test_deleted_link_is_erased_with_its_urls(service: Service) -> None:
    link = make_link(service)
    for n in range(3):
        assert fetch(service, sign(link, query=f"n={n}")).status == 200
    assert service.call("DELETE", f"{LINKS_PATH}/{link['id']}").status == 204

    service.process_due()

    rows = service.clients.dynamodb.scan(TableName=service.settings.main_table)["Items"]
    assert [row for row in rows if row["PK"]["S"].startswith("LNK#")] == []
    assert len(service.call("GET", "/v1/renders").json["data"]) == 3


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 256}, "/name"),
        ({"name": None}, "/name"),
        ({"version": 0}, "/version"),
        ({"version": "latest"}, "/version"),
        ({"output": {"format": "png"}}, "/output/format"),
        ({"output": {"formats": ["png"]}}, "/output/formats"),
        ({"output": {"colour": 1}}, "/output/colour"),
        ({"output": {"pdf": {"watermark": {"image": {"upload_id": "upl_1"}}}}}, None),
        ({"output": {"filename": "x" * 256}}, "/output/filename"),
        ({"output": {"pdf": {"header": {"html": "x" * 100_001}}}}, "/output"),
        ({"allowed_referrers": ["https://a.example/"]}, "/allowed_referrers/0"),
        ({"allowed_referrers": ["https://a.example", "ftp://a"]}, "/allowed_referrers/1"),
        ({"allowed_referrers": ["a.example"]}, "/allowed_referrers/0"),
        ({"allowed_referrers": ["https://*.example"]}, "/allowed_referrers/0"),
        ({"allowed_referrers": ["https://a@b.example"]}, "/allowed_referrers/0"),
        ({"allowed_referrers": ["https://a.example:0"]}, "/allowed_referrers/0"),
        ({"allowed_referrers": ["https://a.example:65536"]}, "/allowed_referrers/0"),
        ({"allowed_referrers": ["https://ä.example"]}, "/allowed_referrers/0"),
        ({"allowed_referrers": ["null"]}, "/allowed_referrers/0"),
        ({"allowed_referrers": ["https://a.example"] * 101}, "/allowed_referrers"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "/expires_at"),
        ({"expires_at": "tomorrow"}, "/expires_at"),
        ({"quota_total": 0}, "/quota_total"),
        ({"quota_total": 1_000_000_001}, "/quota_total"),
        ({"quota_total": 1.5}, "/quota_total"),
        ({"enabled": "yes"}, "/enabled"),
        ({"secret": "mine"}, "/secret"),
        ({"quota_used": 0}, "/quota_used"),
    ],
)
def test_bad_fields_are_refused_on_both_ways(
    service: Service, fields: dict[str, Any], pointer: str | None
) -> None:
    link = make_link(service)

    for answer in (post_link(service, **fields), change(service, link, **fields)):
        assert (answer.status, answer.code) == (400, "validation_error"), answer.body
        assert pointer is None or pointer in answer.pointers
    del link["secret"]
    assert shown(service, link) == link


@pytest.mark.parametrize("template_id", ["", "x" * 65, None, 7])
def test_template_id_is_a_short_text(service: Service, template_id: Any) -> None:
    body = {"name": "A", "template_id": template_id}

    assert service.call("POST", LINKS_PATH, json_body=body).pointers == ["/template_id"]


def test_template_stays_the_same(service: Service) -> None:
    link = make_link(service)

    assert change(service, link, template_id=published(service)).pointers == ["/template_id"]


def test_message_of_no_link_is_given_up_and_that_of_a_used_one_changes_nothing(
    service: Service,
) -> None:
    link = make_link(service)
    assert fetch(service, sign(link)).status == 200
    for pk in ("LNK#", "LNK#lnk_1", "WS#ws_1", f"LNK#{UNKNOWN}", f"LNK#{link['id']}"):
        message = {"v": 1, "kind": "signed_link", "pk": pk, "sk": "META"}
        service.send("Maintenance", json.dumps(message))

    failed = service.run_maintenance()
    for _ in range(4):
        service.run_maintenance()
    service.record_dead_letters("Maintenance")

    assert failed == []
    reasons = sorted(letter.reason for letter in service.dead_letters("Maintenance"))
    assert reasons == [
        "there is no LNK# in the key LNK# of a due item signed_link",
        "there is no LNK# in the key WS#ws_1 of a due item signed_link",
        "there is no link lnk_1",
    ]
    assert fetch(service, sign(link)).status == 200
    assert len(service.engine.jobs) == 1
