"""What is told of the e-invoice that a PDF carries."""

from dataclasses import replace

import pytest

from chalicelib.engine.course import Course
from chalicelib.engine.einvoice.ordered import invoiced
from chalicelib.engine.job import InvoiceOrder
from tests.builders.engine import job
from tests.builders.invoice_json import invoice_json


@pytest.mark.parametrize(
    ("profile", "test", "is_written", "codes"),
    [
        ("MINIMUM", True, True, ["feature_unavailable"]),
        ("MINIMUM", True, False, []),
        ("MINIMUM", False, True, []),
        ("BASIC_WL", True, True, []),
    ],
)
def test_a_test_that_cannot_be_marked_as_one_is_told(
    profile: str, codes: list[str], *, test: bool, is_written: bool
) -> None:
    order = InvoiceOrder(profile, "cii", invoice_json(), None, "output.einvoice", is_written)
    course = Course()

    invoiced(replace(job("x"), einvoice=order, test=test), course)

    assert [warning.code for warning in course.warnings] == codes
