"""Email rules that go with the job of a render."""

from typing import Any, Final

import pytest

from chalicelib.engine.delivery.emails import EmailRule, EmailRules
from chalicelib.engine.ignored_options import skipped_email_warnings
from tests.builders.batches import make_batch
from tests.builders.email_connections import made_connection, pointers, use_plan
from tests.builders.email_rules import RULES_PATH, change_rule, made_rule, template_id_of
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

KEEP_NOTHING: Final = {"type": "binary", "retention": "none"}


@pytest.fixture(autouse=True)
def _plan_for_many_requests(service: Service) -> None:
    use_plan(service, "scale")


def render(service: Service, template_id: str, **fields: Any) -> ApiAnswer:
    source = {"type": "template", "template_id": template_id}
    return service.render(input=source, **fields)


def emails(service: Service) -> EmailRules | None:
    """Return the rules of the job that the engine got last."""
    return service.engine.jobs[-1].emails


def rules(service: Service) -> tuple[EmailRule, ...]:
    found = emails(service)
    assert found is not None
    return found.rules


def test_enabled_rules_of_the_template_join_in_their_order(service: Service) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    first, off, last = (made_rule(service, template_id, connection_id) for _ in range(3))
    change_rule(service, off, enabled=False)
    change_rule(service, last, position=0)

    assert render(service, template_id).status == 200

    assert [each.id for each in rules(service)] == [last["id"], first["id"]]


def test_rule_joins_with_all_its_fields(service: Service) -> None:
    brevo = made_connection(service, provider="brevo", config={}, credentials={"api_key": "k"})
    texts: dict[str, Any] = {
        "condition": "n",
        "from_name": "a",
        "reply_to": "b",
        "to": "c",
        "cc": "d",
        "bcc": "e",
    }
    texts |= {"subject": "f", "html": "g", "text": "h", "from_email": "a@example.com"}
    rule = made_rule(
        service,
        connection_id=brevo["id"],
        attachments="link",
        attach_formats=["pdf", "zip"],
        provider_template={"id": 3, "params": "{}"},
        **texts,
    )

    render(service, rule["template_id"])

    assert rules(service) == (
        EmailRule(
            id=rule["id"],
            connection_id=brevo["id"],
            attachments="link",
            attach_formats=("pdf", "zip"),
            provider_template_id=3,
            provider_template_params="{}",
            **texts,
        ),
    )


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_rules_know_their_render(service: Service, mode: str) -> None:
    rule = made_rule(service)
    more = {"reference": "R-1", "metadata": {"a": 1}}

    made = render(service, rule["template_id"], mode=mode, **more).json
    service.process_queues()

    found = emails(service)
    assert found is not None
    assert found.context == {
        "id": made["id"],
        "reference": "R-1",
        "metadata": {"a": 1},
        "test": False,
        "template_id": rule["template_id"],
        "template_version": 1,
    }


def test_items_of_a_batch_have_the_rules_and_a_context_each(service: Service) -> None:
    rule = made_rule(service)
    items = [{"data": {}, "reference": "a"}, {"data": {}, "reference": "b"}]

    make_batch(service, template_id=rule["template_id"], items=items)
    service.run_batches()

    found = [job.emails for job in service.engine.jobs]
    assert [[rule.id for rule in each.rules] for each in found if each] == [[rule["id"]]] * 2
    contexts = [each.context for each in found if each]
    assert {each["reference"] for each in contexts} == {"a", "b"}
    assert len({each["id"] for each in contexts}) == 2


def test_request_chooses_rules_and_their_recipients(service: Service) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    first, second, _ = (made_rule(service, template_id, connection_id) for _ in range(3))
    targets = [
        {"rule_id": second["id"]},
        {"rule_id": first["id"], "to": ["Ada <ada@example.com>", "b@x.de"], "cc": [], "bcc": None},
    ]

    assert render(service, template_id, delivery={"email": targets}).status == 200

    chosen = [(each.id, each.to_instead, each.cc_instead) for each in rules(service)]
    assert chosen == [
        (first["id"], ("Ada <ada@example.com>", "b@x.de"), ()),
        (second["id"], None, None),
    ]
    assert {each.bcc_instead for each in rules(service)} == {None}


def test_rule_without_recipients_takes_those_of_the_request(service: Service) -> None:
    rule = made_rule(service, to="")
    target = {"rule_id": rule["id"], "to": ["ada@example.com"]}

    answer = render(service, rule["template_id"], delivery={"email": [target]})

    assert (answer.status, rule["to"]) == (200, "")
    assert [(each.to, each.to_instead) for each in rules(service)] == [("", ("ada@example.com",))]


def test_request_without_email_has_no_rules(service: Service) -> None:
    rule = made_rule(service)

    assert render(service, rule["template_id"], delivery={"email": False}).status == 200

    assert emails(service) is None


def test_options_of_the_template_choose_for_requests_that_do_not(service: Service) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    first, second = (made_rule(service, template_id, connection_id) for _ in range(2))
    draft = {"html": "<p>", "options": {"email": [{"rule_id": second["id"]}, {"rule_id": "x"}]}}
    path = f"/v1/templates/{template_id}"
    assert service.call("PUT", f"{path}/draft", json_body=draft).status == 200
    assert service.call("POST", f"{path}/publish", json_body={}).status == 201

    render(service, template_id)
    by_options = [each.id for each in rules(service)]
    render(service, template_id, delivery={"email": [{"rule_id": first["id"]}]})

    assert by_options == [second["id"]]
    assert [each.id for each in rules(service)] == [first["id"]]


def test_rules_that_do_not_fit_the_template_are_refused(service: Service) -> None:
    rule, foreign, off = (made_rule(service) for _ in range(3))
    template_id = rule["template_id"]
    disabled = made_rule(service, template_id, off["connection_id"], enabled=False)

    def places(*ids: str) -> list[str]:
        targets = [{"rule_id": each} for each in ids]
        return pointers(render(service, template_id, delivery={"email": targets}))

    assert places(rule["id"], foreign["id"]) == ["/delivery/email/1/rule_id"]
    assert places(disabled["id"]) == ["/delivery/email/0/rule_id"]
    assert places("emr_x") == ["/delivery/email/0/rule_id"]
    assert places(rule["id"], rule["id"]) == ["/delivery/email/1/rule_id"]
    assert service.engine.jobs == []


def test_plan_without_email_skips_rules_with_a_warning(service: Service) -> None:
    rule = made_rule(service)
    use_plan(service, "starter")
    source = {"type": "template", "template_id": rule["template_id"]}

    preflight = service.call("POST", "/v1/renders/preflight", json_body={"input": source})
    answer = render(service, rule["template_id"])
    explicit = {"email": [{"rule_id": rule["id"]}]}
    refused = render(service, rule["template_id"], delivery=explicit)
    none = render(service, rule["template_id"], delivery={"email": False})

    assert answer.status == none.status == 200
    warnings = [
        warning.code for job in service.engine.jobs for warning in skipped_email_warnings(job)
    ]
    assert warnings == ["email_skipped_plan"]
    assert [each["code"] for each in preflight.json["warnings"]] == ["email_skipped_plan"]
    assert (refused.status, refused.code) == (402, "plan_feature_unavailable")
    assert [each["path"] for each in refused.json["errors"]] == ["/delivery/email"]


def test_zero_retention_skips_rules_with_a_warning(service: Service) -> None:
    rule = made_rule(service)
    explicit = KEEP_NOTHING | {"email": [{"rule_id": rule["id"]}]}

    answer = render(service, rule["template_id"], delivery=KEEP_NOTHING)
    refused = render(service, rule["template_id"], delivery=explicit)

    assert answer.status == 200
    assert rules(service) == ()
    [warning] = skipped_email_warnings(service.engine.jobs[-1])
    assert warning.code == "email_skipped_zero_retention"
    assert (refused.status, refused.code) == (422, "email_needs_hosted_file")
    assert [each["path"] for each in refused.json["errors"]] == ["/delivery/email"]


@pytest.mark.parametrize(
    "source",
    [{"type": "html", "html": "<p>"}, {"type": "url", "url": "https://example.com"}],
    ids=["html", "url"],
)
def test_rules_go_with_templates_only(service: Service, source: dict[str, Any]) -> None:
    refused = service.render(input=source, delivery={"email": [{"rule_id": "x"}]})
    accepted = service.render(input=source, delivery={"email": False})

    assert pointers(refused) == ["/delivery/email"]
    assert accepted.status == 200


@pytest.mark.parametrize(
    ("email", "place"),
    [
        (True, "/delivery/email"),
        ([], "/delivery/email"),
        ([{"rule_id": "x"}] * 6, "/delivery/email"),
        ([{}], "/delivery/email/0/rule_id"),
        ([{"rule_id": ""}], "/delivery/email/0/rule_id"),
        ([{"rule_id": "x", "to": []}], "/delivery/email/0/to"),
        ([{"rule_id": "x", "to": ["a@example.com"] * 51}], "/delivery/email/0/to"),
        ([{"rule_id": "x", "cc": ["a@example.com"] * 51}], "/delivery/email/0/cc"),
        ([{"rule_id": "x", "bcc": [""]}], "/delivery/email/0/bcc/0"),
        ([{"rule_id": "x", "to": ["a@example.com, b@example.com"]}], "/delivery/email/0/to/0"),
        ([{"rule_id": "x", "to": ["=?utf-8?q?a?= <a@x.de>"]}], "/delivery/email/0/to/0"),
        ([{"rule_id": "x", "to": ["Ada"]}], "/delivery/email/0/to/0"),
        ([{"rule_id": "x", "to": ["Ada <ada>"]}], "/delivery/email/0/to/0"),
        ([{"rule_id": "x", "to": ['"a b"@example.com']}], "/delivery/email/0/to/0"),
        ([{"rule_id": "x", "to": ["A <a@x.de>\r\nBcc: b@x.de"]}], "/delivery/email/0/to/0"),
        ([{"rule_id": "x", "to": ["x" * 500 + " <a@example.com>"]}], "/delivery/email/0/to/0"),
        ([{"rule_id": "x", "to": ["a" * 250 + "@x.de"]}], "/delivery/email/0/to/0"),
    ],
)
def test_targets_out_of_bounds_are_refused(service: Service, email: Any, place: str) -> None:
    assert pointers(render(service, "tpl_x", delivery={"email": email})) == [place]


@pytest.mark.parametrize(
    "to", ["a@example.com", "Ada <a@bücher.example>", "Jürgen, M. <a@example.com>", " a@x.de "]
)
def test_recipient_is_an_address_with_or_without_a_name(service: Service, to: str) -> None:
    rule = made_rule(service)
    targets = [{"rule_id": rule["id"], "to": [to]}]

    assert render(service, rule["template_id"], delivery={"email": targets}).status == 200
    assert rules(service)[0].to_instead == (to,)


def test_included_templates_of_rules_go_with_the_job(service: Service) -> None:
    included = template_id_of(service, html="Kind regards")
    rule = made_rule(service, html=f'{{% include "{included}" %}}')

    render(service, rule["template_id"])

    assert dict(service.engine.jobs[-1].includes.sources) == {included: "Kind regards"}


def test_rules_cost_a_render_one_read(service: Service) -> None:
    rule = made_rule(service)
    reads: list[str] = []

    def count(model: Any, **_: object) -> None:
        reads.append(model.name)

    render(service, rule["template_id"])
    events = service.clients.dynamodb.meta.events
    events.register("before-parameter-build", count)
    assert render(service, rule["template_id"]).status == 200
    with_rule = sorted(reads)
    reads.clear()
    service.call("DELETE", f"{RULES_PATH}/{rule['id']}")
    reads.clear()
    assert render(service, rule["template_id"]).status == 200
    events.unregister("before-parameter-build", count)

    assert sorted([*reads, "BatchGetItem"]) == with_rule
