"""Emails of a render's rules, made by the real template language."""

import time
from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import DOWNLOADS_MARKER, EmailRule, RenderedEmail
from chalicelib.engine.emails.evaluate import (
    MAX_PARAMS_BYTES,
    MAX_SUBJECT_CHARACTERS,
    MAX_TEXT_BYTES,
    EmailFile,
    evaluate_rules,
)
from chalicelib.engine.templating.renderer import TemplateRenderer

CONTEXT: Final[JsonObject] = {"id": "rnd_1", "reference": "R-7", "test": False, "metadata": {}}
DATA: Final[JsonObject] = {"name": "Ada <b>", "email": "ada@example.com", "total": 120}
LINE_ENDS: Final = ("\r", "\n", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029")
RENDERER: Final = TemplateRenderer()


def run(source: str, more: JsonObject, *, escape: bool) -> str:
    result = RENDERER.render(source, {**DATA, **more}, strict=False, escape=escape)
    if isinstance(result, str):
        return result
    place: dict[str, Any] = {
        "line": result.line,
        "column": result.column,
        "excerpt": result.excerpt,
    }
    raise RenderFailure(result.code, result.message, **place)


def email(**texts: Any) -> RenderedEmail:
    """Return the email of a rule with these texts."""
    usual: dict[str, Any] = {"id": "emr_1", "connection_id": "emc_1", "to": "{{ email }}"}
    rule = EmailRule(**usual | texts)
    files = [EmailFile("pdf", 1_234, 2)]
    (made,) = evaluate_rules([rule], CONTEXT, files, "Bill.pdf", run)
    return made


def code_of(made: RenderedEmail) -> str | None:
    return None if made.fault is None else made.fault.code


def test_texts_see_data_render_and_files() -> None:
    made = email(
        subject="{{ render.reference }} {{ render.files[0].filename }} {{ total }}",
        text="{{ render.files[0].bytes }} {{ render.files[0].pages }} {{ downloads }}",
    )

    assert made.fault is None
    assert made.subject == "R-7 Bill.pdf 120"
    assert made.text == f"1234 2 {DOWNLOADS_MARKER}"
    assert made.to == (Mailbox("ada@example.com"),)


def test_only_html_escapes() -> None:
    made = email(subject="{{ name }}", html="<i>{{ name }}</i>", from_name="{{ name }}")

    assert made.html == "<i>Ada &lt;b&gt;</i>"
    assert (made.subject, made.from_name) == ("Ada <b>", "Ada <b>")
    assert made.text == "Ada <b>"


@pytest.mark.parametrize(
    ("condition", "is_wanted"),
    [("", True), (" ", True), ("total > 100", True), ("total > 200", False), ("missing", False)],
)
def test_condition_decides(condition: str, *, is_wanted: bool) -> None:
    made = email(condition=condition, subject="{{ 1 // 0 }}" if not is_wanted else "x")

    assert made.is_wanted == is_wanted
    assert made.fault is None


@pytest.mark.parametrize(
    "condition",
    [
        "1 %}{{ 1 }}{% if 1",
        "1\n%}{% set x = 1",
        "1 #}",
        "{# a #} 1",
        "'a",
        "1 -%} x {%- if 1",
        "{{",
    ],
)
def test_condition_cannot_leave_its_tag(condition: str) -> None:
    assert code_of(email(condition=condition)) == "email_template_error"


@pytest.mark.parametrize("line_end", LINE_ENDS)
@pytest.mark.parametrize("field", ["subject", "from_name"])
def test_header_field_is_one_line(field: str, line_end: str) -> None:
    made = email(**{field: f"a{line_end}Bcc: eve@example.com{{{{ '' }}}}\n"})

    assert getattr(made, field) == "a Bcc: eve@example.com"


@pytest.mark.parametrize("line_end", LINE_ENDS)
def test_address_and_name_have_no_line_end(line_end: str) -> None:
    for made in (
        email(to=f'"a{line_end}Bcc: e@x.org" <ada@example.com>'),
        email(to=f"ada@example.com{line_end}Bcc: eve@example.com"),
        email(to_instead=(f"A{line_end}B <ada@example.com>",)),
    ):
        assert code_of(made) == "email_address_invalid"


def test_recipients_are_separated_and_each_counts_once() -> None:
    made = email(
        to='"Doe, John" <j@x.org>; ada@example.com, ada@EXAMPLE.com\nZoë <z@x.org>\r\n;',
        cc="j@x.org",
    )

    assert made.fault is None
    assert made.to == (
        Mailbox("j@x.org", "Doe, John"),
        Mailbox("ada@example.com"),
        Mailbox("z@x.org", "Zoë"),
    )
    assert made.cc == (Mailbox("j@x.org"),)


@pytest.mark.parametrize(
    "entry",
    [
        *(
            "a@x.org b@x.org",
            "a@x.org <b@x.org> c",
            "<a@x.org><b@x.org>",
            "nobody",
            "a@b",
            "@x.org",
        ),
        *('"a b"@x.org', "a@x..org", "a@[127.0.0.1]", "a" * 250 + "@x.org", "(" * 250),
        *(
            "x" * 600 + " <a@x.org>",
            "group: a@x.org",
            "a@x.org\0",
            "=?utf-8?q?a?= b@x.org",
            "\ud800@x.org",
        ),
    ],
)
def test_entry_that_is_no_address_is_told(entry: str) -> None:
    made = email(to_instead=("ada@example.com", entry))

    assert code_of(made) == "email_address_invalid"
    assert made.recipient_errors == (entry[:512],)
    assert made.to == (Mailbox("ada@example.com"),)


def test_literal_recipients_replace_those_of_the_rule() -> None:
    made = email(to="{{", to_instead=("Doe, J <j@x.org>",), cc="a@x.org", cc_instead=())

    assert made.fault is None
    assert made.to == (Mailbox("j@x.org", "Doe, J"),)
    assert made.cc == ()


def test_number_of_recipients_has_a_bound() -> None:
    many = [f"{n}@x.org" for n in range(50)]

    assert code_of(email(to=",".join(many))) is None
    assert code_of(email(to=",".join(many), bcc="b@x.org")) == "email_too_many_recipients"
    assert code_of(email(to="{{ 'a@x.org,' * 100000 }}")) == "email_too_many_recipients"
    assert code_of(email(to=" {{ missing }} ")) == "email_recipient_missing"


@pytest.mark.parametrize(
    ("texts", "field"),
    [
        ({"html": "{{ 'ü' * 500001 }}"}, "html"),
        ({"html": "{{ 'a' * 600000 }}", "text": "{{ 'a' * 600000 }}"}, "html"),
        ({"subject": "{{ 'a' * 999 }}"}, "subject"),
        (
            {"provider_template_id": 1, "provider_template_params": "{{ 'a' * 100001 }}"},
            "provider_template",
        ),
    ],
)
def test_text_over_its_bound_is_refused(texts: dict[str, Any], field: str) -> None:
    made = email(**texts)

    assert code_of(made) == "email_too_large"
    assert made.fault is not None
    assert made.fault.field == field


def test_texts_at_their_bounds_are_sent() -> None:
    made = email(
        subject="a" * MAX_SUBJECT_CHARACTERS,
        html=f"{{{{ 'a' * {MAX_TEXT_BYTES - 1} }}}}",
        text="b",
        provider_template_id=1,
        provider_template_params=f'{{"a": "{"a" * (MAX_PARAMS_BYTES - 9)}"}}',
    )

    assert made.fault is None


@pytest.mark.parametrize(
    "params", ["[1]", "{", "1", "nothing", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 5_000]
)
def test_params_must_be_an_object(params: str) -> None:
    made = email(provider_template_id=1, provider_template_params="{{ '' }}" + params)

    assert made.fault is not None
    assert (made.fault.code, made.fault.field) == ("email_template_error", "provider_template")


def test_params_are_json() -> None:
    params = '{"name": {{ name|tojson }}}'

    assert email(provider_template_id=1, provider_template_params=params).params is not None


FIELDS: Final = ("condition", "from_name", "reply_to", "to", "cc", "bcc", "subject", "html", "text")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("hostile", ["'a'.foo()", "range(10**9)|list|length", "1 // 0", "(" * 500])
def test_failing_text_is_the_fault_of_its_email_only(field: str, hostile: str) -> None:
    source = hostile if field == "condition" else f"\n{{{{ {hostile} }}}}"
    texts: dict[str, Any] = {"id": "emr_1", "connection_id": "emc_1", "to": "a@x.org"}
    texts[field] = source
    rules = [
        EmailRule(**texts),
        EmailRule(id="emr_2", connection_id="emc_1", to="a@x.org", subject="fine"),
    ]

    faulty, fine = evaluate_rules(rules, CONTEXT, [], None, run)

    assert faulty.fault is not None
    assert (faulty.fault.code, faulty.fault.field) == ("email_template_error", field)
    assert faulty.fault.line in {None, 1 if field == "condition" else 2}
    assert (fine.fault, fine.subject) == (None, "fine")


def test_time_that_is_over_is_the_fault_of_the_emails() -> None:
    def run_late(source: str, more: JsonObject, *, escape: bool) -> str:
        assert (source, "render" in more, escape) == ("{{ email }}", True, False)
        raise RenderFailure("render_timeout", "The template did not finish in time.")

    rule = EmailRule(id="emr_1", connection_id="emc_1", to="{{ email }}")
    (made,) = evaluate_rules([rule], CONTEXT, [], None, run_late)

    assert code_of(made) == "internal_error"


def test_text_that_cannot_be_run_fails_no_render() -> None:
    def run_broken(source: str, more: JsonObject, *, escape: bool) -> str:
        raise ZeroDivisionError(source, more, escape)

    rule = EmailRule(id="emr_1", connection_id="emc_1", to="{{ email }}")
    (made,) = evaluate_rules([rule], CONTEXT, [], None, run_broken)

    assert code_of(made) == "internal_error"


def test_many_addresses_do_not_take_long() -> None:
    started = time.process_time()

    email(to="{{ 'a@x.org (((,' * 1000000 }}")
    email(to="{{ '\"\\\\' * 1000000 }}")

    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("reply_to", "judged"),
    [
        ("a@x.org, b@x.org", "all are email addresses"),
        ("a@x.org; nobody", "number 2 is no email address"),
        ("nobody, b@x.org, c@", "number 1, 3 is no email address"),
    ],
)
def test_each_of_several_addresses_for_replies_is_judged(reply_to: str, judged: str) -> None:
    rule = EmailRule(id="emr_1", connection_id="emc_1", to="a@x.org", reply_to=reply_to)

    (made,) = evaluate_rules([rule], CONTEXT, [], None, run)

    assert code_of(made) == "email_address_invalid"
    assert made.fault is not None
    assert made.fault.field == "reply_to"
    assert judged in made.fault.message
