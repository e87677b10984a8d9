"""`platen render create`: a document of a file or a template, made by a service."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from chalicelib.core.json import Json, JsonObject
from chalicelib.core.text import terminal_text
from infra.operator.api.page_assets import read_file, referenced_files
from infra.operator.api.problem import Place, ProblemError
from infra.operator.api.render_request import (
    document_input,
    output_options,
    read_object,
    template_input,
    warning_lines,
    write_files,
)
from infra.operator.api.service_api import ServiceApi, connect, service_options
from infra.operator.output import CommandError, command_errors
from infra.operator.tables import answer_lines

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_INPUT: Final = click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True)
_STDIN: Final = Path("-")


@click.command(epilog="Example: platen render create letter.html --data ada.json -o letter.pdf")
@click.argument("file", type=_INPUT, required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="File to write; its suffix says the format. Several files get numbers or suffixes.",
)
@click.option("--data", type=_FILE, help="JSON object; FILE is then a template.")
@click.option("--template", metavar="TPL", help="A stored template, in place of FILE.")
@click.option("--version", metavar="N|live|draft", help="Of --template. Default: live.")
@click.option("--format", "formats", multiple=True, help="png, pdf … Again for more.")
@click.option(
    "--option",
    "pairs",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of `output`, such as pdf.page_size=A5; VALUE is JSON, or a text.",
)
@click.option("--options", "options_file", type=_FILE, help="JSON object: `output` of a request.")
@click.option(
    "--asset",
    "extra",
    type=_FILE,
    multiple=True,
    help="A file that only the data name; what FILE names is sent by itself.",
)
@service_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def create(url: str | None, key: str | None, *, as_json: bool, **options: Any) -> None:
    """Make a document of the HTML in FILE (- is standard input), and write it.

    Style sheets, pictures, fonts and scripts that FILE names by relative addresses are sent along.
    With the test key of this machine's service the document is marked TEST.
    """
    request = _Request(**options)
    request.check()
    with command_errors(as_json=as_json), connect(url, key) as api:
        try:
            render = api.render(request.body(api))
        except ProblemError as problem:
            raise problem.at_place(request.place) from problem
        rows = write_files(api, render, request.output)
    answer = {"id": render["id"], "test": render["test"], "files": rows}
    if as_json:
        click.echo(json.dumps({**answer, "warnings": render["warnings"]}))
        return
    for line in warning_lines(render["warnings"]):
        click.echo(terminal_text(line), err=True)
    click.echo("\n".join(answer_lines(answer)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """The request of a command, by the names of its options."""

    file: Path | None
    output: Path
    data: Path | None
    template: str | None
    version: str | None
    formats: tuple[str, ...]
    pairs: tuple[str, ...]
    options_file: Path | None
    extra: tuple[Path, ...]

    def check(self) -> None:
        """Raise UsageError for faults that show without a service."""
        if (self.file is None) == (self.template is None):
            raise click.UsageError("give FILE, or --template")
        if self.version is not None and self.template is None:
            raise click.UsageError("--version goes with --template")
        if not self.output.parent.is_dir():
            raise click.UsageError(f"--output: there is no folder {self.output.parent}")

    def body(self, api: ServiceApi) -> JsonObject:
        """Return the request; large files are uploaded."""
        file_options = {} if self.options_file is None else read_object(self.options_file)
        output = output_options(file_options, self.pairs, self.formats, self.output)
        data = {} if self.data is None else {"data": read_object(self.data)}
        return {"input": self._input(api, output), **data, **self._version(), "output": output}

    def place(self, field: str, line: int, column: int) -> Place | None:
        """Return the place of a fault in FILE."""
        is_of_file = self.file is not None and field in {"", "html"}
        name = "standard input" if self.file == _STDIN else str(self.file)
        return Place(name, line, column, None) if is_of_file else None

    def _input(self, api: ServiceApi, output: JsonObject) -> JsonObject:
        if self.template is not None:
            return template_input(api, self.template, self._assets("", output))
        html = self._html()
        return document_input(api, html, self._assets(html, output))

    def _html(self) -> str:
        is_file = self.file is not None and self.file != _STDIN
        content = read_file(self.file) if self.file and is_file else sys.stdin.buffer.read()
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            message = f"{self.file}: is not UTF-8 (byte {error.start}); save it as UTF-8"
            raise CommandError("file_unreadable", message) from None

    def _assets(self, html: str, output: JsonObject) -> dict[str, Path]:
        folder = self.file.parent if self.file else Path()
        texts = [html, *(text for text in _texts(output) if "<" in text)]
        assets = {path: folder / path for path in referenced_files(folder, texts)}
        for path in self.extra:
            is_below = path.is_relative_to(folder) and ".." not in path.parts
            assets[path.relative_to(folder).as_posix() if is_below else path.name] = path
        return assets

    def _version(self) -> JsonObject:
        if self.version is None:
            return {}
        return {"version": int(self.version) if self.version.isdecimal() else self.version}


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
