"""Order of a template's email rules, their number, and the connections that they use."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.adapters.aws.table import Write
from tests.builders.email_connections import made_connection, use_plan
from tests.builders.email_rules import (
    RULES_PATH,
    change_rule,
    create_rule,
    listed,
    made_rule,
    template_id_of,
)
from tests.builders.service import Service


@pytest.fixture(autouse=True)
def _plan_for_many_requests(service: Service) -> None:
    use_plan(service, "scale")


def order(service: Service, template_id: str) -> list[str]:
    rules = listed(service, template_id)
    assert [each["position"] for each in rules] == [*range(len(rules))]
    return [each["name"] for each in rules]


@pytest.mark.parametrize(("position", "expected"), [(0, "ba"), (1, "ab"), (4, "ab"), (None, "ab")])
def test_new_rule_takes_its_place(service: Service, position: int | None, expected: str) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    made_rule(service, template_id, connection_id, name="a")

    made = made_rule(service, template_id, connection_id, name="b", position=position)

    assert order(service, template_id) == [*expected]
    assert made["position"] == expected.index("b")


@pytest.mark.parametrize(("position", "expected"), [(0, "cab"), (1, "acb"), (2, "abc"), (4, "abc")])
def test_moved_rule_moves_the_others(service: Service, position: int, expected: str) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    *_, last = [made_rule(service, template_id, connection_id, name=name) for name in "abc"]

    moved = change_rule(service, last, position=position).json

    assert order(service, template_id) == [*expected]
    assert moved["position"] == expected.index("c")


def test_deleted_rule_leaves_no_gap(service: Service) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    first, *_ = [made_rule(service, template_id, connection_id, name=name) for name in "abc"]

    assert service.call("DELETE", f"{RULES_PATH}/{first['id']}").status == 204

    assert order(service, template_id) == ["b", "c"]
    assert service.call("GET", f"{RULES_PATH}/{first['id']}").code == "not_found"
    assert service.call("DELETE", f"{RULES_PATH}/{first['id']}").code == "not_found"


def test_ten_rules_created_at_once_are_five(service: Service) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]

    with ThreadPoolExecutor(10) as pool:
        tasks = [
            pool.submit(create_rule, service, template_id, connection_id, name=str(n))
            for n in range(10)
        ]
    answers = [task.result() for task in tasks]

    assert sorted(answer.status for answer in answers) == [201] * 5 + [409] * 5
    assert {answer.code for answer in answers if answer.status == 409} == {"conflict"}
    assert len(order(service, template_id)) == 5


def test_connection_in_use_cannot_be_deleted(service: Service) -> None:
    connection, other = made_connection(service), made_connection(service)
    first = made_rule(service, connection_id=connection["id"])
    second = made_rule(service, connection_id=connection["id"])
    path = f"/v1/email-connections/{connection['id']}"

    refused = service.call("DELETE", path)
    assert change_rule(service, first, connection_id=other["id"]).status == 200
    still_refused = service.call("DELETE", path)
    assert service.call("DELETE", f"{RULES_PATH}/{second['id']}").status == 204

    assert (refused.status, refused.code) == (409, "email_connection_in_use")
    assert still_refused.code == "email_connection_in_use"
    assert service.call("DELETE", path).status == 204
    assert service.call("DELETE", f"/v1/email-connections/{other['id']}").status == 409


def test_change_of_a_connection_keeps_the_count_of_its_rules(service: Service) -> None:
    connection = made_connection(service)
    made_rule(service, connection_id=connection["id"])
    path = f"/v1/email-connections/{connection['id']}"

    assert service.call("PATCH", path, json_body={"name": "x"}).status == 200

    assert service.call("DELETE", path).code == "email_connection_in_use"


def test_change_of_a_connection_that_misses_a_new_rule_is_not_stored(service: Service) -> None:
    connections = service.services.emails.connections
    read = connections.one(service.workspace, made_connection(service)["id"])

    made_rule(service, connection_id=read.id)

    assert connections.replace(read) is None


def test_connection_is_deleted_or_used_but_not_both(service: Service) -> None:
    for _ in range(5):
        template_id, connection_id = template_id_of(service), made_connection(service)["id"]
        path = f"/v1/email-connections/{connection_id}"

        with ThreadPoolExecutor(2) as pool:
            creation = pool.submit(create_rule, service, template_id, connection_id)
            deletion = pool.submit(service.call, "DELETE", path)
        answers = (creation.result().status, deletion.result().status)

        assert answers in {(201, 409), (400, 204)}


def test_template_of_an_earlier_release_gets_rules(service: Service) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    key = {"PK": f"WS#{service.workspace}#TPL#{template_id}", "SK": "META"}
    before = Write(service.main_table, key=key, update="REMOVE email_rules")
    service.main_table.write(before)
    shown = service.call("GET", f"/v1/templates/{template_id}")

    made_rule(service, template_id, connection_id, name="a")

    assert shown.status == 200
    assert order(service, template_id) == ["a"]


def test_connection_of_an_earlier_release_gets_rules_and_is_deleted(service: Service) -> None:
    template_id = template_id_of(service)
    used, unused = made_connection(service)["id"], made_connection(service)["id"]
    for connection_id in (used, unused):
        key = {"PK": f"WS#{service.workspace}#EMC", "SK": connection_id}
        removal = "REMOVE rule_count, senders"
        write = Write(service.main_table, key=key, update=removal)
        service.main_table.write(write)

    made_rule(service, template_id, used)

    deleted = [
        service.call("DELETE", f"/v1/email-connections/{each}").status for each in (used, unused)
    ]
    assert deleted == [409, 204]
