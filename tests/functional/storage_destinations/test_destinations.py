"""Storage destinations: create, read, change and delete."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib.adapters.aws.sealing import SealBrokenError, SealContext
from tests.builders.service import Service
from tests.builders.storage_destinations import (
    ACCESS_KEYS,
    PATH,
    PRIVATE_KEY,
    PROVIDERS,
    S3,
    change_destination,
    create_destination,
    made_destination,
    shown_destination,
    stored_rows,
)


def stored(service: Service, destination: dict[str, Any]) -> Any:
    (row,) = (each for each in stored_rows(service) if each["SK"] == destination["id"])
    return row


def test_destination_has_all_its_fields(service: Service) -> None:
    answer = create_destination(service)
    shown = answer.json

    assert answer.headers["Location"] == f"https://api.test{PATH}/{shown['id']}"
    assert shown == {
        "id": shown["id"],
        "object": "storage_destination",
        "name": "Archive",
        "provider": "s3",
        "path_template": "{{ filename }}",
        "keep_hosted_copy": True,
        "is_default": False,
        "config": S3 | {"endpoint": None, "force_path_style": False},
        "credentials": {"configured": True},
        "status": "active",
        "last_error": None,
        "last_test_at": None,
        "last_test_status": None,
        "created_at": shown["created_at"],
        "updated_at": shown["created_at"],
    }
    assert shown["id"].startswith("dst_")
    assert shown_destination(service, shown) == shown


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_kind_has_its_settings_and_credentials(service: Service, provider: str) -> None:
    config, all_config, several = PROVIDERS[provider]

    for credentials in several:
        destination = made_destination(service, provider, credentials=credentials)

        assert (destination["provider"], destination["config"]) == (provider, all_config)
        assert destination["credentials"] == {"configured": True}
    assert made_destination(service, provider, config=all_config)["config"] == all_config
    assert (
        made_destination(service, provider, credentials=None)["credentials"]["configured"] is False
    )
    for name in config:
        left = {each: value for each, value in config.items() if each != name}
        answer = create_destination(service, provider, config=left | {"other": 1})
        assert (answer.code, answer.pointers) == (
            "validation_error",
            [f"/config/{name}", "/config/other"],
        )


@pytest.mark.parametrize(
    ("provider", "credentials"),
    [(provider, each) for provider, row in PROVIDERS.items() for each in row[2]],
)
def test_credentials_are_sealed_to_their_destination(
    service: Service, provider: str, credentials: dict[str, str]
) -> None:
    first = made_destination(service, provider, credentials=credentials)
    second = made_destination(service, provider, credentials=credentials)
    sealed = stored(service, first)["sealed_credentials"]

    def opened(destination_id: str) -> bytes:
        place = SealContext(service.workspace, destination_id, "storage_credentials")
        return service.services._sealer.open(sealed, place)

    assert {
        name: text for name, text in json.loads(opened(first["id"])).items() if text is not None
    } == credentials
    with pytest.raises(SealBrokenError):
        opened(second["id"])
    answers = [service.call("GET", path) for path in (PATH, f"{PATH}/{first['id']}")]
    answers.append(change_destination(service, first, name="Other", credentials=credentials))
    for secret in credentials.values():
        text = json.dumps(secret)[1:-1]
        assert text not in str(stored_rows(service))
        assert not any(text in answer.body.decode() for answer in answers)


def test_change_without_credentials_keeps_them(service: Service) -> None:
    destination = made_destination(service)
    before = stored(service, destination)["sealed_credentials"]

    answer = change_destination(service, destination, name="Other", credentials=None)

    assert (answer.status, answer.json["name"]) == (200, "Other")
    assert stored(service, destination)["sealed_credentials"] == before
    change_destination(service, destination, credentials=ACCESS_KEYS)
    assert stored(service, destination)["sealed_credentials"] != before


def test_change_is_partial(service: Service) -> None:
    destination = made_destination(service, path_template="a/{{ filename }}", is_default=True)
    service.clock.advance(seconds=5)

    answer = change_destination(
        service,
        destination,
        config={"bucket": "other-files"},
        provider="s3",
        keep_hosted_copy=False,
    )

    expected = destination | {
        "config": destination["config"] | {"bucket": "other-files"},
        "keep_hosted_copy": False,
        "updated_at": answer.json["updated_at"],
    }
    assert answer.json == shown_destination(service, destination) == expected
    assert answer.json["updated_at"] > destination["updated_at"]
    renamed = change_destination(service, destination, path_template="b")
    assert renamed.json["path_template"] == "b"
    assert change_destination(service, destination, config=None).status == 200


def test_null_in_the_settings_restores_a_default(service: Service) -> None:
    endpoint = {"endpoint": "https://s3.example.com/base"}
    destination = made_destination(service, config=S3 | endpoint | {"force_path_style": True})

    answer = change_destination(
        service, destination, config={"endpoint": None}, credentials=ACCESS_KEYS
    )
    changed = answer.json

    assert destination["config"] == S3 | endpoint | {"force_path_style": True}
    assert changed["config"] == S3 | {"endpoint": None, "force_path_style": True}


def test_provider_cannot_change(service: Service) -> None:
    answer = change_destination(service, made_destination(service), provider="gcs")

    assert (answer.code, answer.pointers) == ("validation_error", ["/provider"])


def test_key_of_the_host_is_kept_without_its_comment(service: Service) -> None:
    config = PROVIDERS["sftp"][0]
    commented = config | {"host_key": f"{config['host_key']} root@example"}

    destination = made_destination(service, "sftp", config=commented)

    assert destination["config"]["host_key"] == config["host_key"]


def test_texts_of_credentials_are_stored_in_one_form(service: Service) -> None:
    pasted = {"private_key": "\n" + PRIVATE_KEY.replace("\n", "\r\n")}
    key = stored(service, made_destination(service, "sftp", credentials=pasted))
    token = {"sas_token": "?sv=1&sig=x"}
    sas = stored(service, made_destination(service, "azure_blob", credentials=token))

    def opened(row: Any) -> Any:
        place = SealContext(service.workspace, row["id"], "storage_credentials")
        return json.loads(service.services._sealer.open(row["sealed_credentials"], place))

    assert opened(key)["private_key"] == PRIVATE_KEY
    assert opened(sas)["sas_token"] == "sv=1&sig=x"


def test_list_has_the_newest_first(service: Service) -> None:
    ids = []
    for number in range(3):
        ids.append(made_destination(service, name=f"D{number}", is_default=number == 1)["id"])
        service.clock.advance(seconds=1)

    page = service.call("GET", PATH).json

    assert [each["id"] for each in page["data"]] == ids[::-1]
    assert [each["is_default"] for each in page["data"]] == [False, True, False]
    assert (page["object"], page["has_more"], page["next_cursor"]) == ("list", False, None)


def test_workspace_has_fifty_destinations_also_when_many_are_made_at_once(
    service: Service,
) -> None:
    for _ in range(48):
        made_destination(service, "gcs", credentials=None)
        # The rate of requests.
        service.clock.advance(seconds=1)

    with ThreadPoolExecutor(5) as threads:
        answers = list(
            threads.map(lambda _: create_destination(service, is_default=True), range(5))
        )

    assert sorted(each.status for each in answers) == [201, 201, 409, 409, 409]
    page = service.call("GET", f"{PATH}?limit=50").json["data"]
    assert len(page) == 50
    assert sum(each["is_default"] for each in page) == 1
    assert service.call("DELETE", f"{PATH}/{page[0]['id']}").status == 204
    assert create_destination(service).status == 201
    assert create_destination(service).code == "conflict"


def test_deleted_destination_is_gone(service: Service) -> None:
    destination = made_destination(service, is_default=True)
    path = f"{PATH}/{destination['id']}"

    assert service.call("DELETE", path).status == 204

    assert [row["SK"] for row in stored_rows(service)] == ["META"]
    for method, url, body in (
        ("GET", path, None),
        ("DELETE", path, None),
        ("PATCH", path, {"name": "x"}),
        ("POST", f"{path}/test", None),
    ):
        assert service.call(method, url, json_body=body).code == "not_found"
