"""Stored render bodies, read by another release than their writer."""

import pytest

from chalicelib.adapters.aws.messages import UnknownVersion
from chalicelib.features.renders.model import RenderBody

BODY = RenderBody({"type": "html"}, {"n": 1}, None, {"format": "pdf"})


def test_body_of_an_earlier_release_is_read() -> None:
    assert RenderBody.from_json(BODY.to_json() | {"v": 3}) == BODY
    assert RenderBody.from_json(BODY.to_json()) == BODY
    with pytest.raises(UnknownVersion):
        RenderBody.from_json(BODY.to_json() | {"v": 5})


def test_body_version_is_unreadable_for_releases_without_einvoices() -> None:
    assert BODY.to_json()["v"] not in {1, 2, 3}
