"""Fixtures of emails: a workspace whose plan has them."""

import pytest

from tests.builders.email_connections import use_plan
from tests.builders.service import Service


@pytest.fixture(autouse=True)
def _plan_with_email(service: Service) -> None:
    use_plan(service, "growth")
