"""Names of files in emails that have none of their own."""

import time
from typing import Any

import pytest

from chalicelib.contract.options.output import EInvoiceOptions, OutputOptions
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import JobContext
from chalicelib.engine.delivery.emails import EmailRule, EmailRules
from chalicelib.engine.emails.file_names import attachment_name
from chalicelib.engine.emails.job_emails import job_emails
from chalicelib.engine.job import PageJob
from chalicelib.engine.sources import TemplateSource

RENDER_ID = "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"
EINVOICE = OutputOptions(einvoice=EInvoiceOptions(profile="EN16931", invoice_path="invoice"))


class NoTemplates:
    def render(self, source: str, *_: Any, **_more: Any) -> str:
        return source


def stem_of(data: JsonObject, output: OutputOptions) -> str:
    rule = EmailRule(id="emr_1", connection_id="emc_1", to="a@x.org", html="x", text="x")
    rules = EmailRules({"id": RENDER_ID}, (rule,), template_name="Monthly invoice")
    job = PageJob(source=TemplateSource("tpl_1"), data=data, emails=rules, output=output)
    context: Any = JobContext.__new__(JobContext)
    object.__setattr__(context, "deadline", time.time() + 60)
    templates: Any = NoTemplates()
    (email,) = job_emails(job, context, templates, [], None)
    return email.file_stem


@pytest.mark.parametrize(
    ("data", "output", "stem"),
    [
        ({"invoice": {"number": "RE-7"}}, EINVOICE, "RE-7"),
        ({"invoice": {"number": "RE-7"}}, OutputOptions(), "Monthly invoice"),
        ({"invoice": {}}, EINVOICE, "Monthly invoice"),
    ],
)
def test_stem_is_the_invoice_number_or_the_name_of_the_template(
    data: JsonObject, output: OutputOptions, stem: str
) -> None:
    assert stem_of(data, output) == stem


@pytest.mark.parametrize(
    ("filename", "stem", "name"),
    [
        (f"{RENDER_ID}.pdf", "RE/2026: 7", "RE2026 7.pdf"),
        (f"{RENDER_ID}-2.pdf", "RE-7", "RE-7-2.pdf"),
        (f"{RENDER_ID}.pdf", "", f"{RENDER_ID}.pdf"),
        (f"{RENDER_ID}.pdf", "../\r\n", f"{RENDER_ID}.pdf"),
        ("own.pdf", "RE-7", "own.pdf"),
    ],
)
def test_only_a_file_without_a_name_gets_one(filename: str, stem: str, name: str) -> None:
    part = 2 if "-2." in filename else None
    assert attachment_name(filename, stem, RENDER_ID, "pdf", part) == name
