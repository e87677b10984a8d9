"""What an order asks for that only some plans include."""

from collections.abc import Iterator

from chalicelib.features.renders.order import Order
from chalicelib.features.workspaces.features import require_feature
from chalicelib.features.workspaces.plans import Feature


def check_plan(order: Order) -> None:
    """Raise `plan_feature_unavailable` for the first thing that the plan does not include."""
    for feature, field in _asked(order):
        require_feature(order.workspace, feature, field)


def _asked(order: Order) -> Iterator[tuple[Feature, str]]:
    if order.body.input["type"] == "einvoice":
        yield "einvoices", "/profile"
    pdf = order.body.output["pdf"]
    if pdf["pdfa"] is not None:
        yield "pdfa", "/output/pdf/pdfa"
    if pdf["pdfua"]:
        yield "pdfua", "/output/pdf/pdfua"
