"""Email connections: create, read, change and delete."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.sealing import SealBrokenError, SealContext
from tests.builders.email_connections import (
    PATH,
    SENDER,
    SMTP,
    pointers,
    use_plan,
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

MIB: Final = 1 << 20
MICROSOFT: Final = {"tenant_id": "example.com", "client_id": "c-1", "sender": "box@example.com"}
# Provider, required settings, all settings with their defaults, credentials.
PROVIDERS: Final[list[tuple[str, dict[str, Any], dict[str, Any], dict[str, str]]]] = [
    ("smtp", SMTP, SMTP | {"attachment_budget_bytes": 6 * MIB}, {"password": "p"}),
    ("brevo", {}, {"attachment_budget_bytes": 10 * MIB}, {"api_key": "k"}),
    (
        "postmark",
        {"message_stream": None},
        {"message_stream": "outbound", "attachment_budget_bytes": 6 * MIB},
        {"server_token": "t"},
    ),
    ("resend", {}, {"attachment_budget_bytes": 10 * MIB}, {"api_key": "k"}),
    (
        "ses",
        {"region": "eu-central-1"},
        {
            "region": "eu-central-1",
            "configuration_set": None,
            "attachment_budget_bytes": 10 * MIB,
        },
        {"access_key_id": "A", "secret_access_key": "s"},
    ),
    (
        "microsoft365",
        MICROSOFT,
        MICROSOFT | {"attachment_budget_bytes": 2 * MIB},
        {"client_secret": "s"},
    ),
]


def stored(service: Service, connection: dict[str, Any]) -> Any:
    pk = f"WS#{service.workspace}#EMC"
    return service.main_table.get(pk, connection["id"])


def test_connection_has_all_its_fields(service: Service) -> None:
    answer = create(service, credentials={"password": "s3cret-pass"})
    shown = answer.json

    assert answer.headers["Location"] == f"https://api.test{PATH}/{shown['id']}"
    assert shown == {
        "id": shown["id"],
        "object": "email_connection",
        "name": "Billing",
        "provider": "smtp",
        "status": "active",
        "credentials": {"configured": True},
        "credentials_delete_at": None,
        "default_from": SENDER,
        "reply_to": None,
        "test_mode": "skip",
        "test_recipient": None,
        "config": SMTP | {"attachment_budget_bytes": 6 * MIB, "max_per_second": 10},
        "events": {},
        "senders": [],
        "egress_ips": ["203.0.113.7", "203.0.113.8"],
        "last_test_at": None,
        "last_test_status": None,
        "last_error": None,
        "created_at": shown["created_at"],
        "updated_at": shown["created_at"],
    }
    assert service.call("GET", f"{PATH}/{shown['id']}").json == shown


@pytest.mark.parametrize(("provider", "config", "all_config", "credentials"), PROVIDERS)
def test_each_provider_has_its_settings_and_credentials(
    service: Service,
    provider: str,
    config: dict[str, Any],
    all_config: dict[str, Any],
    credentials: dict[str, str],
) -> None:
    connection = made(service, provider=provider, config=config, credentials=credentials)

    assert connection["config"] == all_config | {"max_per_second": 10}
    assert connection["test_mode"] == ("sandbox" if provider == "brevo" else "skip")
    for name in credentials:
        left = {each: text for each, text in credentials.items() if each != name}
        wrong = left | {"other": "x"}
        answer = create(service, provider=provider, config=config, credentials=wrong)
        assert pointers(answer) == [f"/credentials/{name}", "/credentials/other"]


@pytest.mark.parametrize(("provider", "config", "all_config"), [each[:3] for each in PROVIDERS])
def test_each_provider_has_its_attachment_budget(
    service: Service,
    provider: str,
    config: dict[str, Any],
    all_config: dict[str, Any],
) -> None:
    most = {"brevo": 13, "postmark": 6, "microsoft365": 2}.get(provider, 25) * MIB
    at_most = config | {"attachment_budget_bytes": most, "max_per_second": 100}
    above = config | {"attachment_budget_bytes": most + 1, "max_per_second": 101}

    at_most.pop("message_stream", None)
    assert made(service, provider=provider, config=at_most)["config"] == all_config | at_most
    assert sorted(pointers(create(service, provider=provider, config=above))) == [
        "/config/attachment_budget_bytes",
        "/config/max_per_second",
    ]


def test_credentials_are_sealed_to_their_connection(service: Service) -> None:
    first = made(service, credentials={"password": "s3cret-pass"})
    second = made(service, credentials={"password": "another"})
    sealed = stored(service, first)["sealed_credentials"]
    sealer = service.services._sealer

    def opened(connection_id: str) -> bytes:
        place = SealContext(service.workspace, connection_id, "email_credentials")
        return sealer.open(sealed, place)

    assert "s3cret" not in str(stored(service, first))
    assert json.loads(opened(first["id"])) == {"password": "s3cret-pass"}
    with pytest.raises(SealBrokenError):
        opened(second["id"])
    for answer in (service.call("GET", PATH), service.call("GET", f"{PATH}/{first['id']}")):
        assert b"s3cret" not in answer.body


def test_change_without_credentials_keeps_them(service: Service) -> None:
    connection = made(service, credentials={"password": "p"})
    before = stored(service, connection)["sealed_credentials"]

    answer = change(service, connection, name="Other", credentials=None)

    assert (answer.status, answer.json["name"]) == (200, "Other")
    assert stored(service, connection)["sealed_credentials"] == before
    change(service, connection, credentials={"password": "q"})
    assert stored(service, connection)["sealed_credentials"] != before


def test_change_is_partial(service: Service) -> None:
    connection = made(service, reply_to="help@example.com")

    answer = change(service, connection, config={"port": 2525}, provider="smtp")

    expected = connection | {"config": connection["config"] | {"port": 2525}}
    assert answer.json == expected | {"updated_at": answer.json["updated_at"]}
    assert change(service, connection, reply_to=None).json["reply_to"] is None


def test_provider_cannot_change(service: Service) -> None:
    answer = change(service, made(service), provider="brevo")

    assert pointers(answer) == ["/provider"]


def test_list_is_one_page_with_the_addresses_of_egress(service: Service) -> None:
    ids = []
    for number in range(3):
        ids.append(made(service, name=f"C{number}")["id"])
        service.clock.advance(seconds=1)

    page = service.call("GET", PATH).json

    assert [each["id"] for each in page["data"]] == ids[::-1]
    assert (page["has_more"], page["next_cursor"]) == (False, None)
    assert page["egress_ips"] == ["203.0.113.7", "203.0.113.8"]


def test_workspace_has_fifty_connections_also_when_many_are_made_at_once(service: Service) -> None:
    for _ in range(48):
        made(service)
        # The rate of requests.
        service.clock.advance(seconds=1)

    with ThreadPoolExecutor(5) as threads:
        answers = list(threads.map(lambda _: create(service), range(5)))

    assert sorted(each.status for each in answers) == [201, 201, 409, 409, 409]
    assert len(service.call("GET", PATH).json["data"]) == 50
    one = service.call("GET", PATH).json["data"][0]
    assert service.call("DELETE", f"{PATH}/{one['id']}").status == 204
    assert create(service).status == 201


def test_deleted_connection_is_gone(service: Service) -> None:
    connection = made(service, credentials={"password": "p"})
    path = f"{PATH}/{connection['id']}"

    assert service.call("DELETE", path).status == 204

    assert stored(service, connection) is None
    for method, body in (("GET", None), ("DELETE", None), ("PATCH", {"name": "x"})):
        assert service.call(method, path, json_body=body).status == 404


def test_connections_of_other_workspaces_are_not_found(service: Service) -> None:
    connection = made(service)
    other = service.key("live", workspace=service.create_workspace())

    assert service.call("GET", f"{PATH}/{connection['id']}", key=other).status == 404
    assert service.call("GET", PATH, key=other).json["data"] == []


def test_plan_without_email_reads_and_deletes_only(service: Service) -> None:
    connection = made(service)
    path = f"{PATH}/{connection['id']}"
    use_plan(service, "starter")

    assert create(service).code == "feature_not_enabled"
    assert change(service, connection, name="x").code == "feature_not_enabled"
    assert service.call("GET", path).status == 200
    assert service.call("DELETE", path).status == 204


def test_connections_leave_with_their_workspace(service: Service) -> None:
    connection = made(service, credentials={"password": "p"})

    service.operator.change_status.delete(service.workspace)
    service.clock.advance(days=31)
    for _ in range(3):
        service.process_due()

    assert stored(service, connection) is None
