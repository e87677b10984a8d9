"""Vocabulary: the glossary's banned words, module docstrings, names of functions and of bounds."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import Final

import pytest

from tests.architecture.test_structure import docstring, modules, text

PRODUCT: Final = ("chalicelib/", "functions/", "infra/", "layers/", "app.py")
# The word that nobody writes any more, and the glossary's word for it (CONTRIBUTING.md).
BANNED: Final = {
    r"facts?": "event",
    r"upkeep": "maintenance",
    r"rehears(?:e|ed|es|al|als|ing)": "dry run, warm-up",
    r"warden": "supervisor",
    r"bur(?:y|ied|ies)": "record (a dead letter)",
    r"spoilt": "dead, discarded",
    r"whoever|whatever": "say who or what",
    r"stands? for": "means, is",
    r"comes? of": "results from",
    r"asked for": "requested",
    r"trouble": "transient error",
    r"remarks?": "finding",
}
# Public names that keep their word: those of trace output and `platen dlq`.
PUBLIC: Final = re.compile(r"[\"'`]facts?[\"'`]|buried_at")
DOCSTRING_STARTS: Final = re.compile(r"(?:What|How|Where|Who|Which|Whether|When|From|Whatever)\b")
PARTICIPLES: Final = re.compile(
    r"[a-z]+ed|told|kept|said|made|given|taken|shown|written|drawn|known|seen|sent|left|lost"
    r"|found|held|built|put|read_by|broken|chosen|hidden|worn|spoilt|bound"
)
# Phrases of docstrings that make a reader stop, and their better form.
RIDDLES: Final = {
    r"\bNone: ": "say `or None if …`",
    r"\bone that\b": "name the thing",
    r"\bof those that\b": "name the things",
    r"^What\b": "begin with the thing",
}
# Verbs, and nouns of the field, that only look like participles.
VERBS: Final = {"embed", "feed", "need", "put", "seed", "succeed", "speed"}


def product() -> list[str]:
    return [name for name in modules() if name.startswith(PRODUCT)]


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of comments and docstrings with their numbers."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found = ast.get_docstring(node, clean=False)
            if found is not None:
                first = node.body[0].lineno
                yield from ((first + n, line) for n, line in enumerate(found.splitlines()))


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of docstrings, those of attributes as well, in one line, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in node.body:
                value = statement.value if isinstance(statement, ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.lineno, " ".join(value.value.split())


def riddles(source: str, published: str = "") -> list[tuple[int, str]]:
    """Return the riddles in docstrings with their lines; texts of the reference stay."""
    return [
        (line, riddle)
        for line, words in docstrings(source)
        for riddle in RIDDLES
        if re.search(riddle, words) and words not in published
    ]


def names(source: str) -> Iterator[tuple[int, str]]:
    """Yield every identifier with its line, in words: `told_at` as `told at`."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", token.string).replace("_", " ")
            yield token.start[0], words.lower()


def banned_words(source: str) -> list[tuple[int, str]]:
    """Return the banned words of a source with their lines."""
    pattern = re.compile(rf"\b(?:{'|'.join(BANNED)})\b", re.IGNORECASE)
    found = [
        (line, hit)
        for line, words in (*prose(source), *names(source))
        for hit in pattern.findall(PUBLIC.sub("", words))
    ]
    return sorted(set(found))


def functions(source: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield node


def test_no_banned_word_is_written() -> None:
    found = {name: banned_words(text(name)) for name in product()}

    assert {name: hits for name, hits in found.items() if hits} == {}


@pytest.mark.parametrize("sample", BANNED)
def test_the_list_of_banned_words_bites(sample: str) -> None:
    word = re.sub(r"\(\?:(\w*)[^)]*\)|\|.*|\?", r"\1", sample)

    assert banned_words(f'"""{word} is written."""\n') == [(1, word)]
    assert [hit for _, hit in banned_words(f"# {word}\n")] == [word]


def test_identifiers_are_read_word_by_word() -> None:
    assert banned_words("def tell_facts(FactRelay): ...\n") == [(1, "fact"), (1, "facts")]


def test_module_docstrings_begin_with_the_thing() -> None:
    starts = {name: docstring(name) or "" for name in product()}

    assert {name: line for name, line in starts.items() if DOCSTRING_STARTS.match(line)} == {}


def test_no_docstring_is_a_riddle() -> None:
    published = " ".join(text("infra/openapi.json").replace("\\n", " ").split())
    found = {name: riddles(text(name), published) for name in product()}

    assert {name: hits for name, hits in found.items() if hits} == {}


@pytest.mark.parametrize(
    "docstring",
    [
        "Return the lease; None: another function has it.",
        "Return a file, or None for one that is gone.",
        "Return the types of those that had to leave.",
        "What the queue has lost.",
    ],
)
def test_a_riddle_is_seen(docstring: str) -> None:
    assert [line for line, _ in riddles(f'def lease():\n    """{docstring}"""\n')] == [2]
    assert riddles(f'"""{docstring}"""\n', published=f"… {docstring} …") == []


def test_no_function_is_named_by_a_bare_participle() -> None:
    named = {(name, each.name) for name in product() for each in functions(text(name))}

    assert {
        (file, name)
        for file, name in named
        if PARTICIPLES.fullmatch(name.strip("_")) and name.strip("_") not in VERBS
    } == set()


def test_bounds_are_named_max() -> None:
    pattern = re.compile(r"\b_?(?:most|MOST)_(?!common)\w+|\b_?MOST\b")
    found = {name: pattern.findall(text(name)) for name in product()}

    assert {name: hits for name, hits in found.items() if hits} == {}
