"""The documents of `examples/`: their data fit their schema, and the first request is theirs."""

from typing import Final

import pytest
from jsonschema import Draft202012Validator
from PIL import Image

from chalicelib.contract.template.template import TemplateRequest
from infra.local.examples import (
    EXAMPLES_DIR,
    REQUEST_FILE,
    example_data,
    example_names,
    request_text,
    template_body,
)
from infra.local.gallery import ROWS, SHEET_WIDTH
from infra.template import ROOT

# A clone and the first look at README.md fetch them all.
MAX_PICTURES_BYTES: Final = 1_500_000


@pytest.mark.parametrize("name", example_names())
def test_data_fit_the_schema(name: str) -> None:
    body = template_body(name)

    TemplateRequest.model_validate(body)
    Draft202012Validator.check_schema(body["schema"])
    assert list(Draft202012Validator(body["schema"]).iter_errors(example_data(name))) == []


def test_request_file_is_made_of_the_parts() -> None:
    # `.venv/bin/python -m infra.local.examples` writes it.
    assert REQUEST_FILE.read_text(encoding="utf-8") == request_text()


def test_the_gallery_shows_every_example_once() -> None:
    assert sorted(name for row in ROWS for name in row) == example_names()


def test_every_example_has_its_picture() -> None:
    pictures = ROOT / "docs" / "images"

    assert [name for name in example_names() if not (pictures / f"{name}.png").exists()] == []
    with Image.open(pictures / "gallery.png") as sheet:
        assert sheet.width == SHEET_WIDTH
    assert sum(picture.stat().st_size for picture in pictures.iterdir()) < MAX_PICTURES_BYTES


def test_the_table_names_every_example() -> None:
    table = (EXAMPLES_DIR / "README.md").read_text(encoding="utf-8")

    assert [name for name in example_names() if f"[{name}]({name})" not in table] == []
