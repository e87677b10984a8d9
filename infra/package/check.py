"""Finds what a function would miss on AWS: variables, layers, and leave to do its work."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from chalicelib.settings import SETTINGS
from infra.package.grants import granted, role_of
from infra.package.needs import NEEDS, Grant, Needs

# Their defaults are right on Lambda: the folders of layers, and what only tests set. Every other
# default is meant for one machine, and would be found wrong by the first request.
_MAY_BE_ABSENT: Final = frozenset({"chromium_dir", "fonts_dir", "validators_dir", "crash_points"})
_RECEIVE: Final = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")


def missing(template: Mapping[str, Any]) -> list[str]:
    """Return a line for each part that is missing in a translated template."""
    functions = {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Lambda::Function"
    }
    return [line for name in functions for line in _of_function(template, name, functions[name])]


def _of_function(
    template: Mapping[str, Any], name: str, properties: Mapping[str, Any]
) -> Iterator[str]:
    needs = NEEDS.get(name)
    if needs is None:
        yield f"{name}: infra/package/needs.py does not say what it needs"
        return
    yield from _variables(name, properties, needs)
    yield from _layers(template, name, properties, needs)
    wanted = needs.grants | _sources(template, name)
    for action, resource in sorted(wanted - granted(template, role_of(template, name))):
        yield f"{name}: its role may not {action} on {_readable(resource)}"


def _variables(name: str, properties: Mapping[str, Any], needs: Needs) -> Iterator[str]:
    given = properties.get("Environment", {}).get("Variables", {})
    for each in needs.settings.__annotations__:
        variable = SETTINGS[each].variable
        if each not in _MAY_BE_ABSENT and not given.get(variable):
            yield f"{name}: {variable} is not in its environment"


def _layers(
    template: Mapping[str, Any], name: str, properties: Mapping[str, Any], needs: Needs
) -> Iterator[str]:
    # The translation adds a digest to a layer's logical id.
    given = [layer["Ref"] for layer in properties.get("Layers", [])]
    made = {layer for layer in given if layer in template["Resources"]}
    for wanted in sorted(needs.layers):
        if not any(layer.startswith(wanted) for layer in made):
            yield f"{name}: it has no {wanted}"


def _sources(template: Mapping[str, Any], name: str) -> frozenset[Grant]:
    """Return what the role needs for the queues that feed the function."""
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
    return frozenset((action, queue) for queue in queues for action in _RECEIVE)


def _readable(resource: str) -> str:
    return resource.replace("${", "").replace(".Arn}", "")
