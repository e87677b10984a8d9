"""Files of the recorded examples: one for each tag."""

import json
from collections.abc import Mapping
from typing import Any

from chalicelib.api.edge.openapi.examples import RECORDED


def write_examples(examples: Mapping[str, Any]) -> None:
    """Write the examples of all tags in place of the files that are there."""
    RECORDED.mkdir(exist_ok=True)
    for file in RECORDED.glob("*.json"):
        file.unlink()
    for tag, operations in examples.items():
        text = json.dumps(operations, ensure_ascii=False, indent=1) + "\n"
        (RECORDED / f"{_name(tag)}.json").write_text(text, encoding="utf-8")


def read_examples() -> dict[str, Any]:
    """Return the content of each file by its name."""
    return {file.stem: json.loads(file.read_bytes()) for file in RECORDED.glob("*.json")}


def by_file_name(examples: Mapping[str, Any]) -> dict[str, Any]:
    """Return the examples by the name of the file that they belong into."""
    return {_name(tag): operations for tag, operations in examples.items()}


def _name(tag: str) -> str:
    return tag.lower().replace(" ", "_").replace("-", "_")
