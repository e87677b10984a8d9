"""Hooks of ProperDocs, which makes the site of docs/ (decision 72).

They run in its own virtual environment, without the product's packages. `Any` is each of its
classes.
"""

import json
import logging
import re
import shutil
from collections.abc import Iterable, Iterator
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, override
from urllib.parse import urljoin, urlsplit

log: Final = logging.getLogger("properdocs.hooks.guides")

ROOT: Final = Path(__file__).resolve().parents[3]
DOCS: Final = ROOT / "docs"
_OWN: Final = Path(__file__).with_name("assets")
_SHARED: Final = ROOT / "chalicelib" / "api" / "pages" / "static"
# Those of this folder, those of the service's other pages, and what the layer `pages` has.
_ASSETS: Final = (
    _OWN / "guides.css",
    _OWN / "guides.js",
    _SHARED / "pages.css",
    _SHARED / "icon.svg",
    ROOT / ".platen" / "pages" / "minisearch.js",
    ROOT / ".platen" / "pages" / "minisearch-LICENSE.txt",
)
_PREFIX: Final = "/guides"
_HOME: Final = "index.html"
# An address in a tag; in a text, such as an example in HTML, there is no bare `<`.
_ADDRESS: Final = re.compile(r'(<[a-z][^<>]*\b(?:href|src)=")([^"]*)')
# The address of a file from the root of the site. Paths of the service have no dot.
_FILE_OF_ROOT: Final = re.compile(r'(<[a-z][^<>]*\b(?:href|src)=")/(?=[^"]*\.)')
# A link of Markdown that begins with `../`; its text may have brackets.
_UPWARDS: Final = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(((?:\.\./)+[^)\s]*)\)")
_HASH_AT_END: Final = re.compile(r"^(#{1,6} .*[^\s#\\])#$")
_CELL: Final = re.compile(r"<t[dh]\b.*?</t[dh]>", re.DOTALL)
_HEADINGS: Final = frozenset({"h1", "h2", "h3"})
_BLOCKS: Final = frozenset({"p", "li", "td", "th", "pre", "tr", "dt", "dd"})

_sections: Final[list[dict[str, str]]] = []


def on_files(files: Any, config: Any) -> Any:
    """Begin with an empty index, and put a page in the place of each that is not written yet."""
    _sections.clear()
    for name in config.extra["planned"]:
        if name not in files.src_uris:
            title = Path(name).stem.replace("-", " ").capitalize()
            text = f"# {title}\n\nThis page is not written yet.\n"
            files.append(type(next(iter(files))).generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links to files of the source that are no pages into links of `repo_url`, or into text.

    On GitHub they lead to the file, which the site does not have. A heading may end with `#`.
    """
    del files
    folder = (DOCS / page.file.src_uri).parent

    def source_link(match: re.Match[str]) -> str:
        text, address = match.groups()
        target = (folder / address.partition("#")[0]).resolve()
        if target.is_relative_to(DOCS):
            return match[0]
        if not target.exists():
            log.warning("%s links to %s, which does not exist", page.file.src_uri, address)
            return text
        path = target.relative_to(ROOT).as_posix()
        if config.repo_url:
            return f"[{text}]({urljoin(config.repo_url.rstrip('/') + '/', path)})"
        return f'<span class="source" title="{escape(path)} of the source">{text}</span>'

    return _UPWARDS.sub(source_link, "\n".join(_with_whole_headings(markdown.splitlines())))


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    r"""Show `\|` in a cell as `|`, in code too, as GitHub does: no row has it bare."""
    del page, config, files
    return _CELL.sub(lambda match: match[0].replace(r"\|", "|"), html)


def on_page_context(context: Any, page: Any, config: Any, nav: Any) -> Any:
    """Add the sections of a page to the index of the search."""
    del nav
    parser = _Sections()
    parser.feed(page.content)
    address = _service_index(page.url) if config.extra["for_service"] else page.url
    for anchor, heading, text in parser.sections():
        is_page = heading == "" or anchor == "" or _is_title(heading, page)
        _sections.append(
            {
                "at": address if is_page else f"{address}#{anchor}",
                "page": unescape(page.title),
                "heading": "" if is_page else heading,
                "text": text,
            }
        )
    return context


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Give the links of a page the form of the service, if it serves them."""
    return _with_service_paths(output, page.url) if config.extra["for_service"] else output


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """Give the page of unknown addresses the same form; its addresses begin at the site's root."""
    if not config.extra["for_service"] or not template_name.endswith(".html"):
        return output_content
    return _with_service_paths(_FILE_OF_ROOT.sub(r"\1", output_content), "")


def on_post_build(config: Any) -> None:
    """Write what the pages load, and the index of the search."""
    folder = Path(config.site_dir) / "assets"
    folder.mkdir()
    for source in _ASSETS:
        shutil.copyfile(source, folder / source.name)
    index = json.dumps(_sections, ensure_ascii=False, separators=(",", ":"))
    (folder / "search.json").write_text(index, encoding="utf-8")


def _with_whole_headings(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines; Python-Markdown would take the last sign of a heading `C#` away."""
    is_code = False
    for line in lines:
        is_code ^= line.lstrip().startswith("```")
        yield line if is_code else _HASH_AT_END.sub(r"\1\\#", line)


def _is_title(heading: str, page: Any) -> bool:
    first = next(iter(page.toc), None)
    return first is not None and first.level == 1 and unescape(first.title) == heading


def _with_service_paths(output: str, url: str) -> str:
    """Return a page whose addresses are paths of the service: `renders.html` is `/guides/renders`.

    The service puts the path of its host before them.
    """
    here = f"{_PREFIX}/{url}"

    def path(match: re.Match[str]) -> str:
        address = unescape(match[2])
        if address.startswith("#") or urlsplit(address).scheme:
            return match[0]
        return match[1] + escape(_service_path(urljoin(here, address)))

    return _ADDRESS.sub(path, output)


def _service_path(address: str) -> str:
    path, mark, anchor = address.partition("#")
    path = path.removesuffix(_HOME).removesuffix(".html")
    if path == f"{_PREFIX}/":
        path = _PREFIX
    return path + mark + anchor


def _service_index(url: str) -> str:
    """Return the address of a page from the folder of the site, as the service has it."""
    return "../guides" if url == _HOME else url.removesuffix(".html")


class _Sections(HTMLParser):
    """Parser that gives the text of a page below each of its headings."""

    def __init__(self) -> None:
        super().__init__()
        # (anchor, words of the heading, words of the text)
        self._found: list[tuple[str, list[str], list[str]]] = [("", [], [])]
        self._is_heading = self._is_mark = False

    def sections(self) -> Iterable[tuple[str, str, str]]:
        """Yield anchor, heading and text of each section that has any."""
        for anchor, heading, text in self._found:
            title, words = (" ".join("".join(each).split()) for each in (heading, text))
            if title or words:
                yield anchor, title, words

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _HEADINGS:
            self._found.append((given.get("id") or "", [], []))
            self._is_heading = True
        self._is_mark = given.get("class") == "headerlink"

    @override
    def handle_endtag(self, tag: str) -> None:
        self._is_mark = False
        if tag in _HEADINGS:
            self._is_heading = False
        elif tag in _BLOCKS:
            self._found[-1][2].append(" ")

    @override
    def handle_data(self, data: str) -> None:
        if not self._is_mark:
            _, heading, text = self._found[-1]
            (heading if self._is_heading else text).append(data)
