"""The deployed stack: the packages make documents behind LocalStack's gateway."""

import hashlib
import hmac
from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final

import pytest
from pypdf import PdfReader

from infra.template import load_template
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.deployment import Deployment
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration

URL: Final[dict[str, Any]] = {"delivery": {"type": "url"}}


def test_sync_render_succeeds_through_the_gateway(deployment: Deployment, live: ApiClient) -> None:
    answer = live.render("<h1>Hello {{ name }}</h1>", data={"name": "Ada"}, **URL)

    assert answer.status_code == 200, answer.text
    render = answer.json()
    assert (render["status"], render["test"], render["billed"]) == ("succeeded", False, True)
    assert text(deployment, render) == "Hello Ada"
    assert not marked(deployment, render)


def test_async_render_succeeds_through_the_queue(deployment: Deployment, test: ApiClient) -> None:
    answer = test.render("<h1>Hello {{ name }}</h1>", data={"name": "Bo"}, mode="async", **URL)
    assert answer.status_code == 202, answer.text

    render = test.wait_until_final(answer.json()["id"])

    assert (render["status"], render["test"], render["billed"]) == ("succeeded", True, False)
    assert text(deployment, render) == "Hello Bo"
    assert marked(deployment, render)


def test_relay_publishes_the_events_of_a_render(
    deployment: Deployment, workspace: str, live: ApiClient
) -> None:
    render = live.render(**URL).json()

    eventually(
        lambda: all(
            "published_at" in event for event in domain_events(deployment, workspace, render["id"])
        ),
        pause_s=0.1,
    )


def test_signed_link_is_served_at_the_url_of_the_function(
    deployment: Deployment, live: ApiClient
) -> None:
    template = {"name": "Badge", "html": "<p>{{ who.name }}", "publish": True}
    template_id = live.http.post("/templates", json=template).json()["id"]
    body = {"name": "Badge", "template_id": template_id}
    link = live.http.post("/signed-links", json=body).json()
    # Encoded in ways that no program would choose. LocalStack alone decodes the path.
    target = f"/l/{link['id']}/a.pdf?z=&%77ho.name=Ada+%4c%2f&b=1"
    sig = hmac.new(link["secret"].encode(), target.encode(), hashlib.sha256).hexdigest()

    answers = [deployment.fetch(f"{target}&sig={sig}") for _ in range(2)]
    altered = deployment.fetch(f"{target.replace('%2f', '%2F')}&sig={sig}")

    assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
    assert answers[0].content == answers[1].content
    assert PdfReader(BytesIO(answers[0].content)).pages[0].extract_text() == "Ada L/"
    assert answers[0].headers["Access-Control-Allow-Origin"] == "*"
    assert (altered.status_code, altered.json()["code"]) == (403, "invalid_signature")
    assert live.http.get(f"/signed-links/{link['id']}").json()["quota_used"] == 1


def test_unknown_path_is_answered_by_the_function(live: ApiClient) -> None:
    answer = live.http.get("/nothing/here")

    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"


def test_each_queue_is_mapped_to_its_function(deployment: Deployment) -> None:
    listed = deployment.cloud.client("lambda").list_event_source_mappings()
    mappings = {
        (row["EventSourceArn"].rsplit(":", 1)[1], row["FunctionArn"].rsplit(":", 1)[1])
        for row in listed["EventSourceMappings"]
        if row["State"] == "Enabled"
    }

    declared = {
        (
            deployment.resources[event["Queue"]["Fn::GetAtt"][0]].rsplit("/", 1)[1],
            deployment.resources[function],
        )
        for function, kind, event in events()
        if kind == "SQS"
    }
    assert mappings == declared != set()


def test_each_schedule_has_a_rule_for_its_function(deployment: Deployment) -> None:
    client = deployment.cloud.client("events")
    rules = {
        (rule["ScheduleExpression"], target["Arn"].rsplit(":", 1)[1])
        for rule in client.list_rules()["Rules"]
        for target in client.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        if rule["State"] == "ENABLED"
    }

    declared = {
        (event["Schedule"], deployment.resources[function])
        for function, kind, event in events()
        if kind == "Schedule"
    }
    assert rules == declared != set()


def events() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield function, type and properties of every event source in the template."""
    for name, resource in load_template()["Resources"].items():
        for event in resource.get("Properties", {}).get("Events", {}).values():
            yield name, event["Type"], event["Properties"]


def domain_events(deployment: Deployment, workspace: str, render_id: str) -> list[dict[str, Any]]:
    """Return the events of a render; there is at least one."""
    answer = deployment.cloud.client("dynamodb").query(
        TableName=deployment.resources["MainTable"],
        KeyConditionExpression="PK = :pk AND begins_with(SK, :event)",
        ExpressionAttributeValues={
            ":pk": {"S": f"WS#{workspace}#RND#{render_id}"},
            ":event": {"S": "EVENT#"},
        },
    )
    items: list[dict[str, Any]] = answer["Items"]
    assert items
    return items


def page(deployment: Deployment, render: dict[str, Any]) -> Any:
    """Return the only page of a render's file."""
    (file,) = render["files"]
    content = deployment.fetch_file(file["url"])
    assert hashlib.sha256(content).hexdigest() == file["sha256"]
    (only,) = PdfReader(BytesIO(content)).pages
    return only


def text(deployment: Deployment, render: dict[str, Any]) -> str:
    return str(page(deployment, render).extract_text()).strip()


def marked(deployment: Deployment, render: dict[str, Any]) -> bool:
    return b"/Artifact" in page(deployment, render).get_contents().get_data()
