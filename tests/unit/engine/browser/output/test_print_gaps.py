"""Gaps that the text of a document lets expect."""

import time
from collections.abc import Collection

import pytest

from chalicelib.engine.browser.output.print_gaps import possible_gaps

HEAD = "<thead><tr><th>Item<th>Price</tr></thead>"


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        ("<p>x", ()),
        (f"<style>td {{ padding: 4px }}</style><table>{HEAD}<tbody></table>", ()),
        ("<style>table { table-layout: fixed }</style>", ()),
        ("<style>p { position: fixed }</style>", ("fixed",)),
        ("<p style='backdrop-filter: none'>", ("dropped",)),
        # A linked sheet may have anything: what the print shows of it is looked for.
        (f"<link rel=stylesheet href=a.css>{HEAD}", ("fixed", "head")),
        (f"<style>th {{ height: 300px }}</style>{HEAD}", ("head",)),
        (f"<style>th {{ writing-mode: vertical-rl }}</style>{HEAD}", ("head",)),
        (HEAD.replace("Item", "<img src=a>"), ("head",)),
        (HEAD.replace("Item", "word " * 200), ("head",)),
    ],
)
def test_text_tells_what_is_looked_for(html: str, kinds: Collection[str]) -> None:
    assert possible_gaps(html, has_scripts=False) == set(kinds)


@pytest.mark.parametrize("part", ["<thead", "<thead><tr", "<thead>x</thead>", "fixed", "{{ a"])
def test_hostile_text_is_searched_in_linear_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    began = time.process_time()

    possible_gaps(text, has_scripts=True)

    assert time.process_time() - began < 2
