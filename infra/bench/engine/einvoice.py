"""Benchmark: an e-invoice of 10 lines, compared with the factur-x library (decision 24).

EN 16931 as CII, from the JSON of a caller to bytes, with totals and the service's own rules; in
turn with `generate_cii_xml` of the same content, which gets the computed totals and checks neither
schema nor rule sheets. Measured is processor time on one core.
"""

import gc
import logging
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from facturx import generate_cii_xml  # type: ignore[import-untyped]
from facturx.parse_xml import parse_ubl_cii_xml  # type: ignore[import-untyped]

from chalicelib.engine.einvoice.prepare import EInvoiceInput, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES
from infra.bench.documents import invoice_json
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, Way, run_in_turns, stopwatch

LIMIT: Final = Limit(1.0)
RATE_LIMIT: Final = Limit(500, at_least=True)


class Size(NamedTuple):
    """Rounds, and the documents of each."""

    rounds: Rounds
    documents: int


FULL: Final = Size(Rounds(40, warm_up=3), documents=25)
SMOKE: Final = Size(Rounds(1, warm_up=0), documents=1)
_OURS: Final = "JSON to bytes"
_LIBRARY: Final = "library `factur-x`"


def measure(_parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    # The library logs each term that it leaves out.
    logging.getLogger("factur-x").setLevel(logging.CRITICAL)
    profile = PROFILES["EN16931"]
    invoice_input = EInvoiceInput(
        profile=profile, syntax="cii", source=invoice_json(), findings_root="invoice"
    )
    prepared = prepare_invoice(invoice_input)
    # The library's input is what it reads from our XML.
    terms = parse_ubl_cii_xml(prepared.to_xml())

    def by_library() -> bytes:
        xml: bytes = generate_cii_xml(
            terms, level="en16931", check_xsd=False, check_schematron=False
        )
        return xml

    assert _canonical(prepared.to_xml()) == _canonical(by_library()), "they write something else"
    works: Mapping[str, Callable[[], object]] = {
        "  reading, totals, rules": lambda: prepare_invoice(invoice_input),
        "  writing": prepared.to_xml,
        _OURS: lambda: prepare_invoice(invoice_input).to_xml(),
        _LIBRARY: by_library,
    }
    times = run_in_turns(
        {name: _processor_timed(work, size.documents) for name, work in works.items()}, size.rounds
    )
    times.show(report, "10 lines, EN 16931, CII, ms")
    report.check("documents a second", RATE_LIMIT, 1000 / times.median_ms(_OURS))
    report.result(LIMIT, times.ratio(_OURS, _LIBRARY))


def _processor_timed(work: Callable[[], object], documents: int) -> Way:
    """Return a way that takes the processor time of one document of some."""

    def run() -> None:
        for _ in range(documents):
            work()

    def way() -> float:
        gc.collect()
        return stopwatch(run, time.process_time)() / documents

    return way


def _canonical(xml: bytes) -> str:
    """Return canonical XML without whitespace around elements."""
    return ET.canonicalize(xml.decode(), strip_text=True)
