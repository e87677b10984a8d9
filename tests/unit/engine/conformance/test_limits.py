"""Time limits of validators: they grow with lines and size, up to a maximum."""

import pytest

from chalicelib.engine.conformance.local_validator import check_timeout_s

LINES = [
    ("cii-EXTENDED", b"<ram:IncludedSupplyChainTradeLineItem>"),
    ("ubl-Invoice-EN16931", b"<cac:InvoiceLine>"),
    ("ubl-CreditNote-EN16931", b"<cac:CreditNoteLine>"),
    ("ubl-Invoice-EN16931", b"<InvoiceLine>"),
]
# Measured: 10,000 lines of the largest profile.
LONGEST_SEEN_S = 46
# A validation must end before its function times out.
MAX_S = 240


@pytest.mark.parametrize(("kind", "line"), LINES)
def test_time_limit_grows_with_invoice_lines(kind: str, line: bytes) -> None:
    few, many, hostile = (check_timeout_s(kind, line * count) for count in (10, 10_000, 1_000_000))

    assert 10 < few < 20
    assert many > 3 * LONGEST_SEEN_S
    assert hostile == MAX_S


def test_time_limit_grows_with_pdf_size() -> None:
    small, large, hostile = (check_timeout_s("pdf-ua1", bytes(size)) for size in (1, 10**6, 10**8))

    assert 10 < small < large < hostile == MAX_S
