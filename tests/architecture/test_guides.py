"""Guides: their tables are those of the contract, and their requests and pictures are whole."""

import json
import re
from typing import Final, get_args

import pytest

from chalicelib.contract.invoice.constraints import PLT_RULES
from chalicelib.contract.options.output import WarningCode
from chalicelib.contract.render.request import RenderRequest
from chalicelib.features.workspaces.plans import Feature
from infra.guides.options_table import PLAN_FEATURES
from infra.guides.own_findings import FINDING_ACTIONS
from infra.guides.tables import stale_pages
from infra.guides.warning_texts import WARNING_TEXTS
from infra.template import ROOT
from tests.builders.guide_pictures import (
    PICTURES,
    named_pictures,
    pages_of_guides,
    request_body,
    request_names,
    request_of_picture,
)

JSON_BLOCK: Final = re.compile(r"^```json\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL_BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A canvas is stored before it is rendered: the page makes this picture in two requests.
PICTURES_OF_PAGES: Final = {"template-canvas"}
# A clone fetches all pictures, and so does a reader of a page.
MAX_PICTURE_BYTES: Final = 60_000
PAGES: Final = {str(path.relative_to(ROOT)): page for path, page in pages_of_guides().items()}


def json_blocks() -> list[tuple[str, str]]:
    return [(name, block) for name, page in PAGES.items() for block in JSON_BLOCK.findall(page)]


def sends(page: str, name: str) -> bool:
    return any(f"docs/requests/{name}.json" in block for block in SHELL_BLOCK.findall(PAGES[page]))


def test_the_tables_of_the_pages_are_those_of_the_contract() -> None:
    stale = sorted(map(str, stale_pages()))

    assert stale == [], "run python -m infra.guides.tables"


def test_each_warning_has_a_meaning() -> None:
    # The last one comes after a render has ended, and no request can name it.
    assert WARNING_TEXTS.keys() == {*get_args(WarningCode), "storage_upload_failed"}


def test_each_feature_of_a_plan_stands_in_a_table() -> None:
    assert set(PLAN_FEATURES.values()) == set(get_args(Feature.__value__))


@pytest.mark.parametrize("name", request_names())
def test_each_request_is_valid_and_sent_by_a_page(name: str) -> None:
    RenderRequest.model_validate_json(json.dumps(request_body(name)))

    assert [page for page in PAGES if sends(page, name)] != []


def test_each_picture_that_a_page_shows_is_there_and_the_other_way_round() -> None:
    made = {path.stem for path in PICTURES.glob("*.png")}

    assert made == named_pictures(), "run python -m tests.builders.guide_pictures"


def test_each_picture_is_that_of_a_request() -> None:
    requests = {request_of_picture(name)[0] for name in named_pictures()}

    assert requests - set(request_names()) == PICTURES_OF_PAGES


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in PICTURES.glob("*.png")}

    assert {name: size for name, size in sizes.items() if size > MAX_PICTURE_BYTES} == {}


@pytest.mark.parametrize(("page", "block"), json_blocks())
def test_json_in_a_page_is_json_and_parts_of_a_request_are_valid(page: str, block: str) -> None:
    part = json.loads(block)

    assert part, page
    if isinstance(part, dict) and part.keys() <= RenderRequest.model_fields.keys():
        page_input = {"type": "html", "html": "<p>"}
        RenderRequest.model_validate_json(json.dumps({"input": page_input} | part))


def test_each_finding_of_the_service_has_an_action() -> None:
    assert FINDING_ACTIONS.keys() == PLT_RULES.keys()
