"""Run of a PDF tool in this process: the request of the API, the engine, the validators.

It is a module of its own because pydantic and the browser's modules are slow to import.
"""

import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, cast

import click

from chalicelib.contract.pdf_tools import requests
from chalicelib.contract.pdf_tools.requests import tool_options, tool_sources
from chalicelib.contract.pdf_tools.source import ToolRequest
from chalicelib.contract.validation import read_part
from chalicelib.core.errors import RenderFailure, ServiceError
from chalicelib.engine.browser.chromium.installation import BrowserMissingError
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.tab.warm_up import BrowserUnusableError
from chalicelib.engine.conformance.checks import ValidationRequest
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.conformance.report import conformance_report
from chalicelib.engine.context import JobContext
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import MarkJob, PdfToolJob, RenderOutcome
from chalicelib.engine.pdf.fonts.font_files import FontsMissingError
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine, ToolFaultError, tool_worker
from chalicelib.engine.ports import NoEgress
from chalicelib.engine.report_section import ReportSection
from chalicelib.engine.run_mark_job import run_mark_job
from chalicelib.engine.sandbox.walls import WallsMissingError
from chalicelib.engine.templating.worker import TemplateWorker
from infra.operator.output import CommandError
from infra.setup.steps import INSTALL_DIR

# Options of a command that were given, by their names.
type _Given = dict[str, object]

_TIMEOUT_S: Final = 600
_MAX_PAGES: Final = 100_000


class ToolRun(NamedTuple):
    """Files and warnings of a tool; the report by subject, and why a subject has no verdict."""

    outcome: RenderOutcome
    report: Mapping[str, ReportSection]
    reasons: Mapping[str, str]


def run_pdf_tool(tool: str, files: Sequence[Path], password: str | None, given: _Given) -> ToolRun:
    """Run a tool on files with the options that were given; raises CommandError or UsageError."""
    try:
        outcome = _make_files(tool, _request(tool, files, password, given), files)
        return _judge(tool, outcome)
    except ServiceError as refusal:
        names = dict(_pointers(tool, files, given))
        raise CommandError(refusal.code, _in_own_words(refusal.detail, names)) from refusal
    except (
        BrowserMissingError,
        BrowserUnusableError,
        FontsMissingError,
        WallsMissingError,
    ) as missing:
        raise CommandError("part_missing", str(missing)) from missing
    except ToolFaultError as fault:
        message = "The tool failed on this document, by a fault of its own."
        raise CommandError("internal_error", message) from fault


def _pointers(tool: str, files: Sequence[Path], given: _Given) -> Iterator[tuple[str, str]]:
    """Yield the JSON Pointers of files in the request, with their paths."""
    for number, path in enumerate(files):
        yield f"/sources/{number}" if tool == "merge" else "/source", str(path)
    if "page" in given:
        yield "/stamp", str(given["page"])
    if "image" in given:
        yield f"/{tool}/image", str(given["image"])
    for number, path in enumerate(cast("Sequence[Path]", given.get("attach", ()))):
        yield f"/attachments/{number}", str(path)


def _in_own_words(detail: str, names: Mapping[str, str]) -> str:
    """Return a message that names files and options in place of JSON Pointers."""
    pointer, colon, message = detail.partition(": ")
    if not colon or not pointer.startswith("/"):
        return detail
    if pointer in names:
        return f"{names[pointer]}: {message}"
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]
    if steps[0] == "fields":
        return f"--field {steps[-1]}: {message}"
    option = [step for step in steps if not step.isdigit()][-1].replace("_", "-")
    return f"--{option}: {message}"


def _request(tool: str, files: Sequence[Path], password: str | None, given: _Given) -> ToolRequest:
    """Return the request of the API for a command; raises ServiceError."""
    sources = [
        _source(path) | ({} if password is None else {"password": password}) for path in files
    ]
    body = _MEMBERS.get(tool, dict)(given)
    body |= {"sources": sources} if tool == "merge" else {"source": sources[0]}
    model = getattr(requests, f"{tool.title().replace('-', '')}Request")
    request: ToolRequest = read_part(model, body, "")
    return request


def _source(path: Path) -> _Given:
    try:
        return {"content": b64encode(path.read_bytes()).decode()}
    except OSError as error:
        raise CommandError("file_unreadable", f"{path}: {error.strerror}") from error


def _mark_members(tool: str, given: _Given) -> _Given:
    mark = {name: value for name, value in given.items() if name not in {"pages", "page"}}
    if "image" in mark:
        mark["image"] = _source(cast("Path", mark["image"]))
    if "page" in given:
        mark |= _source(cast("Path", given["page"]))
    pages: _Given = {"pages": given["pages"]} if "pages" in given else {}
    return {tool: mark, **pages}


def _protection_members(given: _Given) -> _Given:
    forbidden = cast("Sequence[str]", given.pop("forbid", ()))
    return {**given, "permissions": dict.fromkeys(forbidden, False)}


def _order_members(given: _Given) -> _Given:
    try:
        return {"order": [int(each) for each in str(given["order"]).split(",")]}
    except ValueError:
        raise click.UsageError("--order takes page numbers with commas, such as 3,1,2") from None


def _attachment_members(given: _Given) -> _Given:
    files = cast("Sequence[Path]", given["attach"])
    return {"attachments": [{**_source(path), "filename": path.name} for path in files]}


def _field_members(given: _Given) -> _Given:
    values: dict[str, list[str]] = {}
    for text in cast("Sequence[str]", given["field"]):
        name, separator, value = text.partition("=")
        if not separator:
            raise click.UsageError(f"--field {text}: write NAME=VALUE")
        values.setdefault(name, []).append(value)
    states = {"true": True, "false": False}
    return {
        "fields": {
            name: several if len(several) > 1 else states.get(several[0], several[0])
            for name, several in values.items()
        }
    }


# How the members of a request are made of the options of a command, where their names differ.
_MEMBERS: Final[Mapping[str, Callable[[_Given], _Given]]] = {
    "reorder": _order_members,
    "watermark": partial(_mark_members, "watermark"),
    "stamp": partial(_mark_members, "stamp"),
    "protect": _protection_members,
    "metadata": lambda given: {"set": given} if given else {},
    "attach": _attachment_members,
    "fill-form": _field_members,
}


def _make_files(tool: str, request: ToolRequest, files: Sequence[Path]) -> RenderOutcome:
    job = PdfToolJob(tool_options(tool, request), tool_sources(request), _MAX_PAGES)
    names = {pointer: path.stem for pointer, path in zip(job.pdf_sources(), files, strict=True)}
    job = replace(job, names=names)
    context = JobContext(time.time() + _TIMEOUT_S, uploads=_no_upload)
    engine = PdfToolEngine(NoEgress(), tool_worker(str(INSTALL_DIR / "fonts")), TemplateWorker())
    try:
        mark = job.options.mark
        if mark is not None:
            job = replace(job, mark=_print_mark(MarkJob(mark, f"/{tool}"), context))
        return engine.run(job, context)
    finally:
        engine.close()


def _no_upload(upload_id: str) -> bytes:
    raise RenderFailure("upload_not_found", f"There is no upload {upload_id} here.")


def _print_mark(mark: MarkJob, context: JobContext) -> bytes:
    """Return the page with a mark, printed by a browser of its own."""
    egress = NoEgress()
    browser = Browser(INSTALL_DIR / "chromium", INSTALL_DIR / "fonts", egress=egress, sandbox=True)
    try:
        return run_mark_job(mark, context, browser, egress).files[0].content
    finally:
        browser.close()


def _judge(tool: str, outcome: RenderOutcome) -> ToolRun:
    """Return the run with its report; raises RenderFailure for a file that misses its claim."""
    report, reasons = _verdicts(outcome.validation_requests)
    if tool == "pdfa" and report["pdfa"]["errors"]:
        first, *others = report["pdfa"]["errors"]
        more = f", and {len(others)} more" if others else ""
        message = f"PDF/A: {first['message']} ({first['rule']}){more}"
        raise RenderFailure("pdfa_conversion_failed", message)
    return ToolRun(outcome, report, reasons)


def _verdicts(
    wanted: Sequence[ValidationRequest],
) -> tuple[dict[str, ReportSection], dict[str, str]]:
    report: dict[str, ReportSection] = {}
    reasons: dict[str, str] = {}
    validator = LocalValidator(INSTALL_DIR / "validators")
    try:
        for each in wanted:
            verdicts = validator.validate(each.content, each.checks, Deadline.after(_TIMEOUT_S))
            report |= conformance_report(each.checks, verdicts, None, each.own_findings)
            reasons |= {
                check.subject: verdict.why
                for check, verdict in zip(each.checks, verdicts, strict=True)
            }
    finally:
        validator.close()
    return report, reasons
