"""Types of an OpenAPI 3.1 document: the objects and members that this service writes and shows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from chalicelib.core.json import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

    # References of the request models and of the response models, and all schemas: what pydantic
    # writes is JSON Schema 2020-12, as OpenAPI 3.1 has it.
    type _References = Mapping[type[BaseModel], Schema]
    type ModelSchemas = tuple[_References, _References, dict[str, Schema]]


class Discriminator(TypedDict):
    """Discriminator object: the member that tells the branches of a union apart."""

    propertyName: str
    mapping: Mapping[str, str]


# What a reference to a schema begins with.
SCHEMAS: Final = "#/components/schemas/"
# Some keys of this type and the next ones are no identifiers.
Schema = TypedDict(
    "Schema",
    {
        "$ref": str,
        "type": str | Sequence[str],
        "format": str,
        "title": str,
        "description": str,
        "const": Json,
        "enum": Sequence[Json],
        "anyOf": Sequence["Schema"],
        "oneOf": Sequence["Schema"],
        "discriminator": Discriminator,
        "items": "Schema",
        "properties": Mapping[str, "Schema"],
        "additionalProperties": "bool | Schema",
        "required": Sequence[str],
        "default": Json,
        "pattern": str,
        "minLength": int,
        "maxLength": int,
        "minimum": float,
        "maximum": float,
        "minItems": int,
        "maxItems": int,
        "maxProperties": int,
    },
    total=False,
)
# A parameter, or a reference to one.
Parameter = TypedDict(
    "Parameter",
    {
        "$ref": str,
        "name": str,
        "in": str,
        "required": bool,
        "description": str,
        "schema": Schema,
        "style": str,
        "example": Json,
    },
    total=False,
)
# A reference to a header.
HeaderReference = TypedDict("HeaderReference", {"$ref": str})


# A reference to an example.
ExampleReference = TypedDict("ExampleReference", {"$ref": str})


class Example(TypedDict):
    """Example object: a value, and what it shows."""

    summary: str
    value: Json


class MediaType(TypedDict):
    """Media type object: the schema of a body."""

    schema: Schema
    example: NotRequired[Json]
    # By name: examples, or references to them.
    examples: NotRequired[Mapping[str, "Example | ExampleReference"]]


class Header(TypedDict):
    """Header object."""

    description: str
    schema: Schema


class RequestBody(TypedDict):
    """Request body object."""

    required: bool
    content: Mapping[str, MediaType]


# A response, or a reference to one.
Response = TypedDict(
    "Response",
    {
        "$ref": str,
        "description": str,
        "headers": Mapping[str, HeaderReference],
        "content": Mapping[str, MediaType],
    },
    total=False,
)


Operation = TypedDict(
    "Operation",
    {
        "operationId": str,
        "summary": str,
        "description": NotRequired[str],
        "tags": NotRequired[Sequence[str]],
        "parameters": Sequence[Parameter],
        "requestBody": NotRequired[RequestBody],
        "responses": Mapping[str, Response],
        "security": NotRequired[Sequence[Mapping[str, Sequence[str]]]],
        "x-scope": NotRequired[str],
    },
)


class Server(TypedDict):
    """Server object."""

    url: str


class Info(TypedDict):
    """Info object."""

    title: str
    version: str
    description: str
    contact: Mapping[str, str]
    license: Mapping[str, str]


class Components(TypedDict):
    """Components object."""

    schemas: Mapping[str, Schema]
    responses: Mapping[str, Response]
    examples: Mapping[str, Example]
    securitySchemes: Mapping[str, Mapping[str, str]]
    headers: Mapping[str, Header]
    parameters: Mapping[str, Parameter]


class Document(TypedDict):
    """OpenAPI object."""

    openapi: str
    info: Info
    externalDocs: Mapping[str, str]
    servers: Sequence[Server]
    security: Sequence[Mapping[str, Sequence[str]]]
    tags: Sequence[Mapping[str, str]]
    paths: Mapping[str, Mapping[str, Operation]]
    # By event type.
    webhooks: Mapping[str, Mapping[str, Operation]]
    components: Components
