"""Variants: objects that are given in one of several ways, each a closed shape of its own.

The model of such an object refuses members of two ways, and has no member that tells them apart;
or its `provider` says which settings and credentials it has. The schema of each becomes a union.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.api.edge.openapi import objects as oas
from chalicelib.api.edge.openapi.schemas import nullable, without_null
from chalicelib.contract.emails.providers import PROVIDER_MODELS
from chalicelib.contract.storage.providers import STORE_MODELS

if TYPE_CHECKING:
    from pydantic import BaseModel


class Variant(NamedTuple):
    """Members that a variant needs, and those that it alone may have besides."""

    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()


type _Variants = Mapping[str, Variant]

_HTML: Final[_Variants] = {"Text": Variant(("html",)), "Upload": Variant(("upload_id",))}
_CONTENT: Final[_Variants] = {
    "Upload": Variant(("upload_id",)),
    "Url": Variant(("url",)),
    "Content": Variant(("content",)),
}
_FILE: Final[_Variants] = {"Upload": _CONTENT["Upload"], "Content": _CONTENT["Content"]}
_TEXT: Final = Variant(("text",), ("font_size", "color"))
_IMAGE: Final = Variant(("image",))
_PASSWORDS: Final[_Variants] = {
    "User": Variant(("user_password",), ("owner_password",)),
    "Owner": Variant(("owner_password",)),
}
# By the name of the schema: what is appended to it for the name of each variant.
VARIANTS: Final[Mapping[str, _Variants]] = {
    "AssetSpec": _FILE,
    "Attachment": _CONTENT,
    "AzureBlobCredentials": {
        "Key": Variant(("account_key",)),
        "Token": Variant(("sas_token",)),
    },
    "BatchRequest": {
        "Items": Variant(("items",)),
        "Csv": Variant(("csv_upload_id",), ("csv_mapping",)),
    },
    "ContentSource": _CONTENT,
    "EInvoiceDocument": _FILE,
    "EInvoiceSpec": {"Invoice": Variant(("invoice",)), "Path": Variant(("invoice_path",))},
    "HtmlInput": _HTML,
    "ImageFromHtml": _HTML,
    "PdfFromHtml": _HTML,
    "PdfSource": {
        **_CONTENT,
        "File": Variant(("file_id",)),
        "Render": Variant(("render_id",), ("file_id",)),
        "DataUri": Variant(("data_uri",)),
    },
    "ProtectRequest": _PASSWORDS,
    "Protection": _PASSWORDS,
    "SftpCredentials": {
        "Password": Variant(("password",)),
        "Key": Variant(("private_key",)),
    },
    "Stamp": {
        "Text": _TEXT,
        "Image": _IMAGE,
        "File": Variant(("file_id",)),
        "Upload": Variant(("upload_id",)),
        "Content": Variant(("content",)),
    },
    "Watermark": {"Text": _TEXT, "Image": _IMAGE},
}
# By the name of the schema: the models of `config` and `credentials`, by the value of `provider`.
PROVIDERS: Final[Mapping[str, Mapping[str, tuple[type["BaseModel"], type["BaseModel"]]]]] = {
    "EmailConnectionRequest": PROVIDER_MODELS,
    "StorageDestinationRequest": STORE_MODELS,
}


def provider_models() -> "Iterable[type[BaseModel]]":
    """Return the models of all settings and credentials."""
    return [model for models in PROVIDERS.values() for pair in models.values() for model in pair]


def with_variants(schemas: Mapping[str, oas.Schema]) -> dict[str, oas.Schema]:
    """Return all schemas and their variants; a schema that has variants is their union."""
    made = dict(schemas)
    for name in VARIANTS.keys() & schemas.keys():
        shapes = dict(_shapes(name, schemas[name]))
        made |= shapes | {name: _union(schemas[name], shapes)}
    for name in PROVIDERS.keys() & schemas.keys():
        by_provider = dict(_provider_shapes(name, schemas))
        shapes = {f"{name}{_camel(provider)}": shape for provider, shape in by_provider.items()}
        union = _union(schemas[name], shapes)
        mapping = dict(zip(by_provider, (oas.SCHEMAS + each for each in shapes), strict=True))
        union["discriminator"] = {"propertyName": "provider", "mapping": mapping}
        made |= shapes | {name: union}
    return made


def _shapes(name: str, schema: oas.Schema) -> Iterable[tuple[str, oas.Schema]]:
    variants = VARIANTS[name]
    special = {member for each in variants.values() for members in each for member in members}
    for suffix, variant in variants.items():
        members = {
            member: without_null(part) if member in variant.needs else part
            for member, part in schema["properties"].items()
            if member not in special or member in variant.needs + variant.takes
        }
        required = [*schema.get("required", ()), *variant.needs]
        yield f"{name}{suffix}", {**schema, "properties": members, "required": required}


def _provider_shapes(
    name: str, schemas: Mapping[str, oas.Schema]
) -> Iterable[tuple[str, oas.Schema]]:
    schema = schemas[name]
    for provider, (config, credentials) in PROVIDERS[name].items():
        members = dict(schema["properties"])
        members["provider"] = {
            "type": "string",
            "const": provider,
            "description": members["provider"]["description"],
        }
        required = [*schema["required"]]
        if schemas[config.__name__].get("required") and "config" not in required:
            required.append("config")
        for member, model in (("config", config), ("credentials", credentials)):
            reference: oas.Schema = {"$ref": oas.SCHEMAS + model.__name__}
            if member not in required and nullable(members[member]):
                reference = {"oneOf": [reference, {"type": "null"}]}
            text = schemas[model.__name__]["description"]
            members[member] = reference | {"description": text}
        yield provider, {**schema, "properties": members, "required": required}


def _union(schema: oas.Schema, names: Iterable[str]) -> oas.Schema:
    union: oas.Schema = {"oneOf": [{"$ref": oas.SCHEMAS + name} for name in names]}
    if "description" in schema:
        union["description"] = schema["description"]
    return union


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
