"""Catalogue of error codes: status, title, and the texts of each code's page."""

from typing import Final

from chalicelib.core.problems.access import ACCESS
from chalicelib.core.problems.delivery import DELIVERY
from chalicelib.core.problems.documents import DOCUMENTS
from chalicelib.core.problems.problem import Problem
from chalicelib.core.problems.requests import REQUESTS

__all__ = ["GROUPS", "PROBLEMS", "Problem"]

# By what the codes are about.
GROUPS: Final = {
    "Requests": REQUESTS,
    "Access": ACCESS,
    "Documents": DOCUMENTS,
    "Delivery": DELIVERY,
}
PROBLEMS: Final = {row.code: row for group in GROUPS.values() for row in group}
