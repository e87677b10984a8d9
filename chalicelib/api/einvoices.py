"""`/v1/einvoices`: electronic invoices as XML."""

from typing import Final

from chalicelib.api._endpoint import JSON, Call, Reply, endpoint
from chalicelib.api._making import ROW, carry_out_order
from chalicelib.api._order import einvoice_order_of

_XML: Final = "application/xml"
_ROW: Final = {
    **ROW,
    "tag": "E-invoices",
    "answer_types": (JSON, _XML, "text/plain"),
    "body": "chalicelib.contract.einvoices:EInvoiceRequest",
}


@endpoint("POST", "/v1/einvoices", **_ROW)
def create(call: Call) -> Reply:
    """Make an e-invoice.

    It is a render whose only file is the XML: CII in six profiles, UBL for EN16931 and XRECHNUNG.
    Totals are computed and stand in `invoice`. An invoice that breaks a rule of its profile is a
    422 `einvoice_invalid`, not billed, with every finding in `result.conformance.einvoice.errors`.
    """
    return carry_out_order(call, einvoice_order_of(call, call.body))
