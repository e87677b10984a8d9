"""Files beside a document: those that a browser would load, and no others."""

from pathlib import Path

import pytest

from infra.operator.api.page_assets import referenced_files

FILES = [
    "css/style.css",
    "css/print.css",
    "fonts/a b.woff2",
    "img/bg.png",
    "img/logo.png",
    "img/logo@2x.png",
    "other.html",
    "secret.txt",
    "app.js",
]
HTML = """<!doctype html><link rel="stylesheet" href="./css/style.css?v=2">
<style>@font-face { src: url('fonts/a%20b.woff2') }</style>
<img src="img/logo.png" srcset="img/logo.png 1x, img/logo@2x.png 2x"><script src=app.js></script>
<a href="other.html">Other</a><img src="gone.png"><img src="{{ photo }}">
<img src="https://example.com/img/logo.png"><img src="/secret.txt"><img src="../secret.txt">
<p style="background: url(img/bg.png)">"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "doc" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    (tmp_path / "secret.txt").write_text("outside", encoding="utf-8")
    sheet = '@import "print.css"; h1 { background: url(../img/bg.png), url(/secret.txt) }'
    (tmp_path / "doc" / "css" / "style.css").write_text(sheet, encoding="utf-8")
    return tmp_path / "doc"


def test_a_document_has_the_files_that_it_and_its_style_sheets_load(folder: Path) -> None:
    assert sorted(referenced_files(folder, [HTML])) == [
        "app.js",
        "css/print.css",
        "css/style.css",
        "fonts/a b.woff2",
        "img/bg.png",
        "img/logo.png",
        "img/logo@2x.png",
    ]


def test_a_style_sheet_alone_has_files_as_well(folder: Path) -> None:
    assert referenced_files(folder, [], ["p { background: url(img/bg.png) }"]) == ["img/bg.png"]
