"""Texts of the output: templates where the document is one, placeholders everywhere."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import HeaderFooter
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.print_placeholders import PRINT_PLACEHOLDERS
from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.renderer import TemplateRenderer
from chalicelib.engine.templating.template_runner import TemplateRunner
from chalicelib.engine.templating.undefined_value import UndefinedValue
from tests.builders.pages.engine_jobs import NoTemplates, Task, task

HIDE_URL = "<style>.url{display:none!important}</style>"
PAGE, PAGES, TITLE, DATE = PRINT_PLACEHOLDERS.values()


class Templates:
    """The real template language, without its process."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._renderer = TemplateRenderer()

    def render(  # noqa: PLR0913 -- as the port
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        deadline: float,  # noqa: ARG002 -- part of the port
        escape: bool = True,
        includes: Includes = Includes(),  # noqa: B008 -- it is frozen
        locale_defaults: LocaleDefaults = LocaleDefaults(),  # noqa: B008 -- as above
        on_undefined: Callable[[UndefinedValue], None] | None = None,  # noqa: ARG002
    ) -> str:
        self.seen.append(source)
        text = self._renderer.render(
            source,
            data,
            strict=strict,
            escape=escape,
            includes=includes,
            locale_defaults=locale_defaults,
        )
        if isinstance(text, TemplateFailure):
            raise RenderFailure(text.code, text.message, line=text.line)
        return text


def templated(output: dict[str, Any], **data: Any) -> OutputOptions:
    return output_of(task("x", output, templating=True, data=data), Templates())


def plain(output: dict[str, Any]) -> OutputOptions:
    return output_of(task("x", output), NoTemplates())


def output_of(given: Task, templates: TemplateRunner) -> OutputOptions:
    job, context = given
    return job.document(context, templates).output


def header_of(output: OutputOptions) -> HeaderFooter:
    assert output.pdf.header_footer.header is not None
    return output.pdf.header_footer.header


def test_all_four_texts_of_a_header_are_templates() -> None:
    header = {"enabled": True, "left": "{{ n }} & {{ who }}", "right": "{{ page }}/{{ pages }}"}
    footer = {"enabled": True, "html": "<b>{{ who }}</b> {{ date }}"}

    pdf = templated({"pdf": {"header": header, "footer": footer}}, n=1, who="Tom & Co").pdf

    assert pdf.header_footer.header
    assert pdf.header_footer.footer
    assert pdf.header_footer.header.left == "1 & Tom & Co"
    assert pdf.header_footer.header.right == f"{PAGE}/{PAGES}"
    assert pdf.header_footer.footer.html == HIDE_URL + f"<b>Tom &amp; Co</b> {DATE}"
    assert pdf.first_page == pdf.last_page == pdf.single_page == pdf.header_footer


@pytest.mark.parametrize("name", PRINT_PLACEHOLDERS)
def test_page_placeholders_override_data_of_the_same_name(name: str) -> None:
    header = {"enabled": True, "center": f"{{{{ {name} }}}} {{{{ other }}}}"}

    made = templated({"pdf": {"header": header}}, **{name: "mine"}, other="x")

    assert header_of(made).center == f"{PRINT_PLACEHOLDERS[name]} x"


def test_page_placeholders_work_without_templating() -> None:
    texts = {"left": "{{page}} of {{ pages }}", "center": "{{ name }} {% x", "right": "{{title }}"}

    header = header_of(plain({"pdf": {"header": {"enabled": True, **texts}}}))

    assert header.left == f"{PAGE} of {PAGES}"
    assert header.center == texts["center"]
    assert header.right == TITLE


def test_header_html_without_templating_is_unchanged() -> None:
    html = "{{ page }} <i class=pageNumber></i>"

    assert (
        header_of(plain({"pdf": {"header": {"enabled": True, "html": html}}})).html
        == HIDE_URL + html
    )


def test_the_file_name_is_a_template_of_plain_text() -> None:
    output = {"format": "png", "filename": "{{ who }} {{ page }}.png"}

    assert templated(output, who="Tom & Co", page=3).filename == "Tom & Co 3.png"
    assert plain(output).filename == output["filename"]


def test_unprinted_or_plain_texts_are_not_rendered() -> None:
    band: dict[str, Any] = {"enabled": True, "html": "{{ x }}"}
    unused: tuple[dict[str, Any], ...] = (
        {"format": "png", "pdf": {"header": band}},
        {"pdf": {"header": {**band, "enabled": False}}},
    )
    templates = Templates()
    for output in (
        *unused,
        {"filename": "plain", "pdf": {"header": {"enabled": True, "left": "a"}}},
    ):
        output_of(task("d", output, templating=True, data={}), templates)

    assert templates.seen == ["d"] * 3


def test_header_shared_by_many_pages_is_rendered_once() -> None:
    templates = Templates()
    output: dict[str, Any] = {"pdf": {"header": {"enabled": True, "left": "{{ 1 }}"}}}
    output_of(task("d", output, templating=True), templates)

    assert templates.seen == ["d", "{{ 1 }}"]


@pytest.mark.parametrize(
    ("output", "field"),
    [
        ({"filename": "{{"}, "filename"),
        ({"pdf": {"footer": {"enabled": True, "html": "{{"}}}, "pdf.footer.html"),
        ({"pdf": {"first_header": {"enabled": True, "right": "{{"}}}, "pdf.first_header.right"),
        ({"pdf": {"last_footer": {"enabled": True, "left": "{{"}}}, "pdf.last_footer.left"),
    ],
)
def test_error_names_its_field_and_position(output: dict[str, Any], field: str) -> None:
    with pytest.raises(RenderFailure, match=f"^output.{field}: ") as failure:
        templated(output)

    assert failure.value.code == "template_syntax_error"
    assert failure.value.members["line"] == 1
