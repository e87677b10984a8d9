"""The usage: the cycle, the days, the templates, the limits in use."""

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.builders.waiting import eventually
from tests.integration.console.looks import look_at
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

LOADED = "document.querySelector('.days svg') !== null && document.querySelector('.gauge') !== null"

SPARK = "document.querySelector('.spark polyline') !== null"


def test_usage_shows_what_was_rendered(person: Person, tenants: Tenants) -> None:
    with tenants.create("A workspace that renders", "starter") as tenant:
        key = str(tenant.client.http.headers["Authorization"]).removeprefix("Bearer ")
        made = tenant.client.http.post(
            "/templates", json={"name": "A <b>note</b>", "html": "<p>{{ n }}", "publish": True}
        ).json()
        source = {"type": "template", "template_id": made["id"]}
        for number in range(3):
            body = {"input": source, "data": {"n": number}}
            assert tenant.client.http.post("/renders", json=body).is_success
        counted = eventually(
            lambda: (
                usage
                if (usage := tenant.client.http.get("/usage").json())["by_template"]
                and usage["by_template"][0]["live"] == 3
                else None
            ),
            pause_s=0.5,
        )

        person.enter("/usage", key=key)

        person.reads("of 2,000 included renders used", within=".cycle")
        person.reads("3 used", within=".cycle")
        person.reads("0 of 3 sync places", within=".limits")
        person.reads("0 of 5 batch items at once", within=".limits")
        person.reads("A <b>note</b>", within=".by-template")
        person.reads("3 live", within=".days-line")
        person.press("Show as a table")
        rows = "document.querySelectorAll('.days-table tbody tr').length"
        assert person.browser.value(rows) == len(counted["days"])
        person.press("90 days")
        person.browser.wait_for(f"{rows} === 90")
        assert person.browser.value("location.search") == "?range=90"


def test_limits_in_use_follow_what_runs(person: Person, tenants: Tenants) -> None:
    """A batch of items that wait for the network's end fills the places of the plan."""
    with tenants.create("A busy workspace", "starter") as tenant:
        key = str(tenant.client.http.headers["Authorization"]).removeprefix("Bearer ")
        never = {"wait": {"expression": "Date.now() > 4e12", "timeout_ms": 60_000}}
        made = tenant.client.http.post(
            "/templates", json={"name": "Slow", "html": "<p>x", "publish": True}
        ).json()
        batch = {"template_id": made["id"], "items": [{"data": {}}] * 9, "output": never}
        sent = tenant.client.http.post("/batches", json=batch)
        assert sent.is_success, sent.text

        person.enter("/usage", key=key)

        person.reads("5 of 5 batch items at once", within=".limits")
        person.reads("Full: further items wait", within=".limits")
        tenant.client.http.post(f"/batches/{sent.json()['id']}/cancel").raise_for_status()


def test_key_without_the_scope_is_told(person: Person, tenants: Tenants) -> None:
    workspace = tenants.create("Renderers", "scale").workspace
    key = tenants.operator.manage_keys.create(workspace, mode="test", scopes=["render:write"])

    person.enter("/usage", key=key.text)

    person.reads("This key cannot open this view (scope account:read).")


def test_looks(person: Person, stack: RunningStack) -> None:
    with ApiClient(stack, stack.test_key) as client:
        body = {"name": "Receipt", "html": "<p>{{ n }}", "publish": True}
        made = client.http.post("/templates", json=body).json()["id"]
        for number in range(5):
            source = {"type": "template", "template_id": made}
            client.http.post("/renders", json={"input": source, "data": {"n": number}})
        client.render("{{ x.y }}", data={}, output={"strict_undefined": True})
        eventually(lambda: client.http.get("/usage").json()["by_template"], pause_s=0.5)
    look_at(person, "usage", "/usage?range=30", f"{LOADED} && ({SPARK})")
