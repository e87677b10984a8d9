"""Guides: every page is in the navigation, every link leads somewhere, GitHub shows the same."""

import os
import re
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, override

import pytest
import yaml
from markdown_it import MarkdownIt

from chalicelib.api.pages.guides import Guides
from chalicelib.api.pages.html_page import NAVIGATION
from infra.setup.steps import PROPERDOCS_DIR
from infra.template import ROOT

DOCS = ROOT / "docs"
CONFIG = ROOT / "infra" / "guides" / "site" / "properdocs.yml"
SERVICE_CONFIG = CONFIG.with_name("service.yml")
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
GROUPS = [
    *("Start", "Documents", "Data", "E-invoices and archive", "Many and delivery"),
    *("Build on it", "Go live", "Switch", "Operate", "Contribute"),
]
# What GitHub and the site must both make of a page.
COUNTED = ("h1", "h2", "h3", "h4", "li", "tr", "td", "pre", "blockquote", "img", "del", "a")
TEXTS = ("h1", "h2", "h3", "h4", "code")


class _Config(yaml.SafeLoader):
    """Loader that leaves the tags of ProperDocs alone."""


_Config.add_multi_constructor("!", lambda *_: None)
_Config.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    loaded = yaml.load(CONFIG.read_text(encoding="utf-8"), _Config)  # noqa: S506 -- a safe loader
    assert isinstance(loaded, dict)
    return loaded


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the static pages; a broken link, anchor or picture fails."""
    return build(tmp_path_factory.mktemp("guides"), CONFIG)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the pages that the service has."""
    return build(tmp_path_factory.mktemp("served"), SERVICE_CONFIG)


def build(target: Path, config: Path) -> Path:
    done = run(target, config)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def run(target: Path, config: Path) -> "subprocess.CompletedProcess[str]":
    # With --quiet it ignores --strict.
    command = [str(PROPERDOCS_DIR / "bin" / "properdocs"), "build", "--strict"]
    return subprocess.run(
        [*command, "--config-file", str(config), "--site-dir", str(target)],
        env={**os.environ, "API_HOST": "https://api.test"},
        capture_output=True,
        text=True,
        check=False,
    )


def navigation(config: dict[str, Any]) -> list[str]:
    """Return the pages of the navigation."""
    entries = [entry for group in config["nav"] for pages in group.values() for entry in pages]
    named = [{"": entry} if isinstance(entry, str) else entry for entry in entries]
    return [page for entry in named for page in entry.values()]


def test_every_page_is_in_the_navigation_once_and_every_entry_exists(
    config: dict[str, Any],
) -> None:
    planned = set(config["extra"]["planned"])

    assert [next(iter(group)) for group in config["nav"]] == GROUPS
    assert Counter(navigation(config)) == Counter({*PAGES, *planned})


@pytest.mark.parametrize(
    "mistake", ["[x](nothing.md)", "[x](#nothing)", "![x](nothing.png)", "[x](../nothing.py)"]
)
def test_broken_link_fails_the_build(tmp_path: Path, mistake: str) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(f"# Guides\n\n{mistake}\n", encoding="utf-8")
    changed = {
        "INHERIT": str(CONFIG),
        "docs_dir": str(docs),
        "hooks": [str(CONFIG.with_name("hooks.py"))],
        "theme": {"custom_dir": str(CONFIG.with_name("theme"))},
        "extra": {"planned": []},
        "nav": [{"Start": ["index.md"]}],
    }
    config = tmp_path / "properdocs.yml"
    config.write_text(yaml.safe_dump(changed), encoding="utf-8")

    done = run(tmp_path / "site", config)

    assert done.returncode == 1
    assert "1 warnings in strict mode" in done.stderr + done.stdout


def test_static_pages_stand_alone(site: Path) -> None:
    foreign = re.compile(r'<(?:link|script|img|iframe)\b[^>]*(?:href|src)="(?:[a-z]+:)?//')
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not foreign.search(text), path
        assert "<style" not in text
        assert not re.search(r"<script(?! type=\"module\" src=)", text)
        assert not re.search(r"<[a-z][^<>]* (?:style|on\w+)=", text), path
    for path in (site / "assets").glob("*.css"):
        assert "url(" not in path.read_text(encoding="utf-8")
        assert "@import" not in path.read_text(encoding="utf-8")


def test_static_pages_link_to_the_given_service(site: Path) -> None:
    text = (site / "migrate" / "gotenberg.html").read_text(encoding="utf-8")

    bar = re.findall(r'<a href="([^"]*)"[^>]*>(\w+)</a>', text.partition("</nav>")[0])
    assert bar == [
        ("https://api.test/docs", "Reference"),
        ("../index.html", "Guides"),
        ("https://api.test/console", "Console"),
        ("https://api.test/errors", "Errors"),
    ]


def test_service_has_a_type_for_every_file(served: Path) -> None:
    guides = Guides(served, "")
    files = [path.relative_to(served).as_posix() for path in served.rglob("*") if path.is_file()]

    lost = [name for name in files if guides.find(name.removesuffix(".html")) is None]
    assert lost == []


def test_frame_links_to_what_the_other_pages_link_to(served: Path) -> None:
    text = (served / "index.html").read_text(encoding="utf-8").partition("</nav>")[0]

    assert re.findall(r'<a href="([^"]*)"[^>]*>(\w+)</a>', text) == [
        (address, name) for name, address in NAVIGATION
    ]


def test_same_pages_are_built_to_the_same_bytes(served: Path, tmp_path: Path) -> None:
    again = build(tmp_path, SERVICE_CONFIG)

    for path in served.rglob("*"):
        if path.is_file():
            assert (again / path.relative_to(served)).read_bytes() == path.read_bytes(), path


class _Elements(HTMLParser):
    """Counter of the elements of a page, with the texts of headings and code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_mark = ("class", "headerlink") in attrs
        if tag in COUNTED and not is_mark:
            self.counts[tag] += 1
        if tag in TEXTS:
            self.texts.append("")
        if tag in TEXTS or tag == "a":
            self._open.append("mark" if is_mark else tag)

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag in TEXTS or tag == "a":
            self._open.pop()

    @override
    def handle_data(self, data: str) -> None:
        if "mark" not in self._open and set(self._open) & set(TEXTS):
            self.texts[-1] += data


@pytest.mark.parametrize("page", PAGES)
def test_github_and_the_site_show_the_same(page: str, site: Path) -> None:
    """Show both readings of Markdown: a list without an empty line before it is none for one."""
    source = (DOCS / page).read_text(encoding="utf-8")
    built = (site / page).with_suffix(".html").read_text(encoding="utf-8")
    shown = built.partition("<main>")[2].partition('<nav class="near"')[0]
    github = MarkdownIt("gfm-like", {"linkify": False}).render(source)

    mine, theirs = _Elements(shown), _Elements(github)
    # Links to files of the source are text on the site; bare addresses are links on both.
    del mine.counts["a"], theirs.counts["a"]
    assert mine.counts == theirs.counts
    assert [each.split() for each in mine.texts] == [each.split() for each in theirs.texts]
    assert [each for each in mine.texts if "\t" in each] == [
        each for each in theirs.texts if "\t" in each
    ]
