"""Typed options mirror the request models, and every option is read somewhere."""

import ast
import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from pydantic import BaseModel

from chalicelib.contract import field_types
from chalicelib.contract.invoice import invoice
from chalicelib.contract.options import assets, http, image, output, pdf
from chalicelib.contract.options.base import Options
from chalicelib.contract.render import output as output_models
from chalicelib.contract.render import pdf as pdf_models
from chalicelib.contract.render import protection
from chalicelib.contract.render import request as request_models

MIRRORS: Final[tuple[tuple[type[Options], type[BaseModel]], ...]] = (
    (output.OutputOptions, output_models.OutputSpec),
    (output.EInvoiceOptions, invoice.EInvoiceSpec),
    (http.HttpOptions, output_models.HttpOptions),
    (http.Cookie, output_models.Cookie),
    (http.BasicAuth, output_models.BasicAuth),
    (image.ImageOptions, output_models.ImageOptions),
    (image.FormatOptions, output_models.FormatOptions),
    (image.Viewport, output_models.Viewport),
    (image.Wait, output_models.Wait),
    (assets.PageAsset, request_models.AssetSpec),
    (pdf.PdfOptions, pdf_models.PdfOptions),
    (pdf.Margin, pdf_models.Margin),
    (pdf.HeaderFooter, pdf_models.HeaderFooter),
    (pdf.PdfMetadata, pdf_models.PdfMetadata),
    (pdf.Attachment, pdf_models.Attachment),
    (pdf.ContentSource, field_types.ContentSource),
    (pdf.Watermark, pdf_models.Watermark),
    (pdf.Protection, protection.Protection),
    (pdf.Permissions, protection.Permissions),
)
ROOT: Final = Path(__file__).parents[3] / "chalicelib"
# A request's own object, or a name that only requests have.
READ_AS_JSON: Final = {"syntax"}


@pytest.mark.parametrize(("options", "model"), MIRRORS)
def test_options_have_the_fields_and_defaults_of_their_model(
    options: type[Options], model: type[BaseModel]
) -> None:
    fields = {field.encode_name: field for field in msgspec.structs.fields(options)}
    members = {field.alias or name: field for name, field in model.model_fields.items()}

    assert fields.keys() == members.keys()
    for name, field in fields.items():
        assert field.required == members[name].is_required(), name
        if not field.required:
            assert to_json(field.default) == to_json(members[name].default), name


def to_json(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, Options):
        return json.loads(json.dumps(value.to_json()))
    return value or None


def test_all_options_are_mirrored() -> None:
    found = {
        each
        for module in (assets, http, image, output, pdf)
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Options) and each is not Options
    }

    assert found == {options for options, _ in MIRRORS}


def test_every_option_is_read() -> None:
    """An option that nothing reads would be accepted and ignored."""
    read = {
        node.attr
        for folder in ("engine", "features", "contract/options")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }

    names = {name for options, _ in MIRRORS for name in options.__struct_fields__}
    assert names - read - READ_AS_JSON == set()
