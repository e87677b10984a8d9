"""Files in headers and footers, which load nothing: style sheets and `data:` URLs in the HTML."""

import re
from collections.abc import Iterator
from copy import replace
from html import escape, unescape
from typing import TYPE_CHECKING, Final

from pybase64 import b64encode

from chalicelib.contract.options.assets import MAX_ASSET_BYTES
from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import HeaderFooter, PdfOptions
from chalicelib.engine.assets import AssetFiles, load_assets
from chalicelib.engine.browser.requests.assets import (
    PageAssets,
    Refusal,
)
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.inputs.named_files import ROOT, NamedFiles, joined_url
from chalicelib.engine.inputs.web_files import WebFiles

if TYPE_CHECKING:
    from chalicelib.engine.context import JobContext
    from chalicelib.engine.job import PageJob
    from chalicelib.engine.ports import Egress
    from chalicelib.engine.sources.source_document import SourceDocument

_MAX_WARNINGS: Final = 50
# Files of the web are known when the text that names them is read: once for each level of imports.
_MAX_PASSES: Final = 6
_TOO_DEEP: Final = f"files of headers and footers may name each other {_MAX_PASSES - 1} deep"
_EMPTY_REASON: Final = "its address is empty"
_NEVER_SHOWN_REASON: Final = "headers and footers have no scripts, frames, media and `use` of files"
_STYLE_TYPE: Final = "text/css"
_COMMENT_OR_TAG: Final = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<tag>[a-zA-Z][^\s/>]*+)"
    r"(?P<attributes>(?:[^>=]|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))?)*+)(?:>|\Z)",
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(
    r"(?P<name>[^\s=/]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"?|'([^']*+)'?|([^\s]*+)))?", re.DOTALL
)
_END_OF_STYLE: Final = re.compile(r"</style|\Z", re.IGNORECASE)
_STRING: Final = (
    r"(?:\"[^\"\\\n]*+(?:\\(?:.|\Z)[^\"\\\n]*+)*+\"|'[^'\\\n]*+(?:\\(?:.|\Z)[^'\\\n]*+)*+')"
)
_URL: Final = rf"url\(\s*+(?:{_STRING}|[^()\"'\s]*+)\s*+\)"
# No longer, so that no part of a text is looked at often.
_COMMENT: Final = r"/\*(?:[^*]|\*(?!/)){0,200}+\*/"
# Comments and strings are matched so that nothing in them is. No part of a text is looked at twice,
# however it is made.
_CSS: Final = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    rf"|@import(?:\s|{_COMMENT})*+(?P<import>{_STRING}|{_URL})"
    rf"(?P<conditions>(?:[^;{{}}\[\]\"'@/]|{_COMMENT}|/(?!\*)|{_STRING})*+)(?:;|\Z)"
    rf"|\b(?P<url>{_URL})|{_STRING}|[\"'](?:[^\\\n]|\\(?:.|\Z))*+",
    re.DOTALL | re.IGNORECASE,
)
_CSS_COMMENT: Final = re.compile(_COMMENT)
_LAYER: Final = re.compile(r"layer(?:\((?P<name>[^()]*+)\)|(?![\w(-]))\s*+", re.IGNORECASE)
_SUPPORTS: Final = re.compile(r"supports(?=\()", re.IGNORECASE)
# A string without an end is matched too: else each quote in it would look for one.
_PARENTHESIS: Final = re.compile(rf"{_STRING}|[()]|[\"'](?:[^\\\n]|\\(?:.|\Z))*+", re.DOTALL)
_CSS_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_CANDIDATE: Final = re.compile(r"(?P<before>[\s,]*+)(?P<url>[^\s,](?:\S*[^\s,])?)(?P<rest>[^,]*+)")
# Elements that show nothing in headers and footers.
_NEVER_SHOWN: Final = {
    "script": ("src",),
    "iframe": ("src",),
    "frame": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "audio": ("src",),
    "video": ("src", "poster"),
    "use": ("href", "xlink:href"),
}
_CANDIDATES: Final = {"img": ("srcset",), "source": ("srcset",)}
_PICTURES: Final = {
    "img": ("src",),
    "input": ("src",),
    "image": ("href", "xlink:href"),
    "feimage": ("href", "xlink:href"),
    "body": ("background",),
    "table": ("background",),
    "td": ("background",),
    "th": ("background",),
}


def add_assets(
    document: "SourceDocument", job: "PageJob", context: "JobContext", egress: "Egress"
) -> "SourceDocument":
    """Return a document with the job's assets, and with the files that headers and footers name.

    Raises RenderFailure as `load_assets` and `embed_assets`.
    """
    assets = load_assets(job.assets, context) if job.assets else document.assets
    wait = document.output.page_wait
    web = WebFiles(egress, context.time_limit, wait.timeout_ms, MAX_ASSET_BYTES)
    output, warnings = embed_assets(document.output, assets, web)
    return document._replace(assets=assets, output=output, warnings=(*document.warnings, *warnings))


def embed_assets(
    output: OutputOptions, assets: AssetFiles, web: WebFiles
) -> tuple[OutputOptions, tuple[RenderWarning, ...]]:
    """Return the output with the files in its headers and footers that these name, and warnings.

    Raises RenderFailure `render_failed` where they grow too large, with strict assets
    `asset_fetch_failed` or `url_not_allowed` for a file that is missing, and `render_timeout`.
    """
    if "pdf" not in output.formats or not output.pdf.has_header_footer:
        return output, ()
    pdf, missing = _embed(output.pdf, assets, web)
    if output.strict_assets:
        _check_complete(missing)
    return replace(output, pdf=pdf), tuple(
        RenderWarning(
            "asset_failed", f"A part of a header or footer is absent: {refusal.reason}.", address
        )
        for address, refusal in list(missing.items())[:_MAX_WARNINGS]
    )


def _embed(
    pdf: PdfOptions, assets: AssetFiles, web: WebFiles
) -> tuple[PdfOptions, dict[str, Refusal]]:
    """Return the options with the files, and the missing ones by their addresses."""
    level = 1
    while True:
        files = NamedFiles(assets, web)
        embedded = _Embedder(files).pdf(pdf)
        if not files.wanted:
            return embedded, files.missing
        if level == _MAX_PASSES:
            return embedded, files.missing | dict.fromkeys(files.wanted, Refusal(_TOO_DEEP))
        web.fetch(files.wanted)
        level += 1


def _check_complete(missing: dict[str, Refusal]) -> None:
    parts = PageAssets()
    for address, refusal in missing.items():
        parts.record_refusal(address, refusal)
    parts.check_complete()


class _Embedder:
    """Writer of texts with files in place of their addresses."""

    def __init__(self, files: NamedFiles) -> None:
        self._files = files
        self._base = ROOT

    def pdf(self, pdf: PdfOptions) -> PdfOptions:
        """Return the options with the files in headers and footers."""
        return replace(
            pdf,
            header=self.part(pdf.header),
            footer=self.part(pdf.footer),
            first_header=pdf.first_header and self.part(pdf.first_header),
            first_footer=pdf.first_footer and self.part(pdf.first_footer),
            last_footer=pdf.last_footer and self.part(pdf.last_footer),
        )

    def part(self, part: HeaderFooter) -> HeaderFooter:
        """Return a header or footer with its files."""
        if not part.is_shown or not part.html:
            return part
        self._base = ROOT
        return replace(part, html="".join(self._html_parts(part.html)))

    def _html_parts(self, text: str) -> Iterator[str]:
        position = 0
        while (markup := _COMMENT_OR_TAG.search(text, position)) is not None:
            yield text[position : markup.start()]
            position = markup.end()
            tag = (markup["tag"] or "").lower()
            yield self._tag(tag, markup) if tag else markup[0]
            if tag == "style":
                end = _END_OF_STYLE.search(text, position)
                assert end is not None, "the end of the text matches"
                yield self._css(text[position : end.start()], self._base, frozenset())
                position = end.start()
        yield text[position:]

    def _tag(self, tag: str, markup: re.Match[str]) -> str:
        attributes = markup["attributes"]
        if tag == "link":
            return self._style_of_link(attributes) or markup[0]
        if tag == "base" and self._base == ROOT:
            self._set_base(attributes)

        def write(match: re.Match[str]) -> str:
            name, value = match["name"].lower(), _value(match)
            if name == "style":
                new = self._css(value, self._base, frozenset())
            elif name in _PICTURES.get(tag, ()):
                new = self._picture(tag, name, value)
            elif name in _CANDIDATES.get(tag, ()):
                new = _CANDIDATE.sub(self._candidate, value)
            else:
                self._tell_if_never_shown(tag, name, value)
                return match[0]
            return match[0] if new == value else f'{match["name"]}="{escape(new)}"'

        start, end = markup.span("attributes")
        whole, offset = markup[0], markup.start()
        rewritten = _ATTRIBUTE.sub(write, attributes)
        return whole[: start - offset] + rewritten + whole[end - offset :]

    def _style_of_link(self, attributes: str) -> str | None:
        """Return the style sheet of a `link` as an element, or None for any other link."""
        values = {match["name"].lower(): _value(match) for match in _ATTRIBUTE.finditer(attributes)}
        if "stylesheet" not in values.get("rel", "").lower().split():
            return None
        media = values.get("media", "")
        css = self._sheet(values.get("href", ""), self._base, frozenset())
        if css is None:
            return None
        return (
            f"<style>@media {media}{{{css}}}</style>" if media.strip() else f"<style>{css}</style>"
        )

    def _set_base(self, attributes: str) -> None:
        for match in _ATTRIBUTE.finditer(attributes):
            if match["name"].lower() == "href":
                self._base = joined_url(ROOT, _value(match)) or ROOT

    def _picture(self, tag: str, name: str, address: str) -> str:
        if not address.strip():
            self._files.tell(f'{tag}[{name}=""]', Refusal(_EMPTY_REASON))
            return address
        return self._data_url(address.strip(), self._base) or address

    def _candidate(self, match: re.Match[str]) -> str:
        url = self._data_url(match["url"], self._base)
        return match[0] if url is None else f"{match['before']}{url}{match['rest']}"

    def _tell_if_never_shown(self, tag: str, name: str, address: str) -> None:
        is_named = name in _NEVER_SHOWN.get(tag, ()) and address and not address.startswith("#")
        if is_named:
            self._files.tell(address, Refusal(_NEVER_SHOWN_REASON))

    def _css(self, text: str, base: str, inside: frozenset[str]) -> str:
        """Return CSS of the sheet at `base`, which stands `inside` these sheets."""

        def write(match: re.Match[str]) -> str:
            if match["import"] is not None:
                rules = _rules_of(match["conditions"])
                sheet = None
                if rules is not None:
                    sheet = self._sheet(_css_address(match["import"]), base, inside)
                return match[0] if sheet is None or rules is None else _nest(rules, sheet)
            if match["url"] is None:
                return match[0]
            url = self._data_url(_css_address(match["url"]), base)
            return match[0] if url is None else f"url({url})"

        return _CSS.sub(write, text)

    def _sheet(self, address: str, base: str, inside: frozenset[str]) -> str | None:
        """Return the CSS of a style sheet, or None where the address is not one's."""
        found = self._files.find(address, base)
        if found is None:
            return None
        if found.url in inside:
            return ""
        kind = found.file.content_type
        if not found.url.startswith(ROOT) and kind not in {"", _STYLE_TYPE}:
            self._files.tell(
                address, Refusal(f"it came as {kind}, a style sheet needs {_STYLE_TYPE}")
            )
            return None
        if not self._files.add_file(found, address):
            return None
        text = found.file.content.decode("utf-8-sig", errors="replace").replace("</", "<\\/")
        return self._css(text, found.url, inside | {found.url})

    def _data_url(self, address: str, base: str) -> str | None:
        found = self._files.find(address, base)
        if found is None or not self._files.add_file(found, address):
            return None
        kind = found.file.content_type.partition(";")[0]
        return f"data:{kind};base64,{b64encode(found.file.content).decode()}"


def _value(attribute: re.Match[str]) -> str:
    return unescape(next((text for text in attribute.groups()[1:] if text is not None), ""))


def _rules_of(conditions: str) -> list[str] | None:
    """Return the at-rules, from within, that are the conditions of an import; None if invalid."""
    rest, rules = _CSS_COMMENT.sub(" ", conditions).strip(), []
    layer = _LAYER.match(rest)
    if layer is not None:
        rules.append(f"@layer {(layer['name'] or '').strip()}".rstrip())
        rest = rest[layer.end() :]
    supports = _SUPPORTS.match(rest)
    if supports is not None:
        end = _end_of_block(rest)
        if end == 0:
            return None
        rules.append(f"@supports {rest[supports.end() : end]}")
        rest = rest[end:].lstrip()
    if rest.count("(") != rest.count(")"):
        return None
    return [*rules, f"@media {rest}"] if rest else rules


def _end_of_block(text: str) -> int:
    """Return where the first parentheses of a text are closed, or 0."""
    depth = 0
    for match in _PARENTHESIS.finditer(text):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0 and match[0] == ")":
            return match.end()
    return 0


def _nest(rules: list[str], css: str) -> str:
    for rule in rules:
        css = f"{rule}{{{css}}}"
    return css


def _css_address(text: str) -> str:
    if text[:4].lower() == "url(":
        text = text[4:-1].strip()
    is_quoted = text[:1] in {'"', "'"}
    return _CSS_ESCAPE.sub(r"\1", text[1:-1] if is_quoted else text)
