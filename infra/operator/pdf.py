"""`platen pdf`: the PDF tools on local files, by the engine of the service and without it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click

from chalicelib.core.json import JsonObject
from chalicelib.core.text import terminal_text
from chalicelib.engine.pdf_tools import TOOLS, PdfTool
from infra.operator.conform import report_lines
from infra.operator.output import CommandError, command_errors
from infra.operator.tables import answer_lines

if TYPE_CHECKING:
    from infra.operator.run_pdf_tool import ToolRun

# Options of a command that were given, by their names.
type _Given = dict[str, object]

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_PAGES: Final = click.Option(["--pages"], help="Such as 1,3-5. Default: all.")
_NEEDED_PAGES: Final = click.Option(["--pages"], required=True, help="Such as 1,3-5.")
_MARK: Final = (
    click.Option(["--text"], help="The text to draw."),
    click.Option(["--image"], type=_FILE, help="The picture to draw."),
    click.Option(["--opacity"], type=float, help="0 to 1."),
    click.Option(["--angle"], type=float, help="Degrees, counter-clockwise."),
    click.Option(["--position"], help="center, top-left … bottom-right."),
    click.Option(["--font-size"], help="A length, such as 24pt."),
    click.Option(["--color"], help="A CSS color."),
    click.Option(["--layer"], type=click.Choice(["over", "under"])),
    _PAGES,
)
# Options of the commands; those that are named as in the request need no further code.
_OPTIONS: Final[Mapping[str, Sequence[click.Option]]] = {
    "merge": [click.Option(["--bookmarks"], is_flag=True, help="An outline entry for each file.")],
    "split": [
        click.Option(["--ranges"], multiple=True, help="A file for each. Default: every page."),
        click.Option(["--every"], type=int, help="Pages of each file, in place of --ranges."),
        click.Option(["--zip"], is_flag=True, help="One ZIP with the files."),
    ],
    "extract-pages": [_NEEDED_PAGES],
    "delete-pages": [_NEEDED_PAGES],
    "rotate": [
        click.Option(
            ["--degrees"], type=int, required=True, help="A multiple of 90, clockwise; or negative."
        ),
        _PAGES,
    ],
    "reorder": [click.Option(["--order"], required=True, help="Every page once: 3,1,2.")],
    "watermark": _MARK,
    "stamp": [
        *_MARK,
        click.Option(["--page"], type=_FILE, help="A PDF: its first page."),
    ],
    "protect": [
        click.Option(["--user-password"], help="Opens the document."),
        click.Option(["--owner-password"], help="Allows what is forbidden."),
        click.Option(
            ["--forbid"],
            multiple=True,
            type=click.Choice(["print", "copy", "modify", "annotate"]),
            help="Without the owner password.",
        ),
    ],
    "metadata": [
        click.Option(
            ["--title"], help="An empty text removes it, as those below. None of them: only read."
        ),
        click.Option(["--author"]),
        click.Option(["--subject"]),
        click.Option(["--keywords"], multiple=True, help="One; again for more."),
        click.Option(["--language"], help="A BCP 47 tag."),
    ],
    "attach": [
        click.Option(
            ["--attach"], type=_FILE, multiple=True, required=True, help="A file to carry."
        )
    ],
    "fill-form": [
        click.Option(
            ["--field"],
            multiple=True,
            required=True,
            help="NAME=VALUE; true or false for a check box; again for more choices of a list.",
        )
    ],
    "to-images": [
        click.Option(
            ["--format"], type=click.Choice(["png", "jpeg", "webp"]), help="Default: png."
        ),
        click.Option(["--dpi"], type=int, help="Pixels for each inch, 36 to 300. Default: 150."),
        _PAGES,
    ],
    "pdfa": [click.Option(["--level"], help="2b (default), 2u, 2a, 3b, 3u or 3a.")],
}
# Options of the example in the help, of tools that need some.
_EXAMPLES: Final[Mapping[str, str]] = {
    "merge": "cover.pdf",
    "split": "--every 2",
    "extract-pages": "--pages 1,3-5",
    "delete-pages": "--pages 2",
    "rotate": "--degrees 90",
    "reorder": "--order 3,1,2",
    "watermark": "--text Draft --opacity 0.3",
    "stamp": "--image logo.png --angle 45",
    "protect": "--owner-password secret",
    "unlock": "--password secret",
    "attach": "--attach data.csv",
    "fill-form": "--field name=Ada",
    "pdfa": "--level 3b",
}
# What the file is that may be left out, of tools that make no PDF of their own accord.
_OUTPUTS: Final[Mapping[str, str]] = {
    "validate": "File for the report, as JSON.",
    "metadata": "File to write; without a change that for what was read, as JSON.",
}


@click.group()
def pdf() -> None:
    """Run a PDF tool on local files, without a service."""


def _add_command(tool: PdfTool) -> None:
    def run(
        files: Path | tuple[Path, ...],
        output: Path | None,
        password: str | None,
        *,
        as_json: bool,
        **options: object,
    ) -> None:
        # Imported late: pydantic and the browser's modules are slow.
        from infra.operator.run_pdf_tool import run_pdf_tool

        paths = files if isinstance(files, tuple) else (files,)
        given = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in options.items()
            # Zero is a value, and equal to False.
            if value not in (None, ()) and value is not False
        }
        _check_use(tool.name, paths, output, given)
        with command_errors(as_json=as_json):
            done = run_pdf_tool(tool.name, paths, password, given)
            written = _write(done, output)
        if as_json:
            click.echo(json.dumps(_answer(done, written)))
        else:
            _print_answer(tool.name, paths, done, written)

    given = " ".join(filter(None, [_EXAMPLES.get(tool.name), "-o out.pdf"]))
    example = f"Example: platen pdf {tool.name} in.pdf {given}"
    command = click.command(name=tool.name, help=f"{tool.summary}.", epilog=example)(run)
    command.params = _parameters(tool)
    pdf.add_command(command)


def _parameters(tool: PdfTool) -> list[click.Parameter]:
    is_merge = tool.name == "merge"
    output = _OUTPUTS.get(tool.name, "File to write.")
    return [
        click.Argument(
            ["files"],
            nargs=-1 if is_merge else 1,
            type=_FILE,
            required=True,
            metavar="FILE..." if is_merge else "FILE",
        ),
        click.Option(
            ["-o", "--output"],
            type=click.Path(dir_okay=False, writable=True, path_type=Path),
            required=tool.name not in _OUTPUTS,
            help=f"{output} Its name gets -1, -2 and so on." if _has_parts(tool) else output,
        ),
        click.Option(["--password"], help="Opens a protected PDF."),
        *_OPTIONS.get(tool.name, ()),
        click.Option(["--json", "as_json"], is_flag=True, help="One JSON object, not a table."),
    ]


def _has_parts(tool: PdfTool) -> bool:
    return tool.name in {"split", "to-images"}


def _check_use(tool: str, files: Sequence[Path], output: Path | None, given: _Given) -> None:
    """Raise UsageError for faults that show without reading a file."""
    if tool == "merge" and len(files) < 2:  # noqa: PLR2004 -- else there is nothing to merge
        raise click.UsageError("merge takes two files or more")
    if output is None and tool == "metadata" and given:
        raise click.UsageError("metadata takes --output for what it changes")
    if output is not None and not output.parent.is_dir():
        raise click.UsageError(f"--output: there is no folder {output.parent}")
    marks = {"watermark": ["text", "image"], "stamp": ["text", "image", "page"]}.get(tool, [])
    if marks and sum(name in given for name in marks) != 1:
        raise click.UsageError(f"{tool} takes one of {_option_list(marks)}")
    needed = ["user_password", "owner_password"] if tool == "protect" else []
    if needed and not any(name in given for name in needed):
        raise click.UsageError(f"{tool} takes at least one of {_option_list(needed)}")


def _option_list(names: Sequence[str]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


def _write(done: "ToolRun", output: Path | None) -> list[JsonObject]:
    rows: list[JsonObject] = []
    if output is None:
        return rows
    try:
        for file in done.outcome.files:
            part = "" if file.part is None else f"-{file.part}"
            path = output.with_name(f"{output.stem}{part}{output.suffix}")
            path.write_bytes(file.content)
            rows.append({"path": str(path), "bytes": len(file.content), "pages": file.pages})
        if not done.outcome.files:
            found = done.outcome.result or done.report
            output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
            rows.append({"path": str(output), "bytes": output.stat().st_size, "pages": None})
    except OSError as error:
        raise CommandError("file_not_written", f"{error.filename}: {error.strerror}") from error
    return rows


def _answer(done: "ToolRun", written: Sequence[JsonObject]) -> JsonObject:
    warnings = [
        {"code": warning.code, "message": warning.message}
        for warning in done.outcome.trace.warnings
    ]
    report = {"conformance": done.report} if done.report else {}
    description = done.outcome.result or {}
    return {"files": written, "warnings": warnings, **cast("JsonObject", report), **description}


def _print_answer(
    tool: str, files: Sequence[Path], done: "ToolRun", written: Sequence[JsonObject]
) -> None:
    for warning in done.outcome.trace.warnings:
        click.echo(f"Warning: {terminal_text(warning.message)}", err=True)
    if tool == "validate":
        name = terminal_text(files[0].name)
        click.echo("\n".join(report_lines(name, done.report, done.reasons)))
        return
    if done.outcome.result is not None:
        click.echo("\n".join(_description_lines(done.outcome.result)))
        return
    click.echo("\n".join(answer_lines({"data": written})))
    for subject, part in done.report.items():
        if part["status"] == "unavailable":
            message = f"The file was not validated: {done.reasons[subject]}"
            click.echo(f"Warning: {terminal_text(message)}", err=True)


def _description_lines(description: JsonObject) -> Iterator[str]:
    """Yield a line for each thing that a document says of itself."""
    metadata = cast("JsonObject", description["metadata"])
    for name, value in {**metadata, **description}.items():
        if name != "metadata" and value not in (None, []):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield f"{name}: {terminal_text(shown)}"


for _tool in TOOLS:
    _add_command(_tool)
