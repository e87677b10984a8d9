"""Assets in headers and footers, which load nothing: style sheets and `data:` URLs in the HTML."""

import re
from collections.abc import Iterator
from copy import replace
from html import escape, unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urljoin, urlsplit

from pybase64 import b64encode

from chalicelib.contract.options.assets import MAX_ASSET_BYTES, plain_path
from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import HeaderFooter
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.inputs.assets import (
    AssetFile,
    AssetFiles,
    load_assets,
    missing_asset_reason,
)
from chalicelib.engine.job import RenderWarning

if TYPE_CHECKING:
    from chalicelib.engine.job import JobContext, PageJob
    from chalicelib.engine.sources.source_document import SourceDocument

_MAX_WARNINGS: Final = 50
_MAX_ADDRESS_CHARS: Final = 500
_MAX_MENTIONS: Final = 20_000
# What stands where the addresses of a header begin; nobody is ever reached there.
_ROOT: Final = "https://assets.invalid/"
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
    document: "SourceDocument", job: "PageJob", context: "JobContext"
) -> "SourceDocument":
    """Return a document with the job's assets, which its headers and footers hold themselves.

    Raises RenderFailure as `load_assets` and `embed_assets`.
    """
    if not job.assets:
        return document
    assets = load_assets(job.assets, context)
    output, warnings = embed_assets(document.output, assets)
    return document._replace(assets=assets, output=output, warnings=(*document.warnings, *warnings))


def embed_assets(
    output: OutputOptions, assets: AssetFiles
) -> tuple[OutputOptions, tuple[RenderWarning, ...]]:
    """Return the output with the assets in its headers and footers that these name, and warnings.

    Raises RenderFailure `render_failed` where they grow too large, with strict assets
    `asset_fetch_failed` for a relative address without an asset.
    """
    if "pdf" not in output.formats:
        return output, ()
    writer = _Embedder(assets)
    pdf = replace(
        output.pdf,
        header=writer.part(output.pdf.header),
        footer=writer.part(output.pdf.footer),
        first_header=output.pdf.first_header and writer.part(output.pdf.first_header),
        first_footer=output.pdf.first_footer and writer.part(output.pdf.first_footer),
        last_footer=output.pdf.last_footer and writer.part(output.pdf.last_footer),
    )
    if writer.missing and output.strict_assets:
        address, reason = next(iter(writer.missing.items()))
        message = f"asset_policy is strict, and {address} was not loaded: {reason}"
        raise RenderFailure("asset_fetch_failed", message)
    return replace(output, pdf=pdf), tuple(
        RenderWarning("asset_failed", f"A part of a header or footer is absent: {reason}.", address)
        for address, reason in list(writer.missing.items())[:_MAX_WARNINGS]
    )


class _Embedder:
    """Writer of texts with assets in place of their addresses."""

    def __init__(self, assets: AssetFiles) -> None:
        self._assets = assets
        self._left_bytes, self._left_mentions = MAX_ASSET_BYTES, _MAX_MENTIONS
        # Addresses without an asset, in their order, and the reasons.
        self.missing: dict[str, str] = {}

    def part(self, part: HeaderFooter) -> HeaderFooter:
        """Return a header or footer with its assets."""
        if not part.is_shown or not part.html:
            return part
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
                yield self._css(text[position : end.start()], "", frozenset())
                position = end.start()
        yield text[position:]

    def _tag(self, tag: str, markup: re.Match[str]) -> str:
        attributes = markup["attributes"]
        if tag == "link":
            return self._style_of_link(attributes) or markup[0]

        def write(match: re.Match[str]) -> str:
            name, value = match["name"].lower(), _value(match)
            if name == "style":
                new = self._css(value, "", frozenset())
            elif name in _PICTURES.get(tag, ()):
                new = self._data_url(value, "") or value
            else:
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
        css, media = self._sheet(values.get("href", ""), "", frozenset()), values.get("media", "")
        if css is None:
            return None
        return (
            f"<style>@media {media}{{{css}}}</style>" if media.strip() else f"<style>{css}</style>"
        )

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
        found = self._find(address, base)
        if found is None:
            return None
        path, asset = found
        if path in inside:
            return ""
        self._take(asset)
        text = asset.content.decode("utf-8-sig", errors="replace").replace("</", "<\\/")
        return self._css(text, path, inside | {path})

    def _data_url(self, address: str, base: str) -> str | None:
        found = self._find(address, base)
        if found is None:
            return None
        _, asset = found
        self._take(asset)
        kind = asset.content_type.partition(";")[0]
        return f"data:{kind};base64,{b64encode(asset.content).decode()}"

    def _find(self, address: str, base: str) -> tuple[str, AssetFile] | None:
        self._left_mentions -= 1
        if self._left_mentions < 0:
            message = (
                f"output.pdf: headers and footers name more than {_MAX_MENTIONS} files; each "
                "mention counts"
            )
            raise RenderFailure("render_failed", message)
        try:
            url = urljoin(_ROOT + quote(base), address)
            path = plain_path(urlsplit(url).path.removeprefix("/"))
        except ValueError:
            return None
        if not address or address.startswith("#") or not url.startswith(_ROOT):
            return None
        asset = self._assets.get(path)
        if asset is None:
            told = address[:_MAX_ADDRESS_CHARS]
            if told not in self.missing:
                self.missing[told] = missing_asset_reason(path, self._assets)
            return None
        return path, asset

    def _take(self, asset: AssetFile) -> None:
        self._left_bytes -= len(asset.content)
        if self._left_bytes < 0:
            message = (
                "output.pdf: with their assets, headers and footers have more than "
                f"{MAX_ASSET_BYTES} bytes; each mention counts"
            )
            raise RenderFailure("render_failed", message)


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
