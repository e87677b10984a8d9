"""Examples of the reference: the service answers them so, and they cover and fit all operations."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from tests.builders.examples.files import by_file_name, read_examples
from tests.builders.examples.play import recorded_examples
from tests.builders.in_process_aws import MotoAws
from tests.builders.openapi import api_document, validator

JSON = "application/json"
# The document cannot be an example in itself.
WITHOUT_ANSWER = {"retrieveOpenapi"}
# What only the service can make.
WITHOUT_EXAMPLE = {"cursor"}
WITHOUT_TEXT = {"application/pdf"}
MAX_GZIP_BYTES = 30_000


def operations() -> Iterator[Any]:
    """Yield the operations of the public document."""
    for path in api_document()["paths"].values():
        yield from path.values()


OPERATIONS = {each["operationId"]: each for each in operations()}


def examples_of(content: Any, kind: str = JSON) -> list[Any]:
    """Return the values of the examples of a media type."""
    examples = content.get(kind, {}).get("examples", {})
    assert all(each["summary"] for each in examples.values())
    return [each["value"] for each in examples.values()]


def success_answers(operation: Any) -> dict[str, Any]:
    return {status: each for status, each in operation["responses"].items() if status < "3"}


def test_service_answers_the_examples_as_they_are_written(aws: MotoAws) -> None:
    """`python -m tests.builders.examples` writes them anew."""
    assert by_file_name(recorded_examples(aws)) == read_examples()


def test_operations_have_examples_of_all_that_they_take_and_answer() -> None:
    missing = {
        name: lacks for name, each in OPERATIONS.items() if (lacks := missing_examples(each))
    }

    assert missing == {}


def missing_examples(operation: Any) -> set[str]:
    """Return the media types, answers and parameters of an operation that have no example."""
    body = operation.get("requestBody", {}).get("content", {})
    missing = {kind for kind in body if kind not in WITHOUT_TEXT and not examples_of(body, kind)}
    contents = [each.get("content", {}) for each in success_answers(operation).values()]
    if any(JSON in each for each in contents) and operation["operationId"] not in WITHOUT_ANSWER:
        missing |= set() if any(map(examples_of, contents)) else {"answer"}
    own = [each for each in operation["parameters"] if "$ref" not in each]
    return missing | {each["name"] for each in own if "example" not in each} - WITHOUT_EXAMPLE


def test_examples_fit_their_schemas() -> None:
    for operation in OPERATIONS.values():
        contents = [operation.get("requestBody", {}).get("content", {})]
        contents += [each.get("content", {}) for each in success_answers(operation).values()]
        for content in contents:
            for kind, media_type in content.items():
                for value in examples_of(content, kind):
                    checked(media_type["schema"]).validate(value)
        for parameter in operation["parameters"]:
            if "example" in parameter:
                validator(parameter["schema"]).validate(parameter["example"])


def checked(schema: Any) -> Any:
    """Return the validator of a schema, one for all places of a reference."""
    return _checked(json.dumps(schema))


@cache
def _checked(schema: str) -> Any:
    return validator(json.loads(schema))


def test_each_problem_response_shows_its_codes() -> None:
    components = api_document()["components"]
    problem = validator({"$ref": "#/components/schemas/ProblemDetails"})

    for response in components["responses"].values():
        (media_type,) = response["content"].values()
        for code, reference in media_type["examples"].items():
            assert reference == {"$ref": f"#/components/examples/{code}"}
            value = components["examples"][code]["value"]
            problem.validate(value)
            assert value["code"] == code


def test_examples_are_a_small_part_of_what_is_sent() -> None:
    whole = api_document()
    components = {name: each for name, each in whole["components"].items() if name != "examples"}
    plain = without_examples(whole | {"components": components})

    assert sent_bytes(whole) - sent_bytes(plain) < MAX_GZIP_BYTES


def without_examples(value: Any) -> Any:
    """Return a value without the examples of media types and parameters in it."""
    if isinstance(value, list):
        return [without_examples(each) for each in value]
    if not isinstance(value, dict):
        return value
    names = [name for name in value if not ("schema" in value and name in {"example", "examples"})]
    return {name: without_examples(value[name]) for name in names}


def sent_bytes(value: Any) -> int:
    """Return the size of JSON as it is sent."""
    return len(gzip.compress(msgspec.json.encode(value)))
