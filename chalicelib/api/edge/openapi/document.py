"""The document: what stands around the operations, and the components that they refer to."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from chalicelib.api.edge.endpoint import Endpoint, ModelName, import_model
from chalicelib.api.edge.openapi import objects as oas
from chalicelib.api.edge.openapi.examples import (
    problem_examples,
    recorded_examples,
    with_examples,
)
from chalicelib.api.edge.openapi.forms import with_forms
from chalicelib.api.edge.openapi.headers import HEADERS, PARAMETERS, SECURITY
from chalicelib.api.edge.openapi.named import NamedSchemas
from chalicelib.api.edge.openapi.operations import FORMS, OperationWriter
from chalicelib.api.edge.openapi.responses import ProblemResponses
from chalicelib.api.edge.openapi.schemas import (
    referenced_schemas,
    rewritten,
    with_default_in_words,
    with_exclusive_branches,
    with_plain_texts_in_unions,
    without_title,
)
from chalicelib.api.edge.openapi.variants import provider_models, with_variants
from chalicelib.api.edge.openapi.webhooks import EVENTS_TAG, event_schemas, webhook_operations
from chalicelib.contract.json_schemas import model_json_schemas
from chalicelib.contract.meta import ProblemDetails
from chalicelib.contract.webhooks.event import Event, EventData
from chalicelib.core.version import VERSION
from chalicelib.features.events.model import EventType

if TYPE_CHECKING:
    from pydantic import BaseModel

_DESCRIPTION: Final = """Documents from HTML, templates and data: PDF and images.

Send an API key with every request, as `Authorization: Bearer <key>` or as `X-API-Key: <key>`.
Keys with `_test_` in them make watermarked documents that cost nothing.

Errors are problem details (RFC 9457); programs should branch on `code`. Fields and query
parameters that are not listed here are refused. Null of a field of a new object that has a default
is the default. A method that a path has not is 405 `method_not_allowed`, and `Allow` names those
that it has. Times are RFC 3339 in UTC. Every response has an `X-Request-Id`."""
_TAGS: Final[Mapping[str, str]] = {
    "Renders": "Make documents and pictures of HTML, web pages and templates, and read them.",
    "Uploads": "Files that are sent ahead of the request that names them.",
    "Batches": "One template for up to 100 000 items, as one request.",
    "E-invoices": "Make e-invoices as XML, and validate received ones.",
    "PDF tools": "Merge, split, protect and otherwise change PDFs, or convert them.",
    "Templates": "Templates with drafts, versions and datasets.",
    "Storage": "Stores of yours that get the files of renders.",
    "Emails": "Send documents by your email provider: connections, rules and what was sent.",
    "Signed links": "URLs for anyone that make a document when they are opened.",
    "Webhooks": "Endpoints that get events, and the deliveries to them.",
    "Files": "Files by their signed URLs.",
    "Account": "Plan, limits and usage of the workspace.",
    "Service": "This description, the reference, and what error codes mean.",
    EVENTS_TAG: "Requests that this service sends to your webhook endpoints.",
}


def openapi_document(
    endpoints: Sequence[Endpoint], event_types: Sequence[EventType], api_host: str
) -> oas.Document:
    """Return the OpenAPI document of these endpoints and of the webhooks of these event types.

    `api_host` is the server URL.
    """
    published = [row for row in endpoints if row.is_published]
    inputs, outputs, definitions = _model_schemas(published, event_types)
    problems = ProblemResponses()
    writer = OperationWriter(
        inputs=inputs, outputs=outputs, definitions=definitions, problems=problems
    )
    paths = _paths(published, writer)
    definitions = {**_with_events(definitions, outputs, event_types), **FORMS}
    webhooks = webhook_operations(event_types)
    roots = paths, webhooks, problems.components
    return {
        "openapi": "3.1.0",
        "info": _info(api_host),
        "externalDocs": {"description": "The reference, to read.", "url": f"{api_host}/docs"},
        "servers": [{"url": api_host}],
        "security": [{"bearer": []}, {"header": []}],
        "tags": _tags(published, event_types),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": referenced_schemas(roots, with_variants(definitions)),
            "responses": dict(sorted(problems.components.items())),
            "examples": problem_examples(problems.codes, api_host),
            "securitySchemes": SECURITY,
            "headers": HEADERS,
            "parameters": PARAMETERS,
        },
    }


def _paths(
    endpoints: Sequence[Endpoint], writer: OperationWriter
) -> dict[str, dict[str, oas.Operation]]:
    """Return the operations of endpoints with their examples, by path and method."""
    examples = recorded_examples()
    paths: dict[str, dict[str, oas.Operation]] = {}
    for row in endpoints:
        # OpenAPI has no template for a tail; the parameter describes it.
        path = row.path.replace("+}", "}")
        operation = with_examples(writer.operation(row), examples)
        paths.setdefault(path, {})[row.method.lower()] = operation
    return paths


def _info(api_host: str) -> oas.Info:
    return {
        "title": "Platen",
        "version": VERSION,
        "description": _DESCRIPTION,
        "contact": {"name": "Platen", "url": f"{api_host}/docs"},
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }


def _model_schemas(
    endpoints: Sequence[Endpoint], event_types: Sequence[EventType]
) -> "oas.ModelSchemas":
    """Return the references and schemas of all models, which still have their defaults."""
    requests = {name for row in endpoints for name in (row.body, row.query) if name}
    responses = {
        name for row in endpoints for status in row.answers for name in row.answer_models(status)
    }
    responses |= {row.model for row in event_types}
    inputs, outputs, definitions = cast(
        "oas.ModelSchemas",
        model_json_schemas(
            [*_models(requests), *provider_models()],
            [*_models(responses), ProblemDetails, Event],
            f"{oas.SCHEMAS}{{model}}",
        ),
    )
    named = NamedSchemas(
        without_title, with_exclusive_branches, with_plain_texts_in_unions, with_forms
    )
    written = {name: rewritten(schema, named.steps) for name, schema in definitions.items()}
    return inputs, outputs, written | named.components


def _with_events(
    definitions: Mapping[str, oas.Schema],
    outputs: "Mapping[type[BaseModel], oas.Schema]",
    event_types: Sequence[EventType],
) -> dict[str, oas.Schema]:
    """Return the schemas with those of the event types, all with their defaults in words."""
    envelope, data = definitions[Event.__name__], definitions[EventData.__name__]
    objects = {row.model: outputs[import_model(row.model)] for row in event_types}
    made = {**definitions, **event_schemas(event_types, envelope, data, objects)}
    return {name: rewritten(schema, [with_default_in_words]) for name, schema in made.items()}


def _models(names: Iterable[ModelName]) -> "list[type[BaseModel]]":
    return [import_model(name) for name in sorted(names)]


def _tags(
    endpoints: Sequence[Endpoint], event_types: Sequence[EventType]
) -> list[Mapping[str, str]]:
    tags = dict.fromkeys(row.tag for row in endpoints if row.tag)
    names = [*tags, *([EVENTS_TAG] if event_types else [])]
    return [{"name": name, "description": _TAGS.get(name, name)} for name in names]
