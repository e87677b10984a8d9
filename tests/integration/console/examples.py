"""The documents of examples/ as templates."""

import json
from typing import Any, Final

from infra.template import ROOT

_EXAMPLES: Final = ROOT / "examples"
_SOURCES: Final = {"html": "template.html", "css": "style.css"}


def example(name: str) -> dict[str, Any]:
    """Return the body that makes a template of an example, with its data as a dataset."""
    folder = _EXAMPLES / name
    options = json.loads((folder / "options.json").read_text(encoding="utf-8"))
    texts = {
        field: (folder / file).read_text(encoding="utf-8")
        for field, file in _SOURCES.items()
        if (folder / file).exists()
    }
    data = json.loads((folder / "data.json").read_text(encoding="utf-8"))
    return {**texts, "options": options, "datasets": [{"name": "Sample", "data": data}]}
