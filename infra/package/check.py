"""Checks of the deployment package: variables, layers, permissions and start of each handler."""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from chalicelib.settings.table import setting
from infra.package.archives import FUNCTION_TYPE, archive_name
from infra.package.needs import NEEDS, FunctionNeeds, Grant
from infra.package.sam import REGION

# The defaults of these are right on Lambda: the folders of layers, and what only tests or one
# machine set. Every
# other default is meant for the local stack and would fail the first request.
_OPTIONAL_SETTINGS: Final = frozenset(
    {
        *("chromium_dir", "fonts_dir", "validators_dir", "pages_dir", "guides_dir", "console_dir"),
        *("crash_points", "smtp_url"),
    }
)
_QUEUE_SOURCE_ACTIONS: Final = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
_LOGS_ARN: Final = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:"
# botocore imports some modules only when a client is created, so every client is created.
_IMPORT_SCRIPT: Final = """
import importlib, sys
folder, module, attribute = sys.argv[1:]
sys.path.insert(0, folder)
getattr(importlib.import_module(module), attribute)
"""
# For a function with rights on AWS.
_CLIENTS_SCRIPT: Final = """
from chalicelib.adapters.aws.session import AwsClients
clients = AwsClients()
for name in vars(AwsClients):
    if not name.startswith("_") and name != "lambda_client":
        getattr(clients, name)
clients.lambda_client(1)
"""
_ENVIRONMENT: Final = {
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCESS_KEY_ID": "unused",
    "AWS_SECRET_ACCESS_KEY": "unused",
}


def missing_needs(template: Mapping[str, Any]) -> list[str]:
    """Return a line for each variable, layer or permission that a translated template lacks."""
    functions = {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Lambda::Function"
    }
    return [
        line for name in functions for line in _missing_of_function(template, name, functions[name])
    ]


def _missing_of_function(
    template: Mapping[str, Any], name: str, properties: Mapping[str, Any]
) -> Iterator[str]:
    needs = NEEDS.get(name)
    if needs is None:
        yield f"{name}: infra/package/needs.py does not say what it needs"
        return
    yield from _missing_variables(name, properties, needs)
    yield from _missing_layers(template, name, properties, needs)
    needed = needs.grants | _queue_source_grants(template, name)
    for action, resource in sorted(needed - role_grants(template, role_name(template, name))):
        yield f"{name}: its role may not {action} on {_resource_text(resource)}"


def _missing_variables(
    name: str, properties: Mapping[str, Any], needs: FunctionNeeds
) -> Iterator[str]:
    variables = properties.get("Environment", {}).get("Variables", {})
    for name_of_setting in needs.settings:
        variable = setting(name_of_setting).variable
        if name_of_setting not in _OPTIONAL_SETTINGS and not variables.get(variable):
            yield f"{name}: {variable} is not in its environment"


def _missing_layers(
    template: Mapping[str, Any], name: str, properties: Mapping[str, Any], needs: FunctionNeeds
) -> Iterator[str]:
    # The SAM translator appends a digest to the logical id of a layer.
    references = [layer["Ref"] for layer in properties.get("Layers", [])]
    present = {layer for layer in references if layer in template["Resources"]}
    for needed in sorted(needs.layers):
        if not any(layer.startswith(needed) for layer in present):
            yield f"{name}: it has no {needed}"


def _queue_source_grants(template: Mapping[str, Any], name: str) -> frozenset[Grant]:
    """Return the grants that the queues of a function require from its role."""
    mappings = [
        resource["Properties"]
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::Lambda::EventSourceMapping"
    ]
    queues = [
        mapping["EventSourceArn"]["Fn::GetAtt"][0]
        for mapping in mappings
        if mapping["FunctionName"] == {"Ref": name}
    ]
    return frozenset((action, queue) for queue in queues for action in _QUEUE_SOURCE_ACTIONS)


def _resource_text(resource: str) -> str:
    return resource.replace("${", "").replace(".Arn}", "")


def role_name(template: Mapping[str, Any], function: str) -> str:
    """Return the logical id of a function's role."""
    role: str = template["Resources"][function]["Properties"]["Role"]["Fn::GetAtt"][0]
    return role


def role_grants(template: Mapping[str, Any], role: str) -> frozenset[Grant]:
    """Return all grants of a role."""
    policies = template["Resources"][role]["Properties"]["Policies"]
    return frozenset(
        grant
        for policy in policies
        for statement in policy["PolicyDocument"]["Statement"]
        for grant in _statement_grants(statement)
    )


def _statement_grants(statement: Mapping[str, Any]) -> set[Grant]:
    assert statement["Effect"] == "Allow"
    assert statement.keys() <= {"Sid", "Effect", "Action", "Resource", "Condition"}
    resources = statement["Resource"]
    named = [
        _resource_name(each) for each in (resources if isinstance(resources, list) else [resources])
    ]
    if "Condition" in statement:
        named = [f"{name} {limit}" for name in named for limit in _limits(statement["Condition"])]
    return {(action, name) for action in statement["Action"] for name in named}


def _limits(condition: Mapping[str, Any]) -> list[str]:
    """Return the partition keys, or the fields of the encryption context, of a condition."""
    ((operator, compared),) = condition.items()
    ((key, value),) = compared.items()
    if operator == "StringEquals":
        assert key == "kms:EncryptionContext:field"
        return [value] if isinstance(value, str) else list(value)
    assert (operator, key) == ("ForAllValues:StringLike", "dynamodb:LeadingKeys")
    return list(value)


def _resource_name(resource: Mapping[str, Any]) -> str:
    ((kind, value),) = resource.items()
    if kind == "Fn::GetAtt":
        assert value[1] == "Arn"
        return str(value[0])
    return str(value).removeprefix(_LOGS_ARN)


def start_failures(template: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield a line for each handler that cannot be imported from its archive."""
    handlers: dict[str, list[tuple[str, str]]] = {}
    for name, resource in template["Resources"].items():
        if resource["Type"] == FUNCTION_TYPE:
            handler = resource["Properties"]["Handler"]
            handlers.setdefault(str(archive_name(resource)), []).append((name, handler))
    for archive, functions in handlers.items():
        with tempfile.TemporaryDirectory() as scratch:
            with zipfile.ZipFile(folder / archive) as opened:
                opened.extractall(scratch)
            for name, handler in functions:
                script = _IMPORT_SCRIPT + (_CLIENTS_SCRIPT if _has_rights(name) else "")
                if failure := _import_failure(script, handler, scratch):
                    yield f"{name}: {handler} does not start from {archive}: {failure}"


def _has_rights(function: str) -> bool:
    grants = NEEDS[function].grants if function in NEEDS else ()
    return any(not action.startswith("logs:") for action, _ in grants)


def _import_failure(script: str, handler: str, folder: str) -> str:
    """Return the error of importing a handler without site-packages, or an empty text."""
    module, _, attribute = handler.rpartition(".")
    command = [sys.executable, "-I", "-S", "-B", "-c", script, folder, module, attribute]
    ran = subprocess.run(command, env=_ENVIRONMENT, capture_output=True, text=True, check=False)
    return ran.stderr.strip().rpartition("\n")[2] if ran.returncode else ""
