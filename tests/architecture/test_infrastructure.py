"""Infrastructure files, packaged as for AWS: assertions that no emulator can check."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.core.problems import PROBLEMS
from chalicelib.features.renders.model import MAX_ATTEMPTS
from infra.local.functions import declared_functions
from infra.local.gateway.events import METHODS
from infra.local.resources import CREATORS, create_resources
from infra.package.needs import NEEDS
from infra.package.translate import translate
from infra.template import IntrinsicResolver, load_template


@pytest.fixture(scope="module")
def resources(template: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = template["Resources"]
    return found


def test_every_path_takes_every_method_to_the_function(resources: dict[str, Any]) -> None:
    paths = resources["RestAPI"]["Properties"]["DefinitionBody"]["paths"]

    assert "/{proxy+}" in paths
    for path, methods in paths.items():
        assert {method.lower() for method in METHODS} <= methods.keys(), path


def test_chalice_and_merged_function_are_one_resource(resources: dict[str, Any]) -> None:
    api = resources["APIHandler"]["Properties"]

    assert api["CodeUri"] == "./api.zip"
    assert api["Runtime"] == "python3.13"
    assert api["Role"] == {"Fn::GetAtt": ["DefaultRole", "Arn"]}
    assert resources["RestAPI"]["Properties"]["EndpointConfiguration"] == {"Type": "REGIONAL"}


def gateway_responses(resources: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    definition = resources["RestAPI"]["Properties"]["DefinitionBody"]
    template = load_template()
    host = {"ApiHost": "https://api.test", "FilesHost": "https://files.test"}
    resolver = IntrinsicResolver(template, parameters=host, attributes={})
    for kind, response in definition["x-amazon-apigateway-gateway-responses"].items():
        body = json.loads(resolver.resolve(response["responseTemplates"]["application/json"]))
        yield kind, response, body


def test_gateway_responses_are_problems_of_the_catalogue(resources: dict[str, Any]) -> None:
    for kind, response, body in gateway_responses(resources):
        problem = PROBLEMS[body["code"]]
        assert body["status"] == response["statusCode"] == problem.status, kind
        assert body["title"] == problem.title, kind
        assert body["type"] == body["doc_url"] == f"https://api.test/errors/{body['code']}"
        assert body["detail"]
        assert body["request_id"] == "$context.requestId"
        headers = response["responseParameters"]
        assert headers["gatewayresponse.header.Content-Type"] == "'application/problem+json'"
        assert headers["gatewayresponse.header.X-Request-Id"] == "context.requestId"
        asks_again = "gatewayresponse.header.Retry-After" in headers
        assert asks_again == (problem.status in {429, 503}), kind


def test_the_api_is_served_by_one_stage(translated: dict[str, Any]) -> None:
    made = translated["Resources"].values()
    stages = [r["Properties"] for r in made if r["Type"] == "AWS::ApiGateway::Stage"]
    deployments = [r["Properties"] for r in made if r["Type"] == "AWS::ApiGateway::Deployment"]

    assert [stage["StageName"] for stage in stages] == ["live"]
    assert len(deployments) == 1
    assert "StageName" not in deployments[0]


def test_gateway_answers_requests_that_never_reach_the_function(resources: dict[str, Any]) -> None:
    statuses = {kind: body["status"] for kind, _, body in gateway_responses(resources)}

    assert statuses["REQUEST_TOO_LARGE"] == 413
    assert statuses["THROTTLED"] == 429
    assert statuses["INTEGRATION_TIMEOUT"] == 503
    assert statuses["MISSING_AUTHENTICATION_TOKEN"] == 404
    assert statuses.keys() >= {"DEFAULT_4XX", "DEFAULT_5XX", "INTEGRATION_FAILURE"}


def test_every_queue_that_feeds_a_function_has_dead_letters_and_time(
    resources: dict[str, Any],
) -> None:
    for function in (r for r in resources.values() if r["Type"] == "AWS::Serverless::Function"):
        for event in function["Properties"].get("Events", {}).values():
            if event["Type"] != "SQS":
                continue
            name = event["Properties"]["Queue"]["Fn::GetAtt"][0]
            queue = resources[name]["Properties"]
            # A dead-letter queue has no dead-letter queue.
            assert name.endswith("DeadLetters") or queue["RedrivePolicy"]["maxReceiveCount"] >= 3
            assert queue["VisibilityTimeout"] > function["Properties"]["Timeout"]
            assert event["Properties"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_render_is_ended_before_its_message_is_a_dead_letter(resources: dict[str, Any]) -> None:
    names = ("Renders", "RendersLow", "Events", "Maintenance")
    queues = [resources[f"{name}Queue"]["Properties"] for name in names]

    # Every attempt may be killed; one more delivery fails the render as lost.
    assert MAX_RECEIVE_COUNT > MAX_ATTEMPTS
    assert {q["RedrivePolicy"]["maxReceiveCount"] for q in queues} == {MAX_RECEIVE_COUNT}


def test_stored_body_outlives_its_message(resources: dict[str, Any]) -> None:
    retention_s = resources["RendersQueue"]["Properties"]["MessageRetentionPeriod"]
    rules = resources["FilesBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    days = [rule["ExpirationInDays"] for rule in rules if rule.get("Prefix") == "tmp/"]

    assert days == [6]
    assert days[0] * 86_400 > retention_s + 86_400


def test_storage_is_private_encrypted_and_retained(resources: dict[str, Any]) -> None:
    bucket = resources["FilesBucket"]
    main = resources["MainTable"]

    assert set(bucket["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
    assert bucket["Properties"]["BucketEncryption"]
    assert bucket["DeletionPolicy"] == main["DeletionPolicy"] == "RetainExceptOnCreate"
    recovery = main["Properties"]["PointInTimeRecoverySpecification"]
    assert recovery == {"PointInTimeRecoveryEnabled": True}


def test_no_role_has_wildcard_actions(translated: dict[str, Any]) -> None:
    for name, resource in translated["Resources"].items():
        if resource["Type"] != "AWS::IAM::Role":
            continue
        for policy in resource["Properties"].get("Policies", []):
            for statement in policy["PolicyDocument"]["Statement"]:
                actions = statement["Action"]
                assert not [action for action in actions if action.endswith("*")], name
                assert statement["Resource"] != "*", name
        assert "ManagedPolicyArns" not in resource["Properties"], name


def test_the_local_stack_knows_every_type_and_function_of_the_template() -> None:
    template = load_template()
    made = {
        name: {"Ref": name, "Arn": f"arn:{name}", "QueueName": name}
        for name in template["Resources"]
    }
    host = {"ApiHost": "x", "FilesHost": "x", "AWS::StackName": "s", "AWS::Region": "r"}
    resolver = IntrinsicResolver(template, parameters=host, attributes=made)

    declared = {
        function.logical_id: function for function in declared_functions(template, resolver, "s")
    }

    assert declared.keys() == NEEDS.keys()
    assert declared["APIHandler"].environment["PLATEN_BASE_URL"] == "x/v1"
    for resource in template["Resources"].values():
        kind = resource.get("Type", "AWS::Serverless::Function")
        skipped = "Skip" in resource.get("Metadata", {}).get("PlatenLocal", {})
        assert kind == "AWS::Serverless::Function" or kind in CREATORS or skipped, kind


@pytest.mark.parametrize(("tenancy", "mode"), [("isolated", "PER_TENANT"), ("shared", None)])
def test_tenancy_isolates_the_functions_that_handle_content(
    translated: dict[str, Any], tenancy: str, mode: str | None
) -> None:
    resolver = IntrinsicResolver(translated, parameters={"Tenancy": tenancy}, attributes={})
    isolating = ("EngineFunction", "PdfToolsFunction", "SchemasFunction", "ValidateFunction")
    isolated, told = {}, {}
    for name in NEEDS:
        properties = translated["Resources"][name]["Properties"]
        if config := resolver.resolve(properties.get("TenancyConfig")):
            isolated[name] = config["TenantIsolationMode"]
        if variable := properties["Environment"]["Variables"].get("PLATEN_TENANCY"):
            told[name] = resolver.resolve(variable)

    assert isolated == (dict.fromkeys(isolating, mode) if mode else {})
    callers = ("APIHandler", "RenderFunction", "CombineBatchFunction")
    assert told == dict.fromkeys((*callers, *isolating), tenancy)


def test_a_queue_cannot_feed_a_function_that_isolates_tenants(template: dict[str, Any]) -> None:
    # Lambda refuses it; the translator does so before anything is deployed, even for `shared`.
    broken = json.loads(json.dumps(template))
    functions = broken["Resources"]
    tenancy = functions["ValidateFunction"]["Properties"]["TenancyConfig"]
    functions["RelayFunction"]["Properties"]["TenancyConfig"] = tenancy

    with pytest.raises(Exception, match=r"SQS.*not supported.*tenancy"):
        translate(broken)


def test_resources_of_an_unknown_type_are_refused() -> None:
    template = {"Resources": {"T": {"Type": "AWS::SNS::Topic", "Properties": {}}}}

    with pytest.raises(KeyError):
        create_resources(template, lambda _service: None, "s")
