"""Examples of operations and problems in the document.

Those of operations are requests and answers of the service itself, which a program of the tests has
recorded in the folder `recorded`: they are read where the document is built, not at a start.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.api.edge.endpoint import JSON
from chalicelib.api.edge.openapi import objects as oas
from chalicelib.core.json import Json
from chalicelib.core.problems import PROBLEMS

RECORDED: Final = Path(__file__).with_name("recorded")
_EXAMPLES: Final = "#/components/examples/"
_REQUEST_ID: Final = "req_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"
_FIELD_ERROR: Final = {
    "path": "/output/pdf/scale",
    "code": "less_than_equal",
    "message": "Input should be less than or equal to 2",
}


type NamedExamples = Mapping[str, oas.Example]


class OperationExamples(NamedTuple):
    """Examples of one operation: of parameters, of bodies by media type, of answers by status."""

    parameters: Mapping[str, Json]
    requests: Mapping[str, NamedExamples]
    answers: Mapping[str, NamedExamples]


type AllExamples = Mapping[str, OperationExamples]


def recorded_examples() -> AllExamples:
    """Read the examples of all operations, by their ids."""
    return {
        operation_id: OperationExamples(**parts)
        for file in sorted(RECORDED.glob("*.json"))
        for operation_id, parts in json.loads(file.read_bytes()).items()
    }


def with_examples(operation: oas.Operation, examples: AllExamples) -> oas.Operation:
    """Return an operation with its examples."""
    own = examples.get(operation["operationId"])
    if own is None:
        return operation
    shown = operation.copy()
    shown["parameters"] = [_with_example(each, own.parameters) for each in operation["parameters"]]
    if "requestBody" in operation:
        body = operation["requestBody"].copy()
        body["content"] = {
            kind: _with_named_examples(media_type, own.requests.get(kind))
            for kind, media_type in body["content"].items()
        }
        shown["requestBody"] = body
    shown["responses"] = {
        status: _response_with_examples(response, own.answers.get(status))
        for status, response in operation["responses"].items()
    }
    return shown


def _with_example(parameter: oas.Parameter, values: Mapping[str, Json]) -> oas.Parameter:
    name = parameter.get("name", "")
    if name not in values:
        return parameter
    shown = parameter.copy()
    shown["example"] = values[name]
    return shown


def _response_with_examples(response: oas.Response, examples: NamedExamples | None) -> oas.Response:
    if examples is None or "content" not in response:
        return response
    shown = response.copy()
    shown["content"] = {
        kind: _with_named_examples(media_type, examples if kind == JSON else None)
        for kind, media_type in response["content"].items()
    }
    return shown


def _with_named_examples(
    media_type: oas.MediaType, examples: NamedExamples | None
) -> oas.MediaType:
    if not examples:
        return media_type
    shown = media_type.copy()
    shown["examples"] = examples
    return shown


def problem_references(codes: Iterable[str]) -> dict[str, oas.ExampleReference]:
    """Return the references to the examples of these codes."""
    return {code: {"$ref": f"{_EXAMPLES}{code}"} for code in codes}


def problem_examples(codes: Iterable[str], api_host: str) -> dict[str, oas.Example]:
    """Return an example of each code, as a component."""
    return {code: _problem_example(code, api_host) for code in sorted(codes)}


def _problem_example(code: str, api_host: str) -> oas.Example:
    problem = PROBLEMS[code]
    page = f"{api_host}/errors/{code}"
    value: dict[str, Json] = {
        "type": page,
        "title": problem.title,
        "status": problem.http_status,
        "code": code,
        "detail": problem.meaning,
        "request_id": _REQUEST_ID,
        "doc_url": page,
    }
    if code == "validation_error":
        value |= {
            "detail": f"{_FIELD_ERROR['path']}: {_FIELD_ERROR['message']}",
            "errors": [_FIELD_ERROR],
        }
    return {"summary": problem.title, "value": value}
