"""Access to signed links: reading, changing and making them."""

from typing import Any

import pytest

from tests.builders.service import Service
from tests.builders.signed_links import (
    LINKS_PATH,
    fetch,
    make_link,
    post_link,
    published,
    shown,
    sign,
)
from tests.builders.templates import make_template

UNKNOWN = "lnk_" + "0" * 26
FOREIGN = (403, "template_not_allowed_for_key")


def test_template_and_version_must_exist(service: Service) -> None:
    path = make_template(service, publish=True)
    deleted = make_template(service)
    assert service.call("DELETE", deleted).status == 200

    assert post_link(service, template_id="tpl_no").code == "template_not_found"
    assert post_link(service, template_id=deleted.split("/")[-1]).code == "template_deleted"
    absent = post_link(service, template_id=path.split("/")[-1], version=2)
    assert absent.code == "version_not_found"


def test_draft_needs_a_test_key_or_a_workspace_that_allows_it(service: Service) -> None:
    template_id = make_template(service).split("/")[-1]

    live = post_link(service, template_id=template_id, version="draft")
    test = make_link(service, template_id=template_id, version="draft", key=service.test)

    assert (live.status, live.code) == (403, "test_key_required")
    assert fetch(service, sign(test)).status == 200


@pytest.mark.parametrize(
    ("method", "action"), [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/sign")]
)
def test_links_of_others_are_not_found(service: Service, method: str, action: str) -> None:
    link = make_link(service)
    stranger = service.key("live", service.create_workspace())
    allowed = service.key("live", templates=[published(service)])
    targets = [(link["id"], stranger), (link["id"], allowed), (link["id"], service.test)]
    targets += [(UNKNOWN, service.live), ("lnk_1", service.live), ("é", service.live)]

    for link_id, key in targets:
        body: dict[str, Any] | None = {} if method in {"PATCH", "POST"} else None
        target = f"{LINKS_PATH}/{link_id}{action}"
        answer = service.call(method, target, key=key, json_body=body)
        assert (answer.status, answer.code) == (404, "not_found"), (link_id, answer.body)
    for key in (stranger, allowed, service.test):
        assert service.call("GET", LINKS_PATH, key=key).json["data"] == []
    del link["secret"]
    assert shown(service, link) == link


def test_test_keys_see_links_of_test_keys(service: Service) -> None:
    link = make_link(service, key=service.test)
    del link["secret"]

    for key in (service.test, service.live):
        assert service.call("GET", LINKS_PATH, key=key).json["data"] == [link]


def test_key_with_an_allowlist_makes_links_of_its_templates(service: Service) -> None:
    allowed, other = published(service), published(service)
    key = service.key("live", templates=[allowed])

    link = make_link(service, template_id=allowed, key=key)
    refused = post_link(service, template_id=other, key=key)

    assert service.call("GET", f"{LINKS_PATH}/{link['id']}", key=key).status == 200
    assert (refused.status, refused.code) == FOREIGN


def test_reading_needs_one_scope_and_changing_the_other(service: Service) -> None:
    link = make_link(service)
    reader = service.key("live", scopes=["signed_links:read"])
    writer = service.key("live", scopes=["signed_links:write"])
    none = service.key("live", scopes=["render:write"])
    path = f"{LINKS_PATH}/{link['id']}"

    assert service.call("GET", path, key=reader).status == 200
    assert service.call("GET", path, key=writer).status == 200
    assert service.call("GET", path, key=none).code == "insufficient_scope"
    for method, target in (("PATCH", path), ("POST", f"{path}/sign"), ("POST", LINKS_PATH)):
        refused = service.call(method, target, key=reader, json_body={})
        assert refused.code == "insufficient_scope"
    assert service.call("DELETE", path, key=reader).code == "insufficient_scope"
