"""Links of the pages: each leads to a file that is there, and to a heading of it."""

import re
from collections import Counter
from typing import Final

import pytest

from infra.template import ROOT
from tests.architecture.test_questions import sections
from tests.architecture.test_structure import text, tracked

# A changelog keeps the links of its time.
PATTERN: Final = r"(?:README|CONTRIBUTING|SECURITY|(?:docs|examples|infra/decisions)/.*)\.md"
PAGES: Final = [name for name in tracked() if re.fullmatch(PATTERN, name)]
LINK: Final = re.compile(r"\]\(<?([^)\s>]+)>?\)")
CODE: Final = re.compile(r"^( *)```.*?^\1```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def anchors(page: str) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    seen: Counter[str] = Counter()
    found: set[str] = set()
    for heading, _ in sections(page):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def broken(name: str, page: str) -> list[str]:
    """Return the relative links of a page that lead to no file or to no heading."""
    return [link for link in LINK.findall(CODE.sub("", page)) if not leads_somewhere(name, link)]


def leads_somewhere(name: str, link: str) -> bool:
    path, _, anchor = link.partition("#")
    if re.match(r"\w+:", path):
        return True
    target = (ROOT / name).parent / path if path else ROOT / name
    if not target.exists():
        return False
    return not anchor or (
        target.suffix == ".md" and anchor in anchors(target.read_text(encoding="utf-8"))
    )


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    assert broken(name, text(name)) == []


def test_a_broken_link_is_seen() -> None:
    page = (
        "[a](gone.md) [b](#nowhere) [c](README.md#the-tree) [d](https://example.com) `[e](no.md)`"
    )

    assert broken("README.md", page) == ["gone.md", "#nowhere"]
    assert anchors("# One\n## A & B, `c`\n## One\n") == {"one", "a--b-c", "one-1"}
