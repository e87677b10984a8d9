"""Webhooks in the OpenAPI document: one operation for each event type of the contract."""

import copy
from typing import Any

import pytest
from jsonschema import ValidationError

from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES, EVENT_TYPES
from chalicelib.contract.webhooks.endpoint import EVENT_TYPE_NAMES
from chalicelib.features.events.model import EventType
from tests.builders.openapi import api_document, validator, webhook, webhook_body

NAMES = [each.name for each in CONTRACT_EVENT_TYPES]
each_type = pytest.mark.parametrize("row", CONTRACT_EVENT_TYPES, ids=lambda row: row.name)


def test_every_type_that_can_be_chosen_has_an_operation() -> None:
    assert list(EVENT_TYPE_NAMES) == NAMES
    assert list(api_document()["webhooks"]) == NAMES
    summaries = [operation["post"]["summary"] for operation in api_document()["webhooks"].values()]
    assert len(set(summaries)) == len(NAMES)


@each_type
def test_example_is_valid_and_complete(row: EventType) -> None:
    body = webhook_body(row.name)
    example = body["example"]

    validator(body["schema"]).validate(example)

    assert example["type"] == row.name
    assert example["data"]["object"] == row.example
    schemas = api_document()["components"]["schemas"]
    name = schema_of(row)["properties"]["data"]["properties"]["object"]["$ref"].rpartition("/")[2]
    # Only the route of one render reads its emails.
    assert row.example.keys() == schemas[name]["properties"].keys() - {"email"}


@each_type
def test_schema_takes_its_own_type_and_object_only(row: EventType) -> None:
    body = webhook_body(row.name)
    wrong: list[dict[str, Any]] = [
        body["example"] | {"type": "render.canceled"},
        body["example"] | {"data": {"object": {}}},
        body["example"] | {"data": {"object": dict(row.example), "more": 1}},
        body["example"] | {"more": 1},
    ]
    wrong += [
        {key: value for key, value in body["example"].items() if key != name}
        for name in body["example"]
    ]
    for name in row.example:
        altered = copy.deepcopy(body["example"])
        # No member is a list of texts and numbers.
        altered["data"]["object"][name] = ["x", 1]
        wrong.append(altered)

    for each in wrong:
        with pytest.raises(ValidationError):
            validator(body["schema"]).validate(each)


@each_type
def test_headers_of_the_signature_are_parameters(row: EventType) -> None:
    operation = webhook(row.name)
    headers = {entry["name"]: entry for entry in operation["parameters"]}

    assert set(headers) == {"webhook-id", "webhook-timestamp", "webhook-signature", "user-agent"}
    assert all(entry["in"] == "header" and entry["required"] for entry in headers.values())
    for entry in headers.values():
        if "example" in entry:
            validator(entry["schema"]).validate(entry["example"])
    assert operation["security"] == []
    assert set(operation["responses"]) == {"2XX", "default"}


def test_what_no_release_sends_yet_says_so() -> None:
    sent = {each.name for each in EVENT_TYPES}

    for name in NAMES:
        assert ("does not send it yet" in webhook(name)["description"]) is (name not in sent)


def schema_of(row: EventType) -> Any:
    name = webhook_body(row.name)["schema"]["$ref"].rpartition("/")[2]
    return api_document()["components"]["schemas"][name]
