"""Rules of prose: each shows what it sees and what it lets pass, in a form that Vale tries."""

from pathlib import Path

import pytest
import yaml

from infra.prose.__main__ import RULES

FILES = sorted(RULES.rglob("*.yml"))


def test_there_are_rules() -> None:
    assert len(FILES) > 10


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_rule_has_a_sample_that_it_sees_and_one_that_passes(file: Path) -> None:
    samples = yaml.safe_load(file.read_text(encoding="utf-8"))["tests"]

    # Vale leaves out samples of another form without a word.
    assert all(isinstance(sample.get("contains", ""), str) for sample in samples)
    assert any(sample.get("contains") for sample in samples)
    assert any(sample.get("want") == "" for sample in samples)
