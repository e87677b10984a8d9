"""Rendering of the examples through the public API, as a client does it."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from infra.template import ROOT

INLINE_EXAMPLES: Final = ("invoice",)
REQUEST_FILES: Final = {"pdf": "request.json", "png": "request-png.json"}
STORED_DIR: Final = ROOT / "examples" / "stored"
# Fields of a template, by the file of the example that holds them.
_TEXT_FILES: Final = {
    "template.html": "html",
    "style.css": "css",
    "header.html": "header",
    "footer.html": "footer",
}
_JSON_FILES: Final = {"scene.json": "scene", "options.json": "options", "schema.json": "schema"}


class DemoError(Exception):
    """An example could not be rendered; the message is the response."""


def render_examples(run_info: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Render every example in every format; yield a line for each file."""
    out.mkdir(parents=True, exist_ok=True)
    for example in INLINE_EXAMPLES:
        for kind in REQUEST_FILES:
            started = time.monotonic()
            render = create_render(run_info, example_request(example, kind))
            file = render["files"][0]
            target = out / f"{example}.{kind}"
            target.write_bytes(fetch_file(file["url"]))
            ms = (time.monotonic() - started) * 1000
            yield f"{target}  {file['bytes']} bytes  {ms:.0f} ms  {file['url']}"


def example_request(example: str, kind: str) -> dict[str, Any]:
    """Return the body of the request that renders an example."""
    folder = ROOT / "examples" / example

    def text(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    request: dict[str, Any] = json.loads(text(REQUEST_FILES[kind]))
    request["input"]["html"] = text("template.html")
    request["data"] = json.loads(text("data.json"))
    pdf = request["output"].get("pdf", {})
    for part in ("header", "footer"):
        if part in pdf:
            pdf[part]["html"] = text(f"{part}.html")
    return request


def create_render(
    run_info: Mapping[str, Any], body: Mapping[str, Any], path: str = "/renders"
) -> dict[str, Any]:
    """Post a render with the live key and return it; raises DemoError with the response."""
    render = post(run_info, path, body)
    if not render.get("files"):
        raise DemoError(json.dumps(render))
    return render


def post(run_info: Mapping[str, Any], path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Post with the live key and return the JSON response; raises DemoError with an error."""
    request = urllib.request.Request(  # noqa: S310 -- loopback
        f"{run_info['base_url']}{path}",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {run_info['live_key']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 -- loopback
            created: dict[str, Any] = json.load(response)
    except urllib.error.HTTPError as error:
        raise DemoError(error.read().decode("utf-8", "replace")) from error
    return created


def fetch_file(url: str) -> bytes:
    """Return the file at a URL."""
    with urllib.request.urlopen(url, timeout=30) as response:  # noqa: S310 -- loopback
        content: bytes = response.read()
    return content


def render_stored_examples(run_info: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Create a template from every stored example and render it; yield a line for each file."""
    out.mkdir(parents=True, exist_ok=True)
    for example in stored_examples():
        template = post(run_info, "/templates", template_body(example))
        for file in create_render(run_info, render_body(example, template["id"]))["files"]:
            target = out / f"{example}.{file['format']}"
            target.write_bytes(fetch_file(file["url"]))
            yield f"{target}  {file['bytes']} bytes  {file['url']}"


def stored_examples() -> list[str]:
    """Return the names of all stored examples."""
    return sorted(folder.name for folder in STORED_DIR.iterdir() if folder.is_dir())


def template_body(example: str) -> dict[str, Any]:
    """Return the request body that creates and publishes the template of an example."""
    folder = STORED_DIR / example
    parts = {member: _read_text(folder / name) for name, member in _TEXT_FILES.items()}
    parts |= {member: _read_object(folder / name) for name, member in _JSON_FILES.items()}
    return {
        "name": example.replace("-", " ").capitalize(),
        "type": "image_canvas" if parts["scene"] else "html",
        "datasets": [{"name": "Example", "data": example_data(example), "is_default": True}],
        "publish": True,
        **{member: part for member, part in parts.items() if part is not None},
    }


def render_body(example: str, template_id: str) -> dict[str, Any]:
    """Return the request body that renders an example's template; a canvas also as PNG."""
    is_canvas = (STORED_DIR / example / "scene.json").exists()
    return {
        "input": {"type": "template", "template_id": template_id},
        "data": example_data(example),
        "output": {"formats": ["pdf", "png"] if is_canvas else ["pdf"]},
    }


def example_data(example: str) -> dict[str, Any]:
    """Return the data of an example."""
    data: dict[str, Any] = _read_object(STORED_DIR / example / "data.json")
    return data


def _read_object(path: Path) -> Any:
    text = _read_text(path)
    return None if text is None else json.loads(text)


def _read_text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None
