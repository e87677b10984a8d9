"""Tables of the guides: what a name means, and how pages are filled."""

from pathlib import Path

import pytest

from chalicelib.api.gotenberg._fields import IMAGE_FIELDS, MERGE_FIELDS, PDF_FIELDS, REFUSED
from infra.guides.gotenberg_fields import gotenberg_table
from infra.guides.markdown import table
from infra.guides.options_table import options_table
from infra.guides.tables import fill, main

PAGE = "# Page\n\n<!-- options: wait -->\n<!-- end of options -->\n\nEnd.\n"


def rows(name: str) -> dict[str, str]:
    lines = options_table(name).splitlines()[2:]
    return {line.split("`")[1]: line for line in lines}


@pytest.mark.parametrize(
    "name",
    ["wait", "output.wait", "RenderRequest.output.wait", "RenderRequest.wait"],
)
def test_an_object_has_several_names(name: str) -> None:
    assert list(rows(name)) == ["until", "selector", "expression", "delay_ms", "timeout_ms"]


def test_a_row_has_type_bounds_default_and_text() -> None:
    kind = "whole number, 0 to 10\N{NO-BREAK SPACE}000"

    assert rows("wait")["delay_ms"].startswith(
        f"| `delay_ms` | {kind} | `0` | Milliseconds to wait"
    )


def test_the_default_in_words_stands_in_its_column() -> None:
    assert rows("pdf")["page_ranges"].endswith(
        "| all | Pages to keep, counted from 1, such as `1-3,5`. |"
    )


def test_objects_and_lists_are_rows_with_a_path() -> None:
    names = list(rows("pdf"))

    assert {"margin.top", "attachments[].filename", "protection.permissions.copy"} <= {*names}


def test_a_second_object_of_a_kind_refers_to_the_first_one() -> None:
    found = rows("pdf")

    assert "header.html" in found
    assert "footer.html" not in found
    assert "object, with the members of `header`" in found["footer"]


def test_members_can_be_chosen() -> None:
    assert list(rows("pdf only scale, tagged")) == ["scale", "tagged"]
    assert "footer.html" in rows("pdf without header")
    assert "header" not in rows("pdf without header")


def test_a_union_says_which_object_has_a_member() -> None:
    found = rows("input")

    assert "`html`, `url`, `template`" in found["type"]
    assert "Only with `template`" in found["template_id"]


def test_a_feature_of_a_plan_is_named() -> None:
    assert "From plan `growth`." in rows("pdf")["pdfa"]


@pytest.mark.parametrize("name", ["Nothing", "pdf.nothing", "pdf.scale", "pdf only nothing", "a b"])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"nothing|Nothing|scale|a b"):
        options_table(name)


def test_pipes_braces_and_angle_brackets_do_not_break_a_table() -> None:
    assert table(("a", "b"), [("x | `y | {{ z }}`", "<b> `<i>`")]).splitlines()[2] == (
        "| x &#124; <code>y &#124; &#123;&#123; z &#125;&#125;</code> | &lt;b&gt; `<i>` |"
    )


def test_a_page_is_filled_once() -> None:
    page = fill(PAGE)

    assert "| `until` |" in page
    assert page.endswith("\n\n<!-- end of options -->\n\nEnd.\n")
    assert fill(page) == page


def test_a_marker_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="end of options"):
        fill("<!-- options: wait -->\n\n<!-- plans -->\n<!-- end of plans -->\n")


def test_the_check_names_a_stale_page_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "folder" / "page.md"
    page.parent.mkdir()
    page.write_text(PAGE, encoding="utf-8")

    assert main(["--check"], tmp_path) == 1
    assert str(page) in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == PAGE
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0


def test_each_form_field_of_gotenberg_stands_in_a_table() -> None:
    tables = [gotenberg_table(name) for name in ("pages", "pdf", "pictures", "merge", "refused")]
    fields = {*PDF_FIELDS, *IMAGE_FIELDS, *MERGE_FIELDS, *REFUSED}

    assert {name for name in fields if not any(f"`{name}`" in each for each in tables)} == set()
    assert "| `paperWidth` | length, such as `210mm`" in tables[1]
    assert "| `output.pdf.width` |" in tables[1]


def test_another_table_of_form_fields_is_refused() -> None:
    with pytest.raises(ValueError, match="office is no table"):
        gotenberg_table("office")
