"""Translation of a Gotenberg form into the body of an ordinary request, and of its errors back."""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from copy import replace
from functools import partial
from typing import Final

from chalicelib.api.edge.request_body import FormFile
from chalicelib.api.gotenberg._fields import (
    IMAGE_FIELDS,
    MERGE_FIELDS,
    PDF_FIELDS,
    REFUSED,
    RequestField,
)
from chalicelib.api.gotenberg._form import GotenbergForm
from chalicelib.api.gotenberg._values import read_bool
from chalicelib.core.errors import FieldError, ServiceError, require_all, validation_error

type Body = dict[str, object]

INDEX: Final = "index.html"
_HEADER, _FOOTER = "header.html", "footer.html"
# Gotenberg's defaults: Letter, margins of 0.39 inches, no background, no tags.
_PDF_DEFAULTS: Final = {
    "/output/format": "pdf",
    "/output/pdf/width": "8.5in",
    "/output/pdf/height": "11in",
    "/output/pdf/margin/top": "0.39in",
    "/output/pdf/margin/right": "0.39in",
    "/output/pdf/margin/bottom": "0.39in",
    "/output/pdf/margin/left": "0.39in",
    "/output/pdf/print_background": False,
    "/output/pdf/prefer_css_page_size": False,
    "/output/pdf/tagged": False,
}
_IMAGE_DEFAULTS: Final = {
    "/output/format": "png",
    "/output/image/width": 800,
    "/output/image/height": 600,
    "/output/image/full_page": True,
}
_MARKDOWN: Final = re.compile(r'\{\{\s*toHTML\s+"([^"{}]{1,255})"\s*\}\}')
_DIGITS: Final = re.compile(r"(\d+)")


def pdf_body(form: GotenbergForm, source: Body) -> Body:
    """Return the body that prints a source; raises `validation_error`."""
    body = _body(form, PDF_FIELDS, _PDF_DEFAULTS)
    for name, option in ((_HEADER, "header"), (_FOOTER, "footer")):
        if (html := form.text_file(name)) is not None:
            set_field(body, f"/output/pdf/{option}", {"enabled": True, "html": html})
    if form.embeds:
        set_field(body, "/output/pdf/attachments", [_attachment(file) for file in form.embeds])
    return {**source, **body, "delivery": {"type": "binary"}}


def image_body(form: GotenbergForm, source: Body) -> Body:
    """Return the body that draws a source; raises `validation_error`."""
    body = _body(form, IMAGE_FIELDS, _IMAGE_DEFAULTS)
    if "selector" in form.fields:
        set_field(body, "/output/image/full_page", None)
    return {**source, **body, "delivery": {"type": "binary"}}


def merge_body(form: GotenbergForm) -> Body:
    """Return the body that merges the PDFs of a form by their names; raises `validation_error`."""
    body = _body(form, MERGE_FIELDS, {})
    files = sorted(form.files.values(), key=lambda file: _natural_order(file.filename))
    pdfs = [file for file in files if file.filename.lower().endswith(".pdf")]
    if len(pdfs) < 2:  # noqa: PLR2004 -- a merger has two
        raise validation_error("/files", "at least two .pdf files are required", "too_short")
    sources = [_content(file) for file in pdfs]
    return {"sources": sources, **body, "delivery": {"type": "binary"}}


def html_source(form: GotenbergForm) -> Body:
    """Return the source of a route that takes `index.html`; all other files are its assets."""
    index = form.required_file(INDEX)
    document: Body
    if index.upload_id is None:
        document = {"html": form.required_text_file(INDEX)}
    else:
        document = {"upload_id": index.upload_id}
    return {"input": {"type": "html", **document, **_assets(form)}}


def markdown_source(form: GotenbergForm) -> Body:
    """Return the source of a route whose `index.html` includes Markdown files by `toHTML`."""
    html = form.required_text_file(INDEX)
    texts: dict[str, str] = {}
    missing: list[str] = []
    for name in _MARKDOWN.findall(html):
        text = form.text_file(name)
        texts[name] = text or ""
        if text is None:
            missing.append(name)
    if missing:
        names = ", ".join(map(repr, missing))
        raise validation_error("/files", f"Markdown file(s) not found: {names}", "missing")
    return {
        "input": {"type": "html", "html": _jinja(html), "templating": True, **_assets(form)},
        "data": {"markdown": texts},
    }


def url_source(form: GotenbergForm) -> Body:
    """Return the source of a route that takes a URL."""
    if not form.fields.get("url"):
        raise validation_error("/url", "form field 'url' is required", "missing")
    return {"input": {"type": "url", "url": form.fields["url"]}}


def in_form_terms(refusal: ServiceError, fields: Mapping[str, RequestField]) -> None:
    """Rewrite the pointers of an error to the fields of the form."""
    names = {"/input/html": "/files", "/input/url": "/url", "/input/assets": "/files"}
    names |= {"/output/pdf/header": "/files", "/output/pdf/footer": "/files", "/sources": "/files"}
    names |= {"/input/upload_id": "/files", "/output/pdf/attachments": "/files"}
    names |= {row.pointer: f"/{name}" for name, row in fields.items() if row.pointer}

    def form_pointer(pointer: str) -> str:
        known = (name for name in names if pointer == name or pointer.startswith(f"{name}/"))
        longest = max(known, key=len, default=None)
        return pointer if longest is None else names[longest]

    def in_terms(error: FieldError) -> FieldError:
        return replace(error, path=form_pointer(error.path))

    for error in refusal.errors:
        if error.path:
            refusal.detail = refusal.detail.replace(error.path, form_pointer(error.path))
    refusal.errors = tuple(map(in_terms, refusal.errors))


def _body(
    form: GotenbergForm, fields: Mapping[str, RequestField], defaults: Mapping[str, object]
) -> Body:
    """Return the body of the given fields over the defaults; raises all errors at once."""
    body: Body = {}
    for pointer, value in defaults.items():
        set_field(body, pointer, value)
    require_all(*_checks(form), *_writes(form, fields, body))
    return body


def _writes(
    form: GotenbergForm, fields: Mapping[str, RequestField], body: Body
) -> Iterator[Callable[[], object]]:
    # In the order of the table: a later row of the same field wins.
    for name, row in fields.items():
        text = form.fields.get(name)
        if text is not None:
            yield partial(_write, body, name, row, text)


def _write(body: Body, name: str, row: RequestField, text: str) -> None:
    try:
        value = row.read(text)
    except ValueError as fault:
        raise validation_error(f"/{name}", str(fault)) from None
    if row.pointer and value is not None:
        set_field(body, row.pointer, value)


def _checks(form: GotenbergForm) -> Iterator[Callable[[], object]]:
    for name, advice in REFUSED.items():
        if name in form.fields and not _changes_nothing(name, form.fields[name]):
            yield partial(_refuse, name, advice)


def _changes_nothing(name: str, text: str) -> bool:
    """Tell whether a value means the same as an absent field."""
    try:
        value = read_bool(text)
    except ValueError:
        return text in {"[]", "{}", "null"}
    return value == name.startswith("allow")


def _refuse(name: str, advice: str) -> None:
    raise validation_error(f"/{name}", f"has no counterpart here: {advice}")


def set_field(body: Body, pointer: str, value: object) -> None:
    """Set the field of a body at a pointer; objects on the way to it are made."""
    *parents, name = pointer.split("/")[1:]
    for parent in parents:
        child = body.setdefault(parent, {})
        assert isinstance(child, dict)
        body = child
    body[name] = value


def _assets(form: GotenbergForm) -> Body:
    files = form.files_beside(INDEX, _HEADER, _FOOTER)
    assets = [{"path": file.filename, **_content(file)} for file in files]
    return {"assets": assets} if assets else {}


def _attachment(file: FormFile) -> Body:
    kind = file.content_type.partition(";")[0] or "application/octet-stream"
    return {"filename": file.filename, **_content(file), "content_type": kind}


def _content(file: FormFile) -> Body:
    if file.upload_id is not None:
        return {"upload_id": file.upload_id}
    return {"content": base64.b64encode(file.content).decode()}


def _jinja(html: str) -> str:
    """Return a Go template as a Jinja2 template: `toHTML` alone counts, all else is text."""
    pieces = _MARKDOWN.split(html)
    texts, names = pieces[::2], pieces[1::2]
    written = [_literal(texts[0])]
    for name, text in zip(names, texts[1:], strict=True):
        key = name.replace("\\", "\\\\").replace("'", "\\'")
        written += [f"{{{{ markdown['{key}'] | markdown }}}}", _literal(text)]
    return "".join(written)


def _literal(text: str) -> str:
    """Return a text that Jinja2 prints as it is."""
    # A brace at the end would join the tag that follows it.
    return re.sub(r"\{(?=[{%#]|\Z)", "{{ '{' }}", text)


def _natural_order(name: str) -> list[tuple[int, int, str]]:
    """Return a key that puts `2.pdf` before `10.pdf`, and numbers before letters."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in _DIGITS.split(name)
        if part
    ]
