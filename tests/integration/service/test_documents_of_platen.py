"""`platen render create` and `platen template …` against a running service."""

import io
import json
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, override
from urllib.parse import urlsplit

import pytest
from PIL import Image
from pypdf import PdfReader

from infra.local.examples import EXAMPLES_DIR, example_names
from infra.local.running_stack import RunningStack
from infra.template import ROOT
from tests.builders.operator import OperatorTool
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0H9V9z"/></svg>'
TOOL = """
import signal
# As in a terminal, also where the tests run in the background of a shell, which ignores Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
from infra.operator.cli import main
main()
"""


@pytest.fixture
def tool(stack: RunningStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the tool in an empty folder, with the service that the variables name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLATEN_URL", stack.base_url)
    monkeypatch.setenv("PLATEN_KEY", stack.test_key)
    return OperatorTool(tmp_path / ".run", monkeypatch)


@pytest.fixture
def letter() -> Path:
    """Make a document with a style sheet, two pictures and data."""
    Path("doc/css").mkdir(parents=True)
    Path("doc/dot.svg").write_text(SQUARE, encoding="utf-8")
    Path("doc/css/back.svg").write_text(SQUARE, encoding="utf-8")
    Path("doc/css/a.css").write_text("h1 { background: url(back.svg) }", encoding="utf-8")
    html = (
        '<html lang=en><title>A</title><link rel=stylesheet href="css/a.css"><h1>Hello {{ name }}'
    )
    Path("doc/a.html").write_text(f"{html}</h1><img src=dot.svg alt=dot>", encoding="utf-8")
    Path("ada.json").write_text('{"name": "Ada"}', encoding="utf-8")
    return Path("doc/a.html")


def text(path: str) -> str:
    return PdfReader(path).pages[0].extract_text()


def test_a_file_becomes_a_document_with_the_files_beside_it(
    tool: OperatorTool, letter: Path
) -> None:
    made = tool.json(
        "render", "create", str(letter), "--data", "ada.json", "-o", "a.pdf",
        "--option", "pdf.page_size=A5",
    )  # fmt: skip

    assert made["warnings"] == []
    assert made["test"] is True
    (file,) = made["files"]
    assert (file["path"], file["pages"]) == ("a.pdf", 1)
    assert Path("a.pdf").stat().st_size == file["bytes"]
    assert "Hello Ada" in text("a.pdf")
    assert float(PdfReader("a.pdf").pages[0].mediabox.width) == pytest.approx(420, abs=1)


def test_formats_and_a_missing_file_are_told(tool: OperatorTool, letter: Path) -> None:
    letter.write_text("<img src=gone.png alt=x>", encoding="utf-8")
    done = tool.run(
        "render", "create", str(letter), "-o", "a.pdf", "--format", "pdf", "--format", "png"
    )

    assert done.exit_code == 0
    assert done.stderr.startswith("Warning: asset_failed: ")
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert len(PdfReader("a.pdf").pages) == 1


def test_a_document_comes_from_standard_input(stack: RunningStack, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TOOL, "render", "create", "-", "-o", str(tmp_path / "a.html")],
        cwd=ROOT,
        input=b"<p>From a pipe",
        env={"PLATEN_URL": stack.base_url, "PLATEN_KEY": stack.test_key},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert "From a pipe" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_large_document_and_a_large_picture_are_uploaded(tool: OperatorTool) -> None:
    picture = Image.effect_noise((1800, 1800), 90)
    picture.save("noise.png")
    assert Path("noise.png").stat().st_size > 2_000_000
    filler = "<!-- " + "x" * 5_000_000 + " -->"
    html = f"<h1>Large</h1>{filler}<img src=noise.png width=90 alt=x>"
    Path("a.html").write_text(html, encoding="utf-8")

    made = tool.json("render", "create", "a.html", "-o", "a.pdf")

    assert made["warnings"] == []
    assert "Large" in text("a.pdf")


def test_faults_are_told_with_their_places(tool: OperatorTool, letter: Path) -> None:
    letter.write_text("<p>\n{{ 1 / 0 }}", encoding="utf-8")
    done = tool.run("render", "create", str(letter), "--data", "ada.json", "-o", "a.pdf")
    lines = done.stderr.splitlines()

    assert (done.exit_code, done.stdout) == (1, "")
    assert lines[:3] == [
        "Error: doc/a.html:2:4: A division by zero has no result.",
        "  {{ 1 / 0 }}",
        "     ^",
    ]
    assert lines[3].startswith("  template_runtime_error, request req_")
    wrong = ("--option", "pdf.page_sizes=A5", "--option", "pdf.margin=4")
    refused = tool.run("render", "create", str(letter), "-o", "a.pdf", *wrong).stderr
    assert "\n  /output/pdf/margin: " in refused
    assert "\n  /output/pdf/page_sizes: " in refused
    assert not Path("a.pdf").exists()


def test_a_foreign_key_is_refused_and_never_shown(
    tool: OperatorTool, letter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATEN_KEY", "plt_test_wrong")
    done = tool.run("render", "create", str(letter), "-o", "a.pdf")

    assert done.exit_code == 1
    assert "invalid_api_key" in done.stderr
    assert "plt_test_wrong" not in done.output


@pytest.mark.parametrize("example", example_names())
def test_a_folder_is_pushed_once_and_pulled_as_it_is(
    tool: OperatorTool, test: ApiClient, example: str, tmp_path: Path
) -> None:
    folder = shutil.copytree(EXAMPLES_DIR / example, tmp_path / example)
    made = tool.json("template", "push", str(folder), "--publish", "--note", "First")
    again = tool.json("template", "push", str(folder), "--publish")
    pulled = tool.json("template", "pull", "copied", "--id", made["id"])
    lock = json.loads((folder / "template.lock.json").read_text(encoding="utf-8"))
    (folder / "template.lock.json").unlink()

    assert made["changes"] == ["created", "published version 1"]
    assert (again["status"], again["changes"]) == ("nothing has changed", [])
    assert list(lock) == [str(test.http.base_url).rstrip("/")]
    assert "template.json" in pulled["changes"]
    assert tool.json("template", "push", "copied")["changes"] == []
    assert tool.json("template", "pull", "copied")["changes"] == []
    # Without the checksum of the lock it is the contents that are equal.
    assert tool.json("template", "push", str(folder), "--id", made["id"])["changes"] == []


def test_a_push_makes_name_draft_and_datasets_those_of_the_folder(
    tool: OperatorTool, test: ApiClient
) -> None:
    folder = Path("note")
    folder.mkdir()
    (folder / "template.html").write_text("<p>{{ name }}", encoding="utf-8")
    (folder / "data.json").write_text('{"name": "Ada"}', encoding="utf-8")
    made = tool.json("template", "push", "note")
    (folder / "template.json").write_text('{"name": "A note", "description": "D"}')
    (folder / "style.css").write_text("p { color: red }", encoding="utf-8")
    (folder / "data.json").unlink()
    (folder / "datasets").mkdir()
    for name in ("Bo", "Cy"):
        (folder / "datasets" / f"{name}.json").write_text(json.dumps({"name": name}))

    changed = tool.json("template", "push", "note")
    once = tool.json("template", "push", "note")

    path = f"/templates/{made['id']}"
    template = test.http.get(path).json()
    datasets = test.http.get(f"{path}/datasets").json()["data"]
    assert changed["changes"] == [
        "draft", "name", "description", "deleted dataset Example", "dataset Bo", "dataset Cy"
    ]  # fmt: skip
    assert changed["revision"] == once["revision"] == template["draft_revision"] == 2
    assert once["changes"] == []
    assert (template["name"], template["description"]) == ("A note", "D")
    assert {row["name"]: row["is_default"] for row in datasets} == {"Bo": True, "Cy": False}
    assert test.http.get(f"{path}/draft").json()["content"]["css"] == "p { color: red }"


def test_a_draft_that_others_have_changed_is_not_replaced(
    tool: OperatorTool, test: ApiClient
) -> None:
    Path("note").mkdir()
    source = Path("note/template.html")
    source.write_text("<p>Mine", encoding="utf-8")
    made = tool.json("template", "push", "note")
    path = f"/templates/{made['id']}/draft"
    test.http.put(path, json={"html": "<p>Theirs"})
    source.write_text("<p>Mine again", encoding="utf-8")

    code, detail = tool.refusal("template", "push", "note")
    kept = tool.refusal("template", "pull", "note")[0]

    assert (code, kept) == ("draft_revision_conflict", "folder_changed")
    assert "has revision 2, and was 1 when this folder" in detail
    assert test.http.get(path).json()["content"]["html"] == "<p>Theirs"
    tool.json("template", "pull", "note", "--force")
    assert source.read_text(encoding="utf-8") == "<p>Theirs"
    test.http.put(path, json={"html": "<p>Theirs again"})
    source.write_text("<p>Mine", encoding="utf-8")
    assert tool.json("template", "push", "note", "--force")["changes"] == ["draft"]
    assert test.http.get(path).json()["content"]["html"] == "<p>Mine"


def test_partials_are_files_and_the_version_is_whole(tool: OperatorTool) -> None:
    Path("note/partials").mkdir(parents=True)
    Path("note/partials/who.html").write_text("<b>{{ name }}</b>", encoding="utf-8")
    html = '{% for name in ["Ada", "Bo"] %}{% include "partials/who.html" %}{% endfor %}'
    Path("note/template.html").write_text(html, encoding="utf-8")
    made = tool.json("template", "push", "note", "--publish")
    Path("note/partials/who.html").write_text("<i>{{ name }}</i>", encoding="utf-8")
    changed = tool.json("template", "push", "note")
    tool.json("template", "pull", "copied", "--id", made["id"])
    rendered = tool.json(
        "render", "create", "--template", made["id"], "-o", "a.html", "--version", "1"
    )

    assert changed["changes"] == ["draft"]
    assert Path("copied/template.html").read_text(encoding="utf-8") == html
    assert Path("copied/partials/who.html").read_text(encoding="utf-8") == "<i>{{ name }}</i>\n"
    assert rendered["warnings"] == []
    assert "<b>Ada</b><b>Bo</b>" in Path("a.html").read_text(encoding="utf-8")


@contextmanager
def watching(url: str, key: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Watch a folder during the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", TOOL, "template", "watch", *arguments, "--json"],
        env={"PLATEN_URL": url, "PLATEN_KEY": key, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def next_line(process: "subprocess.Popen[str]") -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr and process.stderr.read()
    read: dict[str, Any] = json.loads(line)
    return read


def test_each_save_is_pushed_and_previewed(stack: RunningStack, tmp_path: Path) -> None:
    folder = tmp_path / "note"
    (folder / "partials").mkdir(parents=True)
    page = folder / "template.html"
    partial = folder / "partials" / "who.html"
    page.write_text('<p>Dear {% include "partials/who.html" %}', encoding="utf-8")
    partial.write_text("{{ name }}", encoding="utf-8")
    (folder / "data.json").write_text('{"name": "Ada"}', encoding="utf-8")
    out = tmp_path / "preview.pdf"

    with watching(stack.base_url, stack.test_key, str(folder), "--out", str(out)) as process:
        first = next_line(process)
        assert (first["object"], first["revision"]) == ("preview", 1)
        assert "Dear Ada" in PdfReader(io.BytesIO(out.read_bytes())).pages[0].extract_text()
        partial.write_text("\n{{ name / 0 }}", encoding="utf-8")
        fault = next_line(process)
        assert (fault["object"], fault["file"]) == ("error", str(partial))
        assert (fault["line"], fault["column"]) == (2, 4)
        partial.write_text("Mr {{ name }}", encoding="utf-8")
        assert next_line(process)["object"] == "preview"
        assert "Dear Mr Ada" in PdfReader(io.BytesIO(out.read_bytes())).pages[0].extract_text()
        process.send_signal(2)
        rest, _ = process.communicate(timeout=30)

    assert (process.returncode, rest) == (0, "")


class _Pipe(socketserver.BaseRequestHandler):
    """One connection that is passed on."""

    @override
    def handle(self) -> None:
        with socket.create_connection(self.server.target) as onward:  # type: ignore[attr-defined]
            back = threading.Thread(target=_pass_on, args=(onward, self.request), daemon=True)
            back.start()
            _pass_on(self.request, onward)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    while block := source.recv(65_536):
        target.sendall(block)


@contextmanager
def forwarded_port(port: int, stack: RunningStack) -> Iterator[None]:
    """Serve the stack's API at a port of this machine during the block."""
    parts = urlsplit(stack.base_url)
    with socketserver.ThreadingTCPServer(("127.0.0.1", port), _Pipe) as server:
        server.daemon_threads = True
        server.target = (parts.hostname, parts.port)  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def test_a_service_that_is_away_is_told_once_and_tried_again(
    stack: RunningStack, tmp_path: Path
) -> None:
    (tmp_path / "template.html").write_text("<p>A", encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"

    with watching(url, stack.test_key, str(tmp_path), "--out", str(tmp_path / "a.pdf")) as process:
        assert next_line(process)["code"] == "service_unreachable"
        with forwarded_port(port, stack):
            assert next_line(process)["object"] == "preview"
        process.kill()
