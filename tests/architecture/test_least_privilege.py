"""Least privilege: actions on AWS that a compromised function cannot take.

`test_roles` compares every role with `infra/package/needs.py`; the rules here hold for all needs.
"""

import json
from typing import Any, Final

import pytest

from infra.package.check import role_grants, role_name
from infra.package.needs import NEEDS, Grant
from tests.builders.aws_actions import AwsAction

# The render function runs documents of strangers. Its whole role, written by hand.
RENDER_ROLE: Final[dict[str, str]] = {
    "log-group:/aws/lambda/${AWS::StackName}-*": (
        "logs: CreateLogGroup CreateLogStream PutLogEvents"
    ),
    "MainTable WS#*#RND#*": "dynamodb: GetItem PutItem UpdateItem",
    "MainTable WS#*#LIM": "dynamodb: UpdateItem",
    "MainTable FILE#*": "dynamodb: PutItem",
    "${FilesBucket.Arn}/ws/*": "s3: PutObject DeleteObject",
    "${FilesBucket.Arn}/tmp/*": "s3: GetObject",
    "RendersQueue": "sqs: ReceiveMessage DeleteMessage GetQueueAttributes ChangeMessageVisibility",
    "RendersLowQueue": (
        "sqs: ReceiveMessage DeleteMessage GetQueueAttributes ChangeMessageVisibility"
    ),
    "BatchItemsQueue": (
        "sqs: ReceiveMessage DeleteMessage GetQueueAttributes ChangeMessageVisibility"
    ),
    "${FilesBucket.Arn}/ws/*/batches/*": "s3: GetObject",
    "${FilesBucket.Arn}/ws/*/files/*": "s3: GetObject",
    "RendersDeadLetters": "sqs: SendMessage",
    "EventsQueue": "sqs: SendMessage",
    "EngineFunction": "lambda: InvokeFunction",
    "PdfToolsFunction": "lambda: InvokeFunction",
    "ValidateFunction": "lambda: InvokeFunction",
    "${FilesBucket.Arn}/tmp/ws/*/engine/*": "s3: PutObject DeleteObject",
    "${FilesBucket.Arn}/tmp/validate/*": "s3: PutObject DeleteObject",
}
RENDER_VARIABLES: Final = {
    "PLATEN_ENGINE_FUNCTION",
    "PLATEN_PDF_TOOLS_FUNCTION",
    "PLATEN_VALIDATE_FUNCTION",
    "PLATEN_STACK",
    "PLATEN_TENANCY",
    "PLATEN_MAIN_TABLE",
    "PLATEN_BUCKET",
    "PLATEN_RENDERS_QUEUE_URL",
    "PLATEN_RENDERS_LOW_QUEUE_URL",
    "PLATEN_BATCH_ITEMS_QUEUE_URL",
    "PLATEN_RENDERS_DEAD_LETTERS_URL",
    "PLATEN_EVENTS_QUEUE_URL",
}
# The variables of the functions that handle content of tenants: they name no resource.
VARIABLES_WITHOUT_RIGHTS: Final = {
    "ValidateFunction": {"PLATEN_STACK", "PLATEN_TENANCY"},
    "SchemasFunction": {"PLATEN_STACK", "PLATEN_TENANCY"},
    "PdfToolsFunction": {
        "PLATEN_STACK",
        "PLATEN_TENANCY",
        "PLATEN_BASE_URL",
        "PLATEN_FILES_HOST",
        "PLATEN_GATEWAY_URL",
        "PLATEN_EGRESS_ALLOW",
    },
    "EngineFunction": {
        "PLATEN_STACK",
        "PLATEN_TENANCY",
        "PLATEN_BASE_URL",
        "PLATEN_FILES_HOST",
        "PLATEN_GATEWAY_URL",
        "PLATEN_EGRESS_ALLOW",
        "PLATEN_BROWSER_SANDBOX",
        "MALLOC_MMAP_THRESHOLD_",
        "MALLOC_TRIM_THRESHOLD_",
    },
}
FILE: Final = "${FilesBucket.Arn}/ws/ws_1/files/rnd_1/1-0.pdf"
NEVER_BY_RENDERS: Final = [
    *(
        AwsAction(f"dynamodb:{action}", "MainTable", partition)
        for action in ("GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "Query")
        for partition in ("KEY#k", "WS#ws_1", "WS#ws_1#KEY", "WS#ws_1#USE#2026-11", "DLQ#renders")
    ),
    AwsAction("dynamodb:Query", "MainTable", "WS#ws_1#RND#rnd_1"),
    AwsAction("dynamodb:GetItem", "MainTable", "FILE#file_1"),
    AwsAction("dynamodb:GetItem", "MainTable", "WS#ws_1#LIM"),
    AwsAction("dynamodb:Query", "${MainTable.Arn}/index/lists"),
    AwsAction("dynamodb:GetItem", "TransientTable", "IDEM#1"),
    # It cannot read templates, nor change bodies or uploads.
    AwsAction("s3:GetObject", "${FilesBucket.Arn}/ws/ws_1/templates/tpl_1"),
    AwsAction("s3:PutObject", "${FilesBucket.Arn}/tmp/ws/ws_1/bodies/rnd_1"),
    AwsAction("s3:DeleteObject", "${FilesBucket.Arn}/tmp/uploads/ws_1/upl_1"),
    AwsAction("s3:ListBucket", "FilesBucket"),
    AwsAction("sqs:SendMessage", "RendersQueue"),
    AwsAction("sqs:SendMessage", "MaintenanceQueue"),
    AwsAction("sqs:ReceiveMessage", "EventsQueue"),
    AwsAction("lambda:InvokeFunction", "RenderFunction"),
    AwsAction("secretsmanager:GetSecretValue", "SigningSecret"),
    AwsAction("secretsmanager:GetSecretValue", "MailSecret"),
    AwsAction("kms:Decrypt", "DataKey", "signing_secret"),
    AwsAction("kms:Decrypt", "DataKey", "request_signing_secret"),
]
# No function may take an action outside this list: create, change or delete resources of the
# stack, scan tables, list objects, or use roles, keys and users.
ACTIONS: Final = {
    "dynamodb": "GetItem BatchGetItem PutItem UpdateItem DeleteItem Query",
    "s3": "GetObject PutObject DeleteObject AbortMultipartUpload ListMultipartUploadParts "
    "ListBucketMultipartUploads",
    "sqs": "SendMessage ReceiveMessage DeleteMessage GetQueueAttributes ChangeMessageVisibility",
    "lambda": "InvokeFunction",
    "logs": "CreateLogGroup CreateLogStream PutLogEvents",
    "secretsmanager": "GetSecretValue",
    "kms": "GenerateDataKey Decrypt",
}
KEY: Final = "KEY#k"


@pytest.fixture(scope="module")
def grants(translated: dict[str, Any]) -> dict[str, frozenset[Grant]]:
    return {name: role_grants(translated, role_name(translated, name)) for name in NEEDS}


def functions_granted(grants: dict[str, frozenset[Grant]], asked: AwsAction) -> set[str]:
    return {name for name, each in grants.items() if any(asked.is_covered_by(one) for one in each)}


def test_render_function_role_is_exactly_this(
    grants: dict[str, frozenset[Grant]], translated: dict[str, Any]
) -> None:
    rows = ((resource, row.split(": ")) for resource, row in RENDER_ROLE.items())
    expected = {
        (f"{service}:{action}", resource)
        for resource, (service, actions) in rows
        for action in actions.split()
    }
    function = translated["Resources"]["RenderFunction"]["Properties"]

    assert grants["RenderFunction"] == expected
    # Its environment has no secret; the platform adds credentials for this role.
    assert function["Environment"]["Variables"].keys() == RENDER_VARIABLES


@pytest.mark.parametrize("name", VARIABLES_WITHOUT_RIGHTS)
def test_functions_that_handle_content_may_write_logs_only(
    grants: dict[str, frozenset[Grant]], translated: dict[str, Any], name: str
) -> None:
    function = translated["Resources"][name]["Properties"]

    assert {action.partition(":")[0] for action, _ in grants[name]} == {"logs"}
    assert function["Environment"]["Variables"].keys() == VARIABLES_WITHOUT_RIGHTS[name]
    assert "Policies" not in function


def test_each_action_of_the_render_function_on_rows_has_one_statement(
    translated: dict[str, Any],
) -> None:
    policies = translated["Resources"]["RenderRole"]["Properties"]["Policies"]
    statements = [each for policy in policies for each in policy["PolicyDocument"]["Statement"]]
    actions = [action for each in statements for action in each["Action"]]

    assert len(actions) == len(set(actions))


@pytest.mark.parametrize("asked", NEVER_BY_RENDERS, ids=str)
def test_render_function_is_denied(grants: dict[str, frozenset[Grant]], asked: AwsAction) -> None:
    assert "RenderFunction" not in functions_granted(grants, asked)


def test_denied_actions_are_granted_to_other_functions(grants: dict[str, frozenset[Grant]]) -> None:
    asked = [row for row in NEVER_BY_RENDERS if functions_granted(grants, row)]

    # Some rows are granted to no function; the others show that the rows name real actions.
    assert len(asked) > len(NEVER_BY_RENDERS) / 2


def test_only_listed_functions_access_keys_and_secrets(grants: dict[str, frozenset[Grant]]) -> None:
    assert functions_granted(
        grants, AwsAction("secretsmanager:GetSecretValue", "SigningSecret")
    ) == {"APIHandler", "RelayFunction", "SendEmailFunction"}
    for field, functions in {
        "signing_secret": {"DeliverWebhookFunction"},
        "request_signing_secret": {"APIHandler", "DeliverWebhookFunction"},
        "email_credentials": {"SendEmailFunction"},
        "storage_credentials": {"UploadFilesFunction"},
        "credentials": set[str](),
    }.items():
        assert functions_granted(grants, AwsAction("kms:Decrypt", "DataKey", field)) == functions
    assert functions_granted(grants, AwsAction("secretsmanager:GetSecretValue", "MailSecret")) == {
        "MaintenanceFunction"
    }
    assert functions_granted(grants, AwsAction("lambda:InvokeFunction", "RenderFunction")) == {
        "APIHandler"
    }
    # Only the operator creates rows of keys; this lists the functions that may put items at all.
    assert functions_granted(grants, AwsAction("dynamodb:PutItem", "MainTable", KEY)) == {
        "APIHandler",
        "MaintenanceFunction",
        "DeadLettersFunction",
    }
    # Maintenance deletes workspaces after their 30 days.
    assert functions_granted(grants, AwsAction("dynamodb:DeleteItem", "MainTable", KEY)) == {
        "MaintenanceFunction"
    }
    # Combining copies the files of items; renders hand files to PDF tools.
    assert functions_granted(grants, AwsAction("s3:GetObject", FILE)) == {
        "RenderFunction",
        "SendEmailFunction",
        "UploadFilesFunction",
        "APIHandler",
        "CombineBatchFunction",
    }


@pytest.mark.parametrize("function", NEEDS)
def test_no_role_reaches_beyond_the_stack(
    grants: dict[str, frozenset[Grant]], translated: dict[str, Any], function: str
) -> None:
    for action, resource in grants[function]:
        service, _, verb = action.partition(":")
        assert verb in ACTIONS[service].split(), action
        assert not resource.startswith(("*", "arn:")), resource
        # A star is allowed only after a prefix of the stack.
        assert resource.count("*") == 0 or resource.startswith(
            ("log-group:/aws/lambda/${AWS::StackName}-", "${FilesBucket.Arn}/", "MainTable ")
        )
    role = translated["Resources"][role_name(translated, function)]["Properties"]
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": ["lambda.amazonaws.com"]} or trust["Principal"] == {
        "Service": "lambda.amazonaws.com"
    }
    assert trust["Action"] in ("sts:AssumeRole", ["sts:AssumeRole"])


def test_only_the_gateway_and_the_schedule_call_functions(translated: dict[str, Any]) -> None:
    resources = translated["Resources"].values()
    kinds = [resource["Type"] for resource in resources]
    permissions = [r["Properties"] for r in resources if r["Type"] == "AWS::Lambda::Permission"]
    by_url = [row for row in permissions if row["Principal"] == "*"]
    others = [row for row in permissions if row not in by_url]

    # Signed links and files: anyone may call the API function by its URL, and only so.
    assert {row["FunctionName"]["Ref"] for row in by_url} == {"APIHandler"}
    assert all(
        row.get("FunctionUrlAuthType") == "NONE" or row.get("InvokedViaFunctionUrl") is True
        for row in by_url
    )
    assert kinds.count("AWS::Lambda::Url") == 1
    assert {row["Principal"]: row["FunctionName"]["Ref"] for row in others} == {
        "apigateway.amazonaws.com": "APIHandler",
        "events.amazonaws.com": "TickFunction",
    }
    assert all("SourceArn" in row for row in others)
    assert not {"AWS::SQS::QueuePolicy", "AWS::IAM::Policy"} & {*kinds}


def test_no_function_runs_in_a_vpc(translated: dict[str, Any]) -> None:
    functions = [
        resource["Properties"]
        for resource in translated["Resources"].values()
        if resource["Type"] == "AWS::Lambda::Function"
    ]

    # So a render reaches public IP addresses and AWS only: no database, host or endpoint in the
    # account's networks is reachable, even past the guarded egress.
    assert functions
    assert not any("VpcConfig" in function for function in functions)
    assert "AWS_SECRET" not in json.dumps(functions)
