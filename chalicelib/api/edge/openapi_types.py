"""Types of an OpenAPI 3.1 document: the objects and members that this service writes and shows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from chalicelib.core.json import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

    # References of the request models and of the response models, and all schemas: what pydantic
    # writes is JSON Schema 2020-12, as OpenAPI 3.1 has it.
    type _References = Mapping[type[BaseModel], Schema]
    type ModelSchemas = tuple[_References, _References, dict[str, Schema]]

# Some keys of this type and the next ones are no identifiers.
Schema = TypedDict(
    "Schema",
    {
        "$ref": str,
        "type": str,
        "format": str,
        "title": str,
        "description": str,
        "const": Json,
        "enum": Sequence[Json],
        "anyOf": Sequence["Schema"],
        "oneOf": Sequence["Schema"],
        "items": "Schema",
        "properties": Mapping[str, "Schema"],
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


class MediaType(TypedDict):
    """Media type object: the schema of a body."""

    schema: Schema
    example: NotRequired[Json]


class Header(TypedDict):
    """Header object."""

    description: str
    schema: Schema


class RequestBody(TypedDict):
    """Request body object."""

    required: bool
    content: Mapping[str, MediaType]


class Response(TypedDict):
    """Response object."""

    description: str
    headers: NotRequired[Mapping[str, HeaderReference]]
    content: NotRequired[Mapping[str, MediaType]]


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


class Components(TypedDict):
    """Components object."""

    schemas: Mapping[str, Schema]
    securitySchemes: Mapping[str, Mapping[str, str]]
    headers: Mapping[str, Header]
    parameters: Mapping[str, Parameter]


class Document(TypedDict):
    """OpenAPI object."""

    openapi: str
    info: Info
    servers: Sequence[Server]
    security: Sequence[Mapping[str, Sequence[str]]]
    tags: Sequence[Mapping[str, str]]
    paths: Mapping[str, Mapping[str, Operation]]
    # By event type.
    webhooks: Mapping[str, Mapping[str, Operation]]
    components: Components
