"""Output options in rows: defaults are left out, and come back."""

from typing import Any

import pytest

from chalicelib.contract.render.output import complete_output
from chalicelib.features.renders.accept.redact_request import redacted_options
from chalicelib.features.renders.rows import output_differences, with_defaults


def test_defaults_equal_the_contract() -> None:
    assert output_differences(redacted_options(complete_output({}))) == {}


@pytest.mark.parametrize(
    "requested",
    [
        {"format": "png", "image": {"width": 300}},
        {"formats": ["pdf", "png"], "filename": "a"},
        {"pdf": {"margin": {"top": "0"}, "scale": 0.5, "header": {"html": "<p>x</p>"}}},
        {"pdf": {"watermark": {"text": "DRAFT"}, "metadata": {"keywords": ["a"]}}},
        {"viewport": {"width": 800, "height": 600}, "wait": {"delay_ms": 10}},
        {"http": {"headers": {"X-A": "b"}}, "javascript": False, "asset_policy": "strict"},
    ],
)
def test_options_come_back_as_they_were(requested: dict[str, Any]) -> None:
    output = redacted_options(complete_output(requested))

    differences = output_differences(output)

    assert differences is not None
    assert with_defaults(differences) == output
    assert len(str(differences)) < 210


@pytest.mark.parametrize("left_out", [{"format": "pdf"}, {"format": "xml", "formats": None}])
def test_an_output_without_all_options_stays_as_it_is(left_out: dict[str, Any]) -> None:
    assert output_differences(left_out) is None
