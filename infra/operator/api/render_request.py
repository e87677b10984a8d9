"""Parts of a render request that commands make of files and options."""

import json
import posixpath
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import click

from chalicelib.core.errors import ServiceError
from chalicelib.core.json import JsonObject, loads
from infra.operator.api.page_assets import read_file
from infra.operator.api.service_api import Answer, ServiceApi
from infra.operator.output import CommandError

# A request may have 4 MB on most plans; base64 adds a third.
_MAX_INLINE_BYTES: Final = 2_000_000
_FORMATS: Final = {
    ".pdf": "pdf",
    ".png": "png",
    ".jpg": "jpeg",
    ".jpeg": "jpeg",
    ".webp": "webp",
    ".html": "html",
    ".htm": "html",
    ".xml": "xml",
    ".zip": "zip",
}


def read_object(path: Path) -> JsonObject:
    """Return the JSON object in a file; raises CommandError with the place of a fault."""
    try:
        value = loads(read_file(path))
    except ServiceError as reason:
        raise CommandError(reason.code, f"{path}: {reason.detail}") from reason
    if not isinstance(value, Mapping):
        raise CommandError("invalid_json", f"{path}: must hold a JSON object")
    return value


def document_input(api: ServiceApi, html: str, assets: Mapping[str, Path]) -> JsonObject:
    """Return the `input` of a document and the files beside it; large ones are uploaded first."""
    content = html.encode("utf-8")
    specs = list(_asset_specs(api, assets))
    source: JsonObject = {"html": html}
    if len(content) > _MAX_INLINE_BYTES:
        source = {"upload_id": api.upload("document.html", content)}
    return {"type": "html", **source, "assets": specs}


def template_input(api: ServiceApi, template_id: str, assets: Mapping[str, Path]) -> JsonObject:
    """Return the `input` of a stored template and the files beside it."""
    specs = list(_asset_specs(api, assets))
    return {"type": "template", "template_id": template_id, "assets": specs}


def _asset_specs(api: ServiceApi, assets: Mapping[str, Path]) -> Iterator[JsonObject]:
    room = _MAX_INLINE_BYTES
    for path, file in assets.items():
        content = read_file(file)
        room -= len(content)
        if room >= 0:
            yield {"path": path, "content": b64encode(content).decode()}
        else:
            yield {"path": path, "upload_id": api.upload(posixpath.basename(path), content)}


def output_options(
    file: JsonObject, pairs: Sequence[str], formats: Sequence[str], out: Path
) -> JsonObject:
    """Return the `output` of a request: a file of options, single options, and the formats.

    Without formats that of the suffix of `out` is made.
    """
    output = cast("dict[str, object]", json.loads(json.dumps(file)))
    for pair in pairs:
        _set_option(output, pair)
    if len(formats) > 1:
        output["formats"] = list(formats)
    elif formats:
        output["format"] = formats[0]
    elif not {"format", "formats"} & output.keys():
        if out.suffix.lower() not in _FORMATS:
            known = ", ".join(_FORMATS)
            raise click.UsageError(f"--output ends with one of {known}, or --format says what")
        output["format"] = _FORMATS[out.suffix.lower()]
    return cast("JsonObject", output)


def _set_option(output: dict[str, object], pair: str) -> None:
    path, separator, text = pair.partition("=")
    names = path.split(".")
    if not separator or not all(names):
        raise click.UsageError(f"--option {pair}: write NAME=VALUE, such as pdf.page_size=A5")
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    for name in names[:-1]:
        inner = output.setdefault(name, {})
        if not isinstance(inner, dict):
            raise click.UsageError(f"--option {pair}: {name} has a value already")
        output = inner
    output[names[-1]] = value


def write_files(api: ServiceApi, render: Answer, out: Path) -> list[dict[str, object]]:
    """Write the files of a render and return a row for each.

    Several get the suffix of their format, and the number of their page where one format has
    several.
    """
    rows: list[dict[str, object]] = []
    files = render["files"]
    counts: dict[str, int] = {}
    for file in files:
        kind = file["format"]
        counts[kind] = counts.get(kind, 0) + 1
        several = sum(each["format"] == kind for each in files) > 1
        stem = f"{out.stem}-{counts[kind]}" if several else out.stem
        suffix = out.suffix if _FORMATS.get(out.suffix.lower()) == kind else f".{kind}"
        path = out if len(files) == 1 else out.with_name(stem + suffix)
        content = api.download(file["url"])
        write_file(path, content)
        rows.append(
            {
                "path": str(path),
                "format": kind,
                "pages": file.get("pages"),
                "bytes": len(content),
            }
        )
    return rows


def write_file(path: Path, content: bytes) -> None:
    """Write a file; raises CommandError."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CommandError("file_not_written", f"{path}: {error.strerror}") from error


def warning_lines(warnings: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield a line for each warning of a render."""
    for warning in warnings:
        detail = f" ({warning['detail']})" if warning.get("detail") else ""
        yield f"Warning: {warning['code']}: {warning['message']}{detail}"
