"""Form fields of Gotenberg 8: which field of a request each one becomes, and which have none."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from chalicelib.api.gotenberg._values import (
    read_bool,
    read_duration_ms,
    read_int,
    read_length,
    read_list,
    read_number,
    read_object,
)
from chalicelib.core.json import Json, JsonObject

_ALL_ERRORS: Final = [499, 599]
_PDFA_LEVELS: Final = {"PDF/A-2b": "2b", "PDF/A-3b": "3b"}
_INFO: Final = {
    "Title": "title",
    "Author": "author",
    "Subject": "subject",
    "Keywords": "keywords",
    "CreationDate": "created_at",
}


class RequestField(NamedTuple):
    """Pointer of the request's field, and the reader of the value, which raises ValueError."""

    pointer: str
    read: Callable[[str], object]


def _wait_until(text: str) -> str:
    return "load" if read_bool(text) else "networkidle"


def _one_of(*values: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in values:
            message = f"must be one of {', '.join(values)}"
            raise ValueError(message)
        return text

    return read


def _status_codes(text: str) -> None:
    """Accept the codes that fail a render anyway: every status from 400 on."""
    if read_list(text) != _ALL_ERRORS:
        message = "has no counterpart: every status from 400 on fails the render; leave it out"
        raise ValueError(message)


def _resource_codes(text: str) -> str:
    codes = read_list(text)
    if codes and codes != _ALL_ERRORS:
        message = "has no counterpart but [499, 599] or []: every resource that fails, or none"
        raise ValueError(message)
    return "strict" if codes else "lenient"


def _headers(text: str) -> JsonObject:
    headers = read_object(text)
    for name, value in headers.items():
        if "scope=" in str(value).replace(" ", "").lower():
            message = f"{name}: a scope has no counterpart; headers go to the page's origin only"
            raise ValueError(message)
    return headers


def _cookies(text: str) -> list[JsonObject]:
    return [_cookie(cookie) for cookie in read_list(text)]


def _cookie(cookie: Json) -> JsonObject:
    if not isinstance(cookie, dict):
        message = "must be a JSON array of objects"
        raise ValueError(message)  # noqa: TRY004 -- the value is wrong, not a type in the code
    names = {"httpOnly": "http_only", "sameSite": None}
    return {new: value for name, value in cookie.items() if (new := names.get(name, name))}


def _pdfa(text: str) -> str:
    if text not in _PDFA_LEVELS:
        message = f"must be one of {', '.join(_PDFA_LEVELS)}; PDF/A-1 has no counterpart"
        raise ValueError(message)
    return _PDFA_LEVELS[text]


def _metadata(text: str) -> dict[str, Json]:
    given = read_object(text)
    if unknown := [name for name in given if name not in _INFO]:
        message = f"{unknown[0]} has no counterpart; known are {', '.join(_INFO)}"
        raise ValueError(message)
    info = {_INFO[name]: value for name, value in given.items()}
    keywords = info.get("keywords")
    if isinstance(keywords, str):
        info["keywords"] = [word.strip() for word in keywords.split(",") if word.strip()]
    return info


def _if_true(value: object) -> Callable[[str], object]:
    def read(text: str) -> object:
        return value if read_bool(text) else None

    return read


# Fields of every route that loads a page.
PAGE_FIELDS: Final[Mapping[str, RequestField]] = {
    "waitDelay": RequestField("/output/wait/delay_ms", read_duration_ms),
    "waitForSelector": RequestField("/output/wait/selector", str),
    "waitForExpression": RequestField("/output/wait/expression", str),
    "skipNetworkIdleEvent": RequestField("/output/wait/until", _wait_until),
    "skipNetworkAlmostIdleEvent": RequestField("/output/wait/until", _wait_until),
    "emulatedMediaType": RequestField("/output/media", _one_of("print", "screen")),
    "userAgent": RequestField("/output/http/user_agent", str),
    "extraHttpHeaders": RequestField("/output/http/headers", _headers),
    "cookies": RequestField("/output/http/cookies", _cookies),
    "failOnHttpStatusCodes": RequestField("", _status_codes),
    "failOnResourceHttpStatusCodes": RequestField("/output/asset_policy", _resource_codes),
    "failOnResourceLoadingFailed": RequestField("/output/asset_policy", _if_true("strict")),
    "failOnConsoleExceptions": RequestField("/output/fail_on", _if_true(["script_failed"])),
}
PDF_FIELDS: Final[Mapping[str, RequestField]] = {
    **PAGE_FIELDS,
    "paperWidth": RequestField("/output/pdf/width", read_length),
    "paperHeight": RequestField("/output/pdf/height", read_length),
    "marginTop": RequestField("/output/pdf/margin/top", read_length),
    "marginRight": RequestField("/output/pdf/margin/right", read_length),
    "marginBottom": RequestField("/output/pdf/margin/bottom", read_length),
    "marginLeft": RequestField("/output/pdf/margin/left", read_length),
    "landscape": RequestField("/output/pdf/landscape", read_bool),
    "scale": RequestField("/output/pdf/scale", read_number),
    "nativePageRanges": RequestField("/output/pdf/page_ranges", str),
    "printBackground": RequestField("/output/pdf/print_background", read_bool),
    "preferCssPageSize": RequestField("/output/pdf/prefer_css_page_size", read_bool),
    "generateDocumentOutline": RequestField("/output/pdf/outline", read_bool),
    "generateTaggedPdf": RequestField("/output/pdf/tagged", read_bool),
    "singlePage": RequestField("/output/pdf/height", _if_true("auto")),
    # A printed page has no white behind it.
    "omitBackground": RequestField("", read_bool),
    "pdfa": RequestField("/output/pdf/pdfa", _pdfa),
    "pdfua": RequestField("/output/pdf/pdfua", read_bool),
    "metadata": RequestField("/output/pdf/metadata", _metadata),
    "userPassword": RequestField("/output/pdf/protection/user_password", str),
    "ownerPassword": RequestField("/output/pdf/protection/owner_password", str),
    "allowPrinting": RequestField("/output/pdf/protection/permissions/print", read_bool),
    "allowCopying": RequestField("/output/pdf/protection/permissions/copy", read_bool),
    "allowModifying": RequestField("/output/pdf/protection/permissions/modify", read_bool),
    "allowAnnotating": RequestField("/output/pdf/protection/permissions/annotate", read_bool),
}
IMAGE_FIELDS: Final[Mapping[str, RequestField]] = {
    **PAGE_FIELDS,
    "width": RequestField("/output/image/width", read_int),
    "height": RequestField("/output/image/height", read_int),
    "selector": RequestField("/output/image/clip_selector", str),
    "format": RequestField("/output/format", _one_of("png", "jpeg", "webp")),
    "quality": RequestField("/output/image/format_options/quality", read_int),
    "deviceScaleFactor": RequestField("/output/image/scale", read_number),
    "omitBackground": RequestField("/output/image/transparent", read_bool),
    "clip": RequestField("/output/image/full_page", lambda text: not read_bool(text)),
    # It makes no other picture.
    "optimizeForSpeed": RequestField("", read_bool),
}
MERGE_FIELDS: Final[Mapping[str, RequestField]] = {
    "titleBookmarks": RequestField("/bookmarks", read_bool),
    # Outlines of all sources are kept anyway.
    "autoIndexBookmarks": RequestField("", read_bool),
}

_SPLIT: Final = "POST /v1/pdf-tools/split takes the PDF that this makes"
_WATERMARK: Final = "POST /v1/renders takes output.pdf.watermark"
_FACTURX: Final = "POST /v1/renders takes output.einvoice, which also writes and checks the XML"
# Known fields without a counterpart, with what to do instead; false and no value are accepted.
REFUSED: Final[Mapping[str, str]] = {
    "waitWindowStatus": 'waitForExpression takes window.status === "…"',
    "emulatedMediaFeatures": "there is none; media queries see the type of emulatedMediaType",
    "ignoreResourceHttpStatusDomains": "there is none; leave failOnResourceHttpStatusCodes out",
    "allowFillingForms": "allowAnnotating holds for both",
    "allowAssembling": "allowModifying holds for both",
    "embedsMetadata": "POST /v1/renders takes output.pdf.attachments with their relationship",
    "downloadFrom": "send the files, or announce them with POST /v1/uploads",
    "flatten": "POST /v1/pdf-tools/flatten takes the PDF that this makes",
    "splitMode": _SPLIT,
    "splitSpan": _SPLIT,
    "splitUnify": _SPLIT,
    "rotateAngle": "POST /v1/pdf-tools/rotate takes the PDF that this makes",
    "rotatePages": "POST /v1/pdf-tools/rotate takes the PDF that this makes",
    "optimizeImages": "POST /v1/pdf-tools/compress takes the PDF that this makes",
    "imageQuality": "POST /v1/pdf-tools/compress takes the PDF that this makes",
    "bookmarks": "titleBookmarks makes an entry for each file",
    "watermarks": _WATERMARK,
    "stamps": _WATERMARK,
    "watermarkSource": _WATERMARK,
    "watermarkExpression": _WATERMARK,
    "watermarkPages": _WATERMARK,
    "watermarkOptions": _WATERMARK,
    "stampSource": _WATERMARK,
    "stampExpression": _WATERMARK,
    "stampPages": _WATERMARK,
    "stampOptions": _WATERMARK,
    "facturxConformanceLevel": _FACTURX,
    "facturxDocumentType": _FACTURX,
    "facturxVersion": _FACTURX,
}
