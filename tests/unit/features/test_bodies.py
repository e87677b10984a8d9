"""Bodies of renders, read by another release than the one that has kept them."""

import pytest

from chalicelib.adapters.aws.messages import UnknownVersion
from chalicelib.features.renders.model import RenderBody

BODY = RenderBody({"type": "html"}, {"n": 1}, None, {"format": "pdf"})


def test_what_waits_during_a_deployment_is_read() -> None:
    assert RenderBody.from_json(BODY.to_json() | {"v": 3}) == BODY
    assert RenderBody.from_json(BODY.to_json()) == BODY
    with pytest.raises(UnknownVersion):
        RenderBody.from_json(BODY.to_json() | {"v": 5})


def test_releases_without_e_invoices_do_not_read_bodies_that_may_ask_for_one() -> None:
    assert BODY.to_json()["v"] not in {1, 2, 3}
