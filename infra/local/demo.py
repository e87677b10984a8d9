"""Renders the examples through the public API, as a client would, into files."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from infra.template import ROOT

EXAMPLES: Final = ("invoice",)
REQUESTS: Final = {"pdf": "request.json", "png": "request-png.json"}


class DemoError(Exception):
    """An example could not be rendered; the message holds the answer."""


def render_examples(told: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Render every example in every format; yield a line for each file."""
    out.mkdir(parents=True, exist_ok=True)
    for example in EXAMPLES:
        for kind in REQUESTS:
            began = time.monotonic()
            render = create_render(told, example_request(example, kind))
            file = render["files"][0]
            target = out / f"{example}.{kind}"
            target.write_bytes(fetch(file["url"]))
            ms = (time.monotonic() - began) * 1000
            yield f"{target}  {file['bytes']} bytes  {ms:.0f} ms  {file['url']}"


def example_request(example: str, kind: str) -> dict[str, Any]:
    """Return the body of the request that renders an example."""
    folder = ROOT / "examples" / example

    def text(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    request: dict[str, Any] = json.loads(text(REQUESTS[kind]))
    request["input"]["html"] = text("template.html")
    request["data"] = json.loads(text("data.json"))
    pdf = request["output"].get("pdf", {})
    for part in ("header", "footer"):
        if part in pdf:
            pdf[part]["html"] = text(f"{part}.html")
    return request


def create_render(told: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Post a render with the live key and return it; raises DemoError with a refusal's text."""
    render = post(told, "/renders", body)
    if not render.get("files"):
        raise DemoError(json.dumps(render))
    return render


def post(told: Mapping[str, Any], path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Post with the live key and return the answer; raises DemoError with a refusal's text."""
    request = urllib.request.Request(  # noqa: S310 -- loopback
        f"{told['base_url']}{path}",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {told['live_key']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 -- loopback
            made: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError as error:
        raise DemoError(error.read().decode("utf-8", "replace")) from error
    return made


def fetch(url: str) -> bytes:
    """Return a file by its address."""
    with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 -- loopback
        content: bytes = answer.read()
    return content
