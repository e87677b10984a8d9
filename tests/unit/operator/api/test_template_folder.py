"""Folders of templates: what is read, what is written, and what stays as it is."""

import json
from copy import replace
from pathlib import Path

import pytest

from infra.operator.api.template_folder import TemplateFiles, read_folder, write_folder
from infra.operator.output import CommandError

TEMPLATE = TemplateFiles(
    name="A letter",
    type="html",
    description="For customers",
    texts={"html": "<p>{{ name }}</p>\r\n", "header": "<b>H</b>", "css": "p { color: red }"},
    edges={"header": {"height": "12mm"}, "footer": {"enabled": False}},
    scene=None,
    options={"pdf": {"page_size": "A5"}},
    schema={"type": "object"},
    datasets={"Ä/b:%": {"name": "Ada"}, "Bo": {"name": "Bo", "price": 1.50}},
    default_dataset="Bo",
)


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_template_comes_back_from_its_files(tmp_path: Path) -> None:
    changed = write_folder(tmp_path, TEMPLATE)

    assert read_folder(tmp_path) == TEMPLATE
    assert read_folder(tmp_path).digest() == TEMPLATE.digest()
    assert changed == sorted(files(tmp_path))
    assert "datasets/Bo.json" in changed
    assert "datasets/Ä%2Fb%3A%25.json" in changed
    assert read_folder(tmp_path).source() == {
        "content": {
            "html": "<p>{{ name }}</p>\r\n",
            "css": "p { color: red }",
            "header": {"html": "<b>H</b>", "height": "12mm"},
            "footer": {"enabled": False},
        },
        "options": {"pdf": {"page_size": "A5"}},
        "schema": {"type": "object"},
    }


def test_a_second_write_changes_nothing(tmp_path: Path) -> None:
    write_folder(tmp_path, TEMPLATE)
    (tmp_path / "options.json").write_text('{"pdf":{"page_size":"A5"}}', encoding="utf-8")
    (tmp_path / "notes.md").write_text("Mine", encoding="utf-8")
    before = files(tmp_path)

    assert write_folder(tmp_path, TEMPLATE) == []
    assert files(tmp_path) == before


def test_files_that_the_template_has_no_more_are_deleted(tmp_path: Path) -> None:
    write_folder(tmp_path, TEMPLATE)
    smaller = replace(TEMPLATE, texts={"html": "x"}, edges={}, datasets={}, default_dataset=None)

    changed = write_folder(tmp_path, smaller)

    assert sorted(files(tmp_path)) == [
        "options.json",
        "schema.json",
        "template.html",
        "template.json",
    ]
    assert "style.css" in changed
    assert read_folder(tmp_path) == smaller


def test_data_json_is_the_default_dataset(tmp_path: Path) -> None:
    template = replace(
        TEMPLATE, datasets={"Example": {"a": 1}, "Aa": {"a": 2}}, default_dataset="Example"
    )
    write_folder(tmp_path, template)

    assert json.loads(files(tmp_path)["data.json"]) == {"a": 1}
    assert read_folder(tmp_path) == template


def test_partials_are_files_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "partials").mkdir()
    (tmp_path / "partials" / "a.html").write_text("<b>A</b>", encoding="utf-8")
    text = "{% include 'partials/a.html' %}"
    (tmp_path / "template.html").write_text(text, encoding="utf-8")
    template = read_folder(tmp_path)
    copied = tmp_path / "copied"
    copied.mkdir()

    assert "template.html" not in write_folder(tmp_path, template)
    assert (tmp_path / "template.html").read_text(encoding="utf-8") == text
    assert "partials/a.html" in write_folder(copied, template)
    assert read_folder(copied) == template


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("options.json", "{", "options.json: "),
        ("data.json", "[1]", "data.json: must hold a JSON object"),
        ("style.css", b"\xff", "style.css: is not UTF-8 (byte 0); save it as UTF-8"),
        ("template.json", '{"nmae": "x"}', "template.json: nmae is not known there; known are "),
        ("template.json", '{"default_dataset": "x"}', "default_dataset: there is no dataset x"),
        ("template.html", '{% include "partials/gone.html" %}', "gone.html: No such file"),
    ],
)
def test_a_fault_is_told_with_its_file(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    (tmp_path / "template.html").write_text("x", encoding="utf-8")
    raw = content if isinstance(content, bytes) else content.encode()
    (tmp_path / name).write_bytes(raw)

    with pytest.raises(CommandError) as refusal:
        read_folder(tmp_path)

    assert message in refusal.value.message
    assert str(tmp_path) in refusal.value.message


def test_a_folder_without_a_template_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"needs template\.html or scene\.json"):
        read_folder(tmp_path)
