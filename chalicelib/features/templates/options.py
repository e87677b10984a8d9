"""Merge of a template's default options with the output of a request."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chalicelib.contract.options.pdf import AUTO_HEIGHT
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.templates.model import SourceBundle

# Stored, but not yet a part of the output.
_UNSUPPORTED_OPTIONS: Final = frozenset({"email"})
_HEADER_FOOTER: Final = ("header", "footer")
# Their members depend on each other: the request replaces the whole object.
_ATOMIC_MEMBERS: Final = frozenset({"attachments", "einvoice", "protection", "watermark"})
# Null in a request turns these defaults off.
_CLEARED_BY_NULL: Final = frozenset({"einvoice", "pdfa"})
# Defaults for the files of these formats only. A request without such a file would be refused or
# warned because of them.
_FORMATS_OF_DEFAULTS: Final[Mapping[str, frozenset[str]]] = {
    "pdf": frozenset({"pdf"}),
    "image": frozenset({"png", "jpeg", "webp"}),
}
# Pairs that exclude each other; the side given by the request wins.
_EXCLUSIVE_MEMBERS: Final = (
    ("format", "formats"),
    ("page_size", "width height"),
    ("html", "left center right"),
)
# It goes with `page_size`, whose width it takes.
_CONTINUOUS: Final = ("height", AUTO_HEIGHT)


def check_options(_workspace_id: WorkspaceId, source: SourceBundle) -> None:
    """Raise `validation_error` for options that name an upload: uploads expire after a day."""
    refuse_uploads(source.options, "/options")


def refuse_uploads(options: JsonObject, pointer: str) -> None:
    """Raise `validation_error` for options, to be kept, that name an upload."""
    for path in _upload_pointers(options, pointer):
        message = "an upload goes away after a day; send the content itself, or an address"
        raise validation_error(path, message, "not_allowed")


def merged_output(source: SourceBundle, explicit: Mapping[str, Any]) -> dict[str, Any]:
    """Return the explicit output of a request merged over the template's defaults.

    The merge is per member. Null means "not given", except that it turns off the e-invoice and
    `pdf.pdfa`. Defaults for files that the render does not make are left out.
    """
    options = {
        name: value for name, value in source.options.items() if name not in _UNSUPPORTED_OPTIONS
    }
    if "output_format" in options:
        options["format"] = options.pop("output_format")
    defaults = _merge(_header_footer_defaults(source), options)
    formats = output_formats(_merge(defaults, explicit))
    unused = {name for name, each in _FORMATS_OF_DEFAULTS.items() if each.isdisjoint(formats)}
    used = {name: value for name, value in defaults.items() if name not in unused}
    return _merge(used, explicit)


def output_formats(output: Mapping[str, Any]) -> Sequence[str]:
    """Return the formats of an output's files, before they are zipped."""
    formats: Sequence[str] | None = output.get("formats")
    format_: str | None = output.get("format")
    return formats or ("pdf" if format_ in {None, "zip"} else format_,)


def check_einvoice_carrier(explicit: Mapping[str, Any]) -> None:
    """Raise `validation_error` if the requested PDF cannot carry the template's e-invoice.

    Only PDF/A-3 allows embedded files of any type (ISO 19005-3 6.8).
    """
    pdf = explicit.get("pdf") or {}
    remedy = "POST /v1/renders with output.einvoice null leaves the e-invoice out"
    pdfa = pdf.get("pdfa")
    if pdfa is not None and not pdfa.startswith("3"):
        message = f"pdfa {pdfa} and the template's einvoice exclude each other: use 3b, 3u or 3a; "
        raise validation_error("/output/pdf/pdfa", message + remedy, "not_allowed")
    for name in ("protection", "forms"):
        if pdf.get(name):
            message = f"{name} and the template's einvoice exclude each other: leave it out; "
            raise validation_error(f"/output/pdf/{name}", message + remedy, "not_allowed")


def with_template_fields(detail: str, source: SourceBundle) -> str:
    """Return a detail that begins with the template's own field in place of the output's."""
    for name in _HEADER_FOOTER:
        content = source.content.get(name)
        if content:
            field = f"output.pdf.{name}." + ("" if isinstance(content, Mapping) else "html")
            own = f"{name}." if isinstance(content, Mapping) else name
            if detail.startswith(field):
                return own + detail.removeprefix(field)
    if detail.startswith("output."):
        return f"options.{detail.removeprefix('output.')}"
    return detail


def _header_footer_defaults(source: SourceBundle) -> dict[str, Any]:
    """Return the header and footer of the content as `pdf` options."""
    defaults: dict[str, Any] = {}
    for name in _HEADER_FOOTER:
        content = source.content.get(name)
        if content:
            options = content if isinstance(content, Mapping) else {"html": content}
            defaults[name] = {"enabled": True, **options}
    return {"pdf": defaults} if defaults else {}


def _merge(defaults: Mapping[str, Any], explicit: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in explicit.items() if value is not None}
    cleared = _CLEARED_BY_NULL & explicit.keys()
    merged = {
        name: value
        for name, value in defaults.items()
        if name not in cleared and not _is_overridden(name, value, given)
    }
    for name, value in given.items():
        default = merged.get(name)
        is_deep = isinstance(value, Mapping) and name not in _ATOMIC_MEMBERS
        base = default if isinstance(default, Mapping) else {}
        merged[name] = _merge(base, value) if is_deep else value
    return merged


def _is_overridden(name: str, default: object, given: Mapping[str, Any]) -> bool:
    if (name, default) == _CONTINUOUS:
        return False
    rivals = {each for each, value in given.items() if (each, value) != _CONTINUOUS}
    return any(
        (name in one.split() and rivals.intersection(other.split()))
        or (name in other.split() and rivals.intersection(one.split()))
        for one, other in _EXCLUSIVE_MEMBERS
    )


def _upload_pointers(value: Any, path: str) -> list[str]:
    if isinstance(value, Mapping):
        own = [f"{path}/upload_id"] if value.get("upload_id") is not None else []
        return own + [
            hit for name, each in value.items() for hit in _upload_pointers(each, f"{path}/{name}")
        ]
    if isinstance(value, list):
        return [
            hit for n, each in enumerate(value) for hit in _upload_pointers(each, f"{path}/{n}")
        ]
    return []
