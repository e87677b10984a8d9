"""The examples that are kept as templates: each is made through the API and rendered from there."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from infra.local.demo import create_render, fetch, post
from infra.template import ROOT

STORED: Final = ROOT / "examples" / "stored"
# What a template is made of, by the file that it stands in.
_TEXTS: Final = {
    "template.html": "html",
    "style.css": "css",
    "header.html": "header",
    "footer.html": "footer",
}
_OBJECTS: Final = {"scene.json": "scene", "options.json": "options", "schema.json": "schema"}


def render_stored(told: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Make a template of every stored example and render it; yield a line for each file."""
    out.mkdir(parents=True, exist_ok=True)
    for example in stored_examples():
        template = post(told, "/templates", creation(example))
        for file in create_render(told, rendering(example, template["id"]))["files"]:
            target = out / f"{example}.{file['format']}"
            target.write_bytes(fetch(file["url"]))
            yield f"{target}  {file['bytes']} bytes  {file['url']}"


def stored_examples() -> list[str]:
    """Return the names of all stored examples."""
    return sorted(folder.name for folder in STORED.iterdir() if folder.is_dir())


def creation(example: str) -> dict[str, Any]:
    """Return the body that makes an example's template and publishes it."""
    folder = STORED / example
    parts = {member: _text(folder / name) for name, member in _TEXTS.items()}
    parts |= {member: _object(folder / name) for name, member in _OBJECTS.items()}
    return {
        "name": example.replace("-", " ").capitalize(),
        "type": "image_canvas" if parts["scene"] else "html",
        "datasets": [{"name": "Example", "data": data_of(example), "is_default": True}],
        "publish": True,
        **{member: part for member, part in parts.items() if part is not None},
    }


def rendering(example: str, template_id: str) -> dict[str, Any]:
    """Return the body that renders an example's template; a canvas becomes a picture too."""
    canvas = (STORED / example / "scene.json").exists()
    return {
        "input": {"type": "template", "template_id": template_id},
        "data": data_of(example),
        "output": {"formats": ["pdf", "png"] if canvas else ["pdf"]},
    }


def data_of(example: str) -> dict[str, Any]:
    """Return the data that an example is rendered with."""
    data: dict[str, Any] = _object(STORED / example / "data.json")
    return data


def _object(path: Path) -> Any:
    text = _text(path)
    return None if text is None else json.loads(text)


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None
