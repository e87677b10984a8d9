"""`platen pdf`: the PDF tools on local files, by the engine of the service and without it."""

import json
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from copy import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from chalicelib.contract.pdf_tools import requests
from chalicelib.contract.pdf_tools.requests import tool_options, tool_sources
from chalicelib.contract.pdf_tools.source import ToolRequest
from chalicelib.contract.validation import read_part
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.conformance.report import conformance_report
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import JobContext, MarkJob, PdfToolJob, RenderOutcome
from chalicelib.engine.pdf_tools import TOOLS, PdfTool
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine, tool_worker
from chalicelib.engine.ports import NoEgress
from chalicelib.engine.render_engine import RenderEngine
from chalicelib.engine.templating.worker import TemplateWorker
from infra.operator.output import CommandError, print_answer
from infra.setup.steps import INSTALL_DIR

_TIMEOUT_S: Final = 600
_MAX_PAGES: Final = 100_000
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
    "split": [click.Option(["--ranges"], multiple=True, help="A file for each, such as 1-3.")],
    "extract-pages": [_NEEDED_PAGES],
    "delete-pages": [_NEEDED_PAGES],
    "rotate": [
        click.Option(["--angle"], type=int, required=True, help="90, 180 or 270, clockwise."),
        _PAGES,
    ],
    "reorder": [click.Option(["--order"], required=True, help="Every page once: 3,1,2.")],
    "watermark": _MARK,
    "stamp": [*_MARK, click.Option(["--page"], type=_FILE, help="A PDF: its first page.")],
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
        click.Option(["--title"]),
        click.Option(["--author"]),
        click.Option(["--subject"]),
        click.Option(["--keywords"], multiple=True),
        click.Option(["--language"], help="A BCP 47 tag."),
    ],
    "attach": [click.Option(["--attach"], type=_FILE, multiple=True, required=True)],
    "fill-form": [
        click.Option(
            ["--field"], multiple=True, required=True, help="NAME=VALUE; true and false check."
        )
    ],
    "to-images": [
        click.Option(["--format"], type=click.Choice(["png", "jpeg", "webp"])),
        click.Option(["--dpi"], type=int),
        _PAGES,
    ],
    "convert-pdfa": [click.Option(["--pdfa"], help="2b, 2u, 2a, 3b, 3u or 3a.")],
}


@click.group()
def pdf() -> None:
    """Run a PDF tool on local files, without a service."""


def _add_command(tool: PdfTool) -> None:
    @print_answer
    def run(
        files: Path | tuple[Path, ...], output: Path | None, password: str | None, **options: Any
    ) -> Mapping[str, Any]:
        paths = files if isinstance(files, tuple) else (files,)
        sources = [_source(path, password) for path in paths]
        request = _request(tool.name, sources, options)
        outcome = _run(tool.name, request)
        report = _report(tool.name, outcome)
        written = _write(outcome, output)
        for warning in outcome.trace.warnings:
            click.echo(f"{warning.code}: {warning.message}", err=True)
        return {"files": written} if report is None else {"files": written, "conformance": report}

    nargs = -1 if tool.name == "merge" else 1
    parameters: list[click.Parameter] = [
        click.Argument(["files"], nargs=nargs, type=_FILE, required=True),
        click.Option(
            ["-o", "--output"],
            type=click.Path(dir_okay=False, path_type=Path),
            required=tool.name != "validate",
            help="File to write; several end with -1, -2 and so on.",
        ),
        click.Option(["--password"], help="Opens a protected PDF."),
        *_OPTIONS.get(tool.name, ()),
    ]
    command = click.command(name=tool.name, help=f"{tool.summary}.")(run)
    command.params = [*parameters, *command.params]
    pdf.add_command(command)


def _source(path: Path, password: str | None) -> Mapping[str, Any]:
    content = {"content": b64encode(path.read_bytes()).decode()}
    return content if password is None else {**content, "password": password}


def _request(
    tool: str, sources: Sequence[Mapping[str, Any]], options: Mapping[str, Any]
) -> ToolRequest:
    """Return the request of the API for a command; raises `validation_error`."""
    given = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in options.items()
        if value not in (None, ())
    }
    body = _MEMBERS.get(tool, dict)(given)
    body |= {"sources": sources} if tool == "merge" else {"source": sources[0]}
    model = getattr(requests, f"{tool.title().replace('-', '')}Request")
    request: ToolRequest = read_part(model, body, "")
    return request


def _mark_members(tool: str, options: dict[str, Any]) -> dict[str, Any]:
    pages = {"pages": options.pop("pages")} if "pages" in options else {}
    if "image" in options:
        options["image"] = _source(options["image"], None)
    if "page" in options:
        options |= _source(options.pop("page"), None)
    return {tool: options, **pages}


def _protection_members(options: dict[str, Any]) -> dict[str, Any]:
    forbidden = dict.fromkeys(options.pop("forbid", ()), False)
    return {"protection": {**options, "permissions": forbidden}}


# How the members of a request are made of the options of a command, where their names differ.
_MEMBERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "reorder": lambda given: {"order": [_number(each) for each in given["order"].split(",")]},
    "watermark": partial(_mark_members, "watermark"),
    "stamp": partial(_mark_members, "stamp"),
    "protect": _protection_members,
    "metadata": lambda given: {"info": given},
    "attach": lambda given: {"attachments": [_attachment(path) for path in given["attach"]]},
    "fill-form": lambda given: {"fields": dict(_field(each) for each in given["field"])},
}


def _attachment(path: Path) -> dict[str, Any]:
    return {**_source(path, None), "filename": path.name}


def _field(text: str) -> tuple[str, str | bool]:
    name, separator, value = text.partition("=")
    if not separator:
        raise CommandError("validation_error", f"--field {text}: write NAME=VALUE")
    return name, {"true": True, "false": False}.get(value, value)


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise CommandError("validation_error", f"--order: {text!r} is no number") from None


def _run(tool: str, request: ToolRequest) -> RenderOutcome:
    """Run the tool; raises CommandError."""
    job = PdfToolJob(tool_options(tool, request), tool_sources(request), _MAX_PAGES)
    context = JobContext(time.time() + _TIMEOUT_S, uploads=_no_upload)
    try:
        mark = job.options.mark
        if mark is not None:
            job = replace(job, mark=_print_mark(MarkJob(mark, f"/{tool}"), context))
        worker, templates = tool_worker(str(INSTALL_DIR / "fonts")), TemplateWorker()
        engine = PdfToolEngine(NoEgress(), worker, templates)
        try:
            return engine.run(job, context)
        finally:
            engine.close()
    except RenderFailure as failure:
        raise CommandError(failure.code, failure.detail) from failure


def _no_upload(upload_id: str) -> bytes:
    raise RenderFailure("upload_not_found", f"There is no upload {upload_id} here.")


def _print_mark(mark: MarkJob, context: JobContext) -> bytes:
    """Return the page with a mark; the browser ends with this process."""
    engine = RenderEngine(
        chromium_dir=str(INSTALL_DIR / "chromium"),
        fonts_dir=str(INSTALL_DIR / "fonts"),
        sandbox=True,
        egress=NoEgress(),
    )
    return engine.run(mark, context).files[0].content


def _report(tool: str, outcome: RenderOutcome) -> Mapping[str, Any] | None:
    """Return the verdicts on a document; raises CommandError for a file that misses its claim."""
    if not outcome.validation_requests:
        return None
    validator = LocalValidator(INSTALL_DIR / "validators")
    report: dict[str, Any] = {}
    try:
        for each in outcome.validation_requests:
            verdicts = validator.validate(each.content, each.checks, Deadline.after(_TIMEOUT_S))
            report |= conformance_report(each.checks, verdicts, None, each.own_findings)
    finally:
        validator.close()
    errors = report.get("pdfa", {}).get("errors", [])
    if tool == "convert-pdfa" and errors:
        raise CommandError("pdfa_conversion_failed", json.dumps(errors[0]["message"]))
    return report


def _write(outcome: RenderOutcome, output: Path | None) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for file in outcome.files:
        assert output is not None, "a tool that gives files needs their name"
        path = output
        if file.part is not None:
            path = output.with_name(f"{output.stem}-{file.part}{output.suffix}")
        path.write_bytes(file.content)
        rows.append({"path": str(path), "bytes": len(file.content), "pages": file.pages})
    return rows


for _tool in TOOLS:
    _add_command(_tool)
