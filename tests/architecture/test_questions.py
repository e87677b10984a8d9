"""Questions of users: the docs answer each on the page and below the heading where it is sought."""

import re
import tomllib
from collections.abc import Iterator
from typing import Final

import pytest

from infra.template import ROOT
from tests.architecture.test_structure import text

QUESTIONS: Final = tomllib.loads(text("tests/architecture/questions.toml"))["question"]
FENCE: Final = re.compile(r"^ *(?:```|~~~)")
HEADING: Final = re.compile(r"(#+) (.+)")


def sections(page: str) -> Iterator[tuple[str, str]]:
    """Yield each heading with its text, which includes the headings below it.

    The title of a page has only the text above the first heading.
    """
    headings: list[tuple[int, int, str]] = []
    lines = page.splitlines()
    is_code = False
    for number, line in enumerate(lines):
        is_code ^= bool(FENCE.match(line))
        if not is_code and (found := HEADING.match(line)):
            headings.append((number, len(found[1]), found[2]))
    for index, (start, level, heading) in enumerate(headings):
        ends = (line for line, depth, _ in headings[index + 1 :] if depth <= max(level, 2))
        yield heading, "\n".join(lines[start : next(ends, len(lines))])


def missing(page: str, heading: str, words: list[str]) -> list[str]:
    """Return the words that the section with the most of them lacks; all where there is none."""
    return min(
        (
            [word for word in words if not re.search(word, section, re.IGNORECASE)]
            for title, section in sections(page)
            if re.search(heading, title, re.IGNORECASE)
        ),
        key=len,
        default=[f"the heading {heading!r}", *words],
    )


def test_there_are_enough_questions_and_each_is_asked_once() -> None:
    asked = [question["asks"] for question in QUESTIONS]

    assert len(set(asked)) == len(asked) >= 30


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["asks"])
def test_the_page_answers(question: dict[str, str | list[str]]) -> None:
    page, heading, words = question["page"], question["heading"], question["words"]
    assert isinstance(page, str)
    assert isinstance(heading, str)
    assert isinstance(words, list)

    assert (ROOT / page).exists(), f"{page} is not there"
    assert missing(text(page), heading, words) == []


PAGE: Final = """# Files

A file is kept for 30 days.

```sh
# How long? A comment is no heading.
```

## Retention

### Longer

`retention_days`

## Signatures
"""


def test_a_section_ends_with_the_next_heading_of_its_level() -> None:
    assert missing(PAGE, "retention", ["retention_days"]) == []
    assert missing(PAGE, "files", ["30 days", "retention_days"]) == ["retention_days"]
    assert missing(PAGE, "signatures", ["retention_days"]) == ["retention_days"]
    assert missing(PAGE, "how long", ["comment"]) == ["the heading 'how long'", "comment"]
