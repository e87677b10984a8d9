"""Catalogue of error codes: status, title, and the texts of each code's page."""

from typing import Final

from chalicelib.core.problems.access import ACCESS
from chalicelib.core.problems.delivery import DELIVERY
from chalicelib.core.problems.documents import DOCUMENTS
from chalicelib.core.problems.problem import Problem
from chalicelib.core.problems.requests import REQUESTS

__all__ = ["PROBLEMS", "Problem"]

PROBLEMS: Final = {row.code: row for row in (*REQUESTS, *ACCESS, *DOCUMENTS, *DELIVERY)}
