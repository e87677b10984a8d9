"""What an order asks for that only some plans include, and the XML that needs an e-invoice."""

from collections.abc import Iterator

from chalicelib.core.errors import invalid
from chalicelib.features.renders.order import Order
from chalicelib.features.workspaces.features import require_feature
from chalicelib.features.workspaces.plans import Feature


def check_plan(order: Order) -> None:
    """Raise `plan_feature_unavailable` for the first thing that the plan does not include.

    Raises `validation_error` for `xml` without an e-invoice.
    """
    for feature, field in _asked(order):
        require_feature(order.workspace, feature, field)
    output = order.body.output
    if "xml" in (output["formats"] or ()) and output.get("einvoice") is None:
        message = "xml is that of an e-invoice: send output.einvoice, or leave it out"
        raise invalid("/output/formats", message, "not_allowed")


def _asked(order: Order) -> Iterator[tuple[Feature, str]]:
    if order.body.input["type"] == "einvoice":
        yield "einvoices", "/profile"
    output = order.body.output
    if output.get("einvoice") is not None:
        yield "einvoices", "/output/einvoice"
    elif "xml" in (output["formats"] or ()):
        yield "einvoices", "/output/formats"
    pdf = output["pdf"]
    if pdf["pdfa"] is not None:
        yield "pdfa", "/output/pdf/pdfa"
    if pdf["pdfua"]:
        yield "pdfua", "/output/pdf/pdfua"
