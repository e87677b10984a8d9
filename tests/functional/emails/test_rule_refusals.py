"""Fields of email rules that are refused, with their places."""

from typing import Any, Final

import pytest

from tests.builders.email_connections import made_connection, pointers
from tests.builders.email_rules import (
    change_rule,
    create_rule,
    made_rule,
    rules_path,
)
from tests.builders.service import Service

SHORT_TEXTS: Final = ("condition", "from_name", "reply_to", "to", "cc", "bcc", "subject", "text")
BREVO: Final[dict[str, Any]] = {"provider": "brevo", "config": {}, "credentials": {"api_key": "k"}}


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 101}, "/name"),
        ({"name": "a\nb"}, "/name"),
        ({"position": -1}, "/position"),
        ({"position": 5}, "/position"),
        ({"attachments": "all"}, "/attachments"),
        ({"attach_formats": ["docx"]}, "/attach_formats/0"),
        ({"attach_formats": ["pdf"] * 8}, "/attach_formats"),
        ({"from_email": "{{ sender }}"}, "/from_email"),
        ({"from_email": "a@" + "b" * 250 + ".de"}, "/from_email"),
        *(({name: "1" * 16_385}, f"/{name}") for name in SHORT_TEXTS),
        ({"html": "x" * 262_145}, "/html"),
        ({"provider_template": {"id": 0}}, "/provider_template/id"),
        ({"provider_template": {"id": 1, "params": "x" * 65_537}}, "/provider_template/params"),
        ({"subject": ""}, "/subject"),
        ({"unknown": 1}, "/unknown"),
    ],
)
def test_field_out_of_bounds_is_refused(
    service: Service, fields: dict[str, Any], place: str
) -> None:
    rule = made_rule(service)

    refused = create_rule(service, rule["template_id"], rule["connection_id"], **fields)

    assert pointers(refused) == [place]
    assert pointers(change_rule(service, rule, **fields)) == [place]


@pytest.mark.parametrize("name", ["name", "connection_id", "subject"])
def test_required_field_is_missed(service: Service, name: str) -> None:
    rule = made_rule(service)
    path = rules_path(rule["template_id"])
    body = {each: rule[each] for each in ("name", "connection_id", "subject")}
    del body[name]

    assert pointers(service.call("POST", path, json_body=body)) == [f"/{name}"]


def test_template_of_a_rule_stands_in_the_path_only(service: Service) -> None:
    rule = made_rule(service)
    names = ("name", "template_id", "connection_id", "subject")
    body = {name: rule[name] for name in names}

    refused = service.call("POST", rules_path(rule["template_id"]), json_body=body)

    assert pointers(refused) == ["/template_id"]


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "x" * 100},
        {"position": 4},
        {"attach_formats": ["pdf", "png", "jpeg", "webp", "html", "xml", "zip"]},
        {"from_email": "a@bücher.example"},
        *({name: "x" * 16_384} for name in SHORT_TEXTS),
        {"html": "x" * 262_144},
    ],
)
def test_field_at_its_bound_is_accepted(service: Service, fields: dict[str, Any]) -> None:
    rule = made_rule(service, **fields)

    expected = fields | ({"position": 0} if "position" in fields else {})
    assert {name: rule[name] for name in fields} == expected


@pytest.mark.parametrize(
    ("field", "text", "line", "column", "excerpt"),
    [
        ("subject", "Invoice {{ n", 1, 13, "Invoice {{ n"),
        ("html", "<p>\n  {% if %}x{% endif %}", 2, 9, "  {% if %}x{% endif %}"),
        ("to", "{{ a | nothing }}", 1, 8, "{{ a | nothing }}"),
        ("bcc", "{% for %}", 1, 8, "{% for %}"),
        ("condition", "total >", 1, 9, "total >"),
        ("condition", "a\n or or b", 2, 8, " or or b"),
        ("condition", "true %}x{% if true", 1, 8, "true % }x{% if true"),
        ("condition", "a b", 1, 3, "a b"),
    ],
)
def test_text_that_is_no_template_is_refused_with_its_place(
    service: Service, field: str, text: str, line: int, column: int, excerpt: str
) -> None:
    rule = made_rule(service)

    refused = change_rule(service, rule, **{field: text})

    place = {name: refused.json[name] for name in ("field", "line", "column", "excerpt")}
    assert (refused.status, refused.code) == (422, "email_template_error")
    assert place == {"field": field, "line": line, "column": column, "excerpt": excerpt}
    assert [(each["path"], each["code"]) for each in refused.json["errors"]] == [
        (f"/{field}", "email_template_error")
    ]


def test_all_faulty_texts_are_named(service: Service) -> None:
    rule = made_rule(service, connection_id=made_connection(service, **BREVO)["id"])
    texts = {"cc": "{{", "text": "{% x %}", "provider_template": {"id": 1, "params": "{{ }}"}}

    refused = change_rule(service, rule, **texts)

    places = [each["path"] for each in refused.json["errors"]]
    assert places == ["/cc", "/text", "/provider_template/params"]


@pytest.mark.parametrize(
    "condition", ["total > 100 and '%}' != name", "a if b else c", 'x in ["%}", "}}"]', " "]
)
def test_expression_of_the_language_is_a_condition(service: Service, condition: str) -> None:
    assert made_rule(service, condition=condition)["condition"] == condition


def test_hostile_template_is_saved_without_running(service: Service) -> None:
    endless = "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}"

    assert made_rule(service, html=endless)["html"] == endless
