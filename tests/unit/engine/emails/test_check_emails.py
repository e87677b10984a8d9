"""Emails of an engine, which is not trusted."""

from collections.abc import Sequence
from typing import Any, Final

import pytest

from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import EmailRule, RenderedEmail
from chalicelib.engine.emails.evaluate import check_emails


def code_of(made: RenderedEmail) -> str | None:
    return None if made.fault is None else made.fault.code


BAD: Final[Sequence[dict[str, Any]]] = (
    {"to": (Mailbox("a@x.org\r\nBcc: b@x.org"),)},
    {"to": (Mailbox("a@x.org", "a\nb"),)},
    {"to": (Mailbox("a@x.org"),) * 52},
    {"to": ()},
    {"to": (Mailbox("a@x.org"),), "subject": "a\u2028b"},
    {"to": (Mailbox("a@x.org"),), "from_name": "a\x85b"},
    {"to": (Mailbox("a@x.org"),), "html": "a" * 8_000_001},
    {"to": (Mailbox("a@x.org"),), "html": "\ud800"},
    {"to": (Mailbox("a@x.org"),), "params": {"a": "\ud800"}},
    {"to": (Mailbox("a@x.org", "\ud800"),)},
)


@pytest.mark.parametrize("members", BAD)
def test_emails_of_an_engine_are_not_trusted(members: dict[str, Any]) -> None:
    rule = EmailRule(id="emr_1", connection_id="emc_1")
    bad = RenderedEmail(is_wanted=True, **members)

    (checked,) = check_emails([rule], [bad])

    assert code_of(checked) == "internal_error"


def test_emails_of_an_engine_are_as_many_as_the_rules() -> None:
    rule = EmailRule(id="emr_1", connection_id="emc_1")
    good = RenderedEmail(is_wanted=True, to=(Mailbox("a@x.org"),))

    assert check_emails([rule], [good]) == (good,)
    assert [code_of(each) for each in check_emails([rule], [])] == ["internal_error"]
    assert len(check_emails([rule], [good, good])) == 1
