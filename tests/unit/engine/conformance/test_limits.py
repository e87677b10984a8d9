"""How long the validators may take: longer for more lines and larger documents, never for ever."""

import pytest

from chalicelib.engine.conformance.local_validator import check_timeout_s

LINES = [
    ("cii-EXTENDED", b"<ram:IncludedSupplyChainTradeLineItem>"),
    ("ubl-Invoice-EN16931", b"<cac:InvoiceLine>"),
    ("ubl-CreditNote-EN16931", b"<cac:CreditNoteLine>"),
    ("ubl-Invoice-EN16931", b"<InvoiceLine>"),
]
# What 10 000 lines of the largest profile were seen to take.
LONGEST_SEEN_S = 46
# A validation has to end before the function that does it.
MAX_S = 240


@pytest.mark.parametrize(("kind", "line"), LINES)
def test_an_invoice_of_more_lines_has_longer(kind: str, line: bytes) -> None:
    few, many, hostile = (check_timeout_s(kind, line * count) for count in (10, 10_000, 1_000_000))

    assert 10 < few < 20
    assert many > 3 * LONGEST_SEEN_S
    assert hostile == MAX_S


def test_a_larger_pdf_has_longer() -> None:
    small, large, hostile = (check_timeout_s("pdf-ua1", bytes(size)) for size in (1, 10**6, 10**8))

    assert 10 < small < large < hostile == MAX_S
