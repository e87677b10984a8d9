"""Email connections: what is refused, and where."""

import pytest

from tests.builders.email_connections import (
    PATH,
    SMTP,
    pointers,
)
from tests.builders.email_connections import (
    change_connection as change,
)
from tests.builders.email_connections import (
    create_connection as create,
)
from tests.builders.email_connections import (
    made_connection as made,
)
from tests.builders.service import Service


def test_test_recipient_is_a_verified_member(service: Service) -> None:
    address = "ada@example.com"
    service.operator.manage_members.add(service.workspace, address, "developer")

    assert pointers(create(service, test_mode="redirect")) == ["/test_recipient"]
    redirect = {"test_mode": "redirect", "test_recipient": address}
    assert pointers(create(service, **redirect)) == ["/test_recipient"]
    service.operator.manage_members.verify(service.workspace, address)
    connection = made(service, **redirect)
    assert pointers(change(service, connection, test_recipient=None)) == ["/test_recipient"]
    assert pointers(change(service, connection, test_recipient="x@y.de")) == ["/test_recipient"]


def test_only_brevo_has_a_sandbox(service: Service) -> None:
    assert pointers(create(service, test_mode="sandbox")) == ["/test_mode"]
    assert made(service, provider="brevo", config=None, test_mode="skip")["test_mode"] == "skip"


@pytest.mark.parametrize(
    "host",
    ["10.0.0.1", "127.0.0.1", "0x7f.1", "[::1]", "::1", "169.254.169.254", "api.test"],
)
def test_hosts_that_are_refused_without_a_lookup(service: Service, host: str) -> None:
    answer = create(service, config=SMTP | {"host": host})

    assert answer.code == "url_not_allowed"
    assert [each["path"] for each in answer.json["errors"]] == ["/config/host"]
    connection = made(service)
    assert change(service, connection, config={"host": host}).status == answer.status
    assert service.call("GET", f"{PATH}/{connection['id']}").json == connection


@pytest.mark.parametrize("port", [25, 465, 80, "587", 587.5, None])
def test_ports_of_submission_only(service: Service, port: object) -> None:
    assert pointers(create(service, config=SMTP | {"port": port})) == ["/config/port"]


@pytest.mark.parametrize(
    "text",
    ["a\r\nBcc: x@y.de", "a\nb", "a\x00b", "a\u2028b", "a\u2029b", "a\x85b", "a\x7fb"],
)
def test_texts_that_end_a_header_are_refused(service: Service, text: str) -> None:
    sender = {"email": "a@example.com", "name": text}

    assert pointers(create(service, default_from=sender)) == ["/default_from/name"]
    assert pointers(create(service, name=text)) == ["/name"]


def test_sender_name_with_an_encoded_word_is_refused(service: Service) -> None:
    sender = {"email": "a@example.com", "name": "=?utf-8?q?x=0D=0ABcc:_eve@example.com?="}

    assert pointers(create(service, default_from=sender)) == ["/default_from/name"]


@pytest.mark.parametrize(
    "address",
    [
        "a@b",
        "a@example.com, b@example.com",
        "Ada <a@example.com>",
        '"a b"@example.com',
        "a@[127.0.0.1]",
        "a@example.com\r\nBcc: b@example.com",
        "a@example.com\u2028",
        "a(x)@example.com",
        "ä b@example.com",
        ".ä@example.com",
        "ä\u00a0@example.com",
        "=?utf-8?q?a?=@example.com",
        "",
    ],
)
def test_what_is_no_single_address_is_refused(service: Service, address: str) -> None:
    sender = {"email": address, "name": None}

    assert pointers(create(service, default_from=sender)) == ["/default_from/email"]
    assert pointers(create(service, reply_to=address)) == ["/reply_to"]


def test_address_may_have_a_domain_in_any_script(service: Service) -> None:
    sender = {"email": "a@müller.example", "name": None}

    assert made(service, default_from=sender)["default_from"] == sender


def test_unknown_members_are_refused_at_their_place(service: Service) -> None:
    assert pointers(create(service, host="x")) == ["/host"]
    assert pointers(create(service, config=SMTP | {"api_key": "x"})) == ["/config/api_key"]
    assert pointers(create(service, config=None)) == [
        "/config/host",
        "/config/port",
        "/config/username",
    ]


def test_what_is_missing_in_settings_and_credentials_is_told_at_once(service: Service) -> None:
    assert pointers(create(service, config={}, credentials={})) == [
        "/config/host",
        "/config/port",
        "/config/username",
        "/credentials/password",
    ]


def test_keys_need_the_scopes_of_email(service: Service) -> None:
    reader = service.key("live", scopes=["email:read"])
    other = service.key("live", scopes=["renders:read"])

    assert service.call("GET", PATH, key=reader).status == 200
    assert service.call("POST", PATH, key=reader, json_body={}).code == "insufficient_scope"
    assert service.call("GET", PATH, key=other).code == "insufficient_scope"
