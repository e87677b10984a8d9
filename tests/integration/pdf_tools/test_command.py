"""`platen pdf`: each tool on local files, what it refuses, and what it says then."""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pikepdf
import psutil
import pytest

from chalicelib.engine.pdf_tools import TOOLS
from infra.setup.steps import INSTALL_DIR
from tests.builders.operator import OperatorTool
from tests.builders.pdfs.requests import TOOL_FILES
from tests.builders.pdfs.tool_runs import outline_titles
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration

ARGUMENTS: Final[Mapping[str, Sequence[str]]] = {
    "merge": ["other.pdf"],
    "split": [],
    "extract-pages": ["--pages", "1,3"],
    "delete-pages": ["--pages", "2"],
    "rotate": ["--degrees", "90"],
    "reorder": ["--order", "3,1,2"],
    "watermark": ["--text", "Draft", "--opacity", "0.3"],
    "stamp": ["--page", "other.pdf", "--position", "top-right"],
    "protect": ["--owner-password", "secret", "--forbid", "print"],
    "unlock": [],
    "metadata": ["--title", "A title", "--keywords", "a", "--keywords", "b"],
    "attach": ["--attach", "note.txt"],
    "flatten": [],
    "fill-form": ["--field", "name=Ada"],
    "compress": [],
    "to-images": ["--dpi", "72"],
    "to-text": [],
    "pdfa": ["--level", "3b"],
    "validate": [],
}


def pages(path: str) -> int:
    with pikepdf.open(path) as document:
        return len(document.pages)


def test_every_tool_is_tried_here() -> None:
    assert list(ARGUMENTS) == [each.name for each in TOOLS]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_each_tool_writes_its_files(tool: OperatorTool, name: str) -> None:
    files = [each for each in ARGUMENTS[name] if name == "merge"]
    options = [each for each in ARGUMENTS[name] if name != "merge"]
    answer = tool.json("pdf", name, "form.pdf", *files, *options, "-o", "out.bin")

    expected = len(TOOL_FILES[name]) or 1
    assert len(answer["files"]) == expected
    for row in answer["files"]:
        assert Path(row["path"]).stat().st_size == row["bytes"] > 0
    assert answer["warnings"] == []


@pytest.mark.parametrize("name", ["pdfa", "watermark"])
def test_a_command_starts_what_it_needs_and_leaves_nothing(
    cold_tool: OperatorTool, name: str
) -> None:
    before = set(psutil.Process().children(recursive=True))
    cold_tool.json("pdf", name, "form.pdf", *ARGUMENTS[name], "-o", "out.pdf")

    assert pages("out.pdf") == 3
    left = set(psutil.Process().children(recursive=True)) - before
    _, alive = psutil.wait_procs(left, timeout=PATIENCE_S)
    assert alive == []


def test_several_files_are_numbered(tool: OperatorTool) -> None:
    lines = tool.table(
        "pdf", "split", "form.pdf", "--ranges", "1-2", "--ranges", "3", "-o", "s.pdf"
    )

    assert [line.split()[0] for line in lines] == ["path", "s-1.pdf", "s-2.pdf"]
    assert [pages("s-1.pdf"), pages("s-2.pdf")] == [2, 1]


def test_files_may_have_several_pages_each_and_stand_in_a_zip(tool: OperatorTool) -> None:
    tool.run("pdf", "split", "form.pdf", "--every", "2", "--zip", "-o", "s.zip")

    with ZipFile("s.zip") as archive:
        assert archive.namelist() == ["document-1.pdf", "document-2.pdf"]


def test_merge_makes_bookmarks_of_the_names_of_its_files(tool: OperatorTool) -> None:
    tool.run("pdf", "merge", "other.pdf", "form.pdf", "--bookmarks", "-o", "m.pdf")

    assert outline_titles(Path("m.pdf").read_bytes()) == ["other", "form"]


def test_metadata_without_a_change_are_shown(tool: OperatorTool) -> None:
    tool.run("pdf", "metadata", "form.pdf", "--title", "A title", "-o", "named.pdf")
    lines = tool.table("pdf", "metadata", "named.pdf")
    answer = tool.json("pdf", "metadata", "named.pdf", "-o", "found.json")
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))

    assert lines[0] == "title: A title"
    assert lines[-2:] == ["pages: 3", "encrypted: False"]
    assert answer["metadata"] == found["metadata"]
    assert answer["metadata"]["title"] == "A title"


def test_changed_metadata_need_a_file(tool: OperatorTool) -> None:
    done = tool.run("pdf", "metadata", "form.pdf", "--title", "A title")

    assert done.exit_code == 2
    assert "--output" in done.stderr


def test_merge_keeps_the_order_of_its_files(tool: OperatorTool) -> None:
    tool.run("pdf", "merge", "other.pdf", "form.pdf", "other.pdf", "-o", "m.pdf")

    assert pages("m.pdf") == 7


def test_a_file_may_be_changed_in_place(tool: OperatorTool) -> None:
    tool.table("pdf", "delete-pages", "form.pdf", "--pages", "1", "-o", "form.pdf")

    assert pages("form.pdf") == 2


def test_a_password_opens_a_file(tool: OperatorTool) -> None:
    tool.table("pdf", "unlock", "locked.pdf", "--password", "right", "-o", "open.pdf")

    assert pages("open.pdf") == 2


def test_a_field_given_twice_has_several_choices(tool: OperatorTool) -> None:
    code, detail = tool.refusal(
        "pdf", "fill-form", "form.pdf", "--field", "name=a", "--field", "name=b", "-o", "x.pdf"
    )

    assert (code, detail) == (
        "validation_error",
        "--field name: is a text field: send a text",
    )


@pytest.mark.parametrize(
    ("arguments", "code", "begin"),
    [
        (
            ["rotate", "note.txt", "--degrees", "90"],
            "invalid_pdf_source",
            "note.txt: the file is",
        ),
        (["merge", "form.pdf", "broken.pdf"], "invalid_pdf_source", "broken.pdf: the file is dam"),
        (["compress", "locked.pdf"], "pdf_password_required", "locked.pdf: the PDF opens with"),
        (["rotate", "form.pdf", "--degrees", "45"], "validation_error", "--degrees: must be a mu"),
        (
            ["rotate", "form.pdf", "--degrees", "90", "--pages", "9"],
            "validation_error",
            "--pages: ",
        ),
        (["fill-form", "form.pdf", "--field", "a/b=c"], "validation_error", "--field a/b: the doc"),
        (["stamp", "form.pdf", "--page", "note.txt"], "invalid_pdf_source", "note.txt: the file"),
        (["watermark", "form.pdf", "--image", "note.txt"], "asset_fetch_failed", "note.txt: "),
        (["protect", "form.pdf", "--user-password", "ä" * 64], "validation_error", "--user-passwo"),
        (
            ["pdfa", "form.pdf", "--level", "2a"],
            "pdfa_conversion_failed",
            "--level: the document has no tags",
        ),
    ],
)
def test_a_refusal_names_the_file_or_the_option(
    tool: OperatorTool, arguments: Sequence[str], code: str, begin: str
) -> None:
    refused = tool.refusal("pdf", *arguments, "-o", "out.pdf")

    assert refused[0] == code
    assert refused[1].startswith(begin), refused[1]
    assert not Path("out.pdf").exists()


def test_what_cannot_be_written_is_a_refusal(tool: OperatorTool) -> None:
    Path("out-2.pdf").mkdir()
    refused = tool.refusal("pdf", "split", "form.pdf", "-o", "out.pdf")

    assert refused == ("file_not_written", "out-2.pdf: Is a directory")


def test_a_warning_is_told_and_the_file_written(tool: OperatorTool) -> None:
    made = io.BytesIO()
    with pikepdf.open("form.pdf") as document:
        document.Root.AcroForm.SigFlags = 3
        document.save(made)
    Path("signed.pdf").write_bytes(made.getvalue())
    done = tool.run("pdf", "rotate", "signed.pdf", "--degrees", "90", "-o", "r.pdf")
    as_json = tool.json("pdf", "rotate", "signed.pdf", "--degrees", "90", "-o", "r.pdf")

    assert done.exit_code == 0
    assert done.stderr.startswith("Warning: The document was signed digitally")
    assert [warning["code"] for warning in as_json["warnings"]] == ["feature_unavailable"]
    assert pages("r.pdf") == 3


def test_validate_reports_in_plain_words_and_as_json(tool: OperatorTool) -> None:
    lines = tool.table("pdf", "validate", "form.pdf", "-o", "report.json")
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))

    assert lines[0] == "form.pdf"
    assert any("does NOT conform" in line for line in lines)
    assert (report["pdfa"]["status"], report["pdfua"]["status"]) == ("failed", "failed")


@pytest.mark.parametrize("name", ["flatten", "watermark"])
def test_a_missing_part_is_named_with_its_command(
    tool: OperatorTool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setattr("infra.operator.run_pdf_tool.INSTALL_DIR", tmp_path / "nowhere")
    code, detail = tool.refusal("pdf", name, "form.pdf", *ARGUMENTS[name], "-o", "x.pdf")

    assert code == "part_missing"
    assert detail.endswith("make setup")


def test_without_validators_a_converted_file_is_written_with_a_warning(
    tool: OperatorTool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "fonts").symlink_to(INSTALL_DIR / "fonts")
    monkeypatch.setattr("infra.operator.run_pdf_tool.INSTALL_DIR", tmp_path)
    done = tool.run("pdf", "pdfa", "form.pdf", "-o", "archive.pdf")

    assert done.exit_code == 0
    assert "Warning: The file was not validated: " in done.stderr
    assert "make setup" in done.stderr
    assert pages("archive.pdf") == 3
