"""The documents of `examples/`, rendered through the public API, as a client does it.

Each folder is a template, in the layout of `platen template push`. Its options say the format.
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from chalicelib.features.templates.model import SourceBundle
from chalicelib.features.templates.options import merged_output
from infra.operator.api.template_folder import read_folder
from infra.template import ROOT

EXAMPLES_DIR: Final = ROOT / "examples"
# The first request of README.md: the invoice, its data and its options in one body.
REQUEST_FILE: Final = EXAMPLES_DIR / "invoice" / "request.json"

# A render that takes longer than an answer may take goes on; a slow machine sees that.
_POLL_INTERVAL_S: Final = 0.25


class DemoError(Exception):
    """An example could not be rendered; the message is the response."""


def example_names() -> list[str]:
    """Return the names of all examples."""
    return sorted(folder.name for folder in EXAMPLES_DIR.iterdir() if folder.is_dir())


def example_data(name: str) -> dict[str, Any]:
    """Return the data of an example, which are its default dataset."""
    text = (EXAMPLES_DIR / name / "data.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def template_body(name: str) -> dict[str, Any]:
    """Return the request body that creates and publishes the template of an example."""
    folder = read_folder(EXAMPLES_DIR / name)
    source: dict[str, Any] = folder.source()
    content: dict[str, Any] = source.pop("content")
    return {
        "name": folder.name,
        "type": folder.type,
        "datasets": [{"name": "Example", "data": example_data(name), "is_default": True}],
        "publish": True,
        **content,
        **source,
    }


def render_body(name: str, template_id: str) -> dict[str, Any]:
    """Return the request body that renders the template of an example; a picture also as PDF."""
    is_picture = template_body(name)["options"]["output_format"] == "png"
    return {
        "input": {"type": "template", "template_id": template_id},
        "data": example_data(name),
        "output": {"formats": ["pdf", "png"] if is_picture else ["pdf"]},
    }


def invoice_request() -> dict[str, Any]:
    """Return the request body that renders the invoice without a template that is kept."""
    body = template_body("invoice")
    content = {name: body[name] for name in ("html", "css", "header", "footer")}
    return {
        "input": {
            "type": "html",
            "html": content["html"],
            "head": f"<style>\n{content['css']}</style>",
        },
        "data": example_data("invoice"),
        "output": merged_output(SourceBundle(content=content, options=body["options"]), {}),
        "delivery": {"type": "binary"},
    }


def render_invoice(run_info: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Render the first request of README.md; yield a line for its file."""
    out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    body = json.loads(REQUEST_FILE.read_text(encoding="utf-8")) | {"delivery": {"type": "url"}}
    (file,) = create_render(run_info, body)["files"]
    target = out / "invoice.pdf"
    target.write_bytes(_fetch_at_port(file["url"], run_info["own_url"]))
    ms = (time.monotonic() - started) * 1000
    yield f"{target}  {file['bytes']} bytes  {ms:.0f} ms"


def render_examples(run_info: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Render every example; yield a line for each file."""
    out.mkdir(parents=True, exist_ok=True)
    for name in example_names():
        for file in render_example(run_info, name)["files"]:
            target = out / f"{name}.{file['format']}"
            target.write_bytes(fetch_file(file["url"]))
            yield f"{target}  {file['bytes']} bytes  {file['url']}"


def render_example(run_info: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Create the template of an example, render it, delete it, and return the render."""
    template = call(run_info, "POST", "/templates", template_body(name))
    try:
        return create_render(run_info, render_body(name, template["id"]))
    finally:
        call(run_info, "DELETE", f"/templates/{template['id']}")


def create_render(
    run_info: Mapping[str, Any], body: Mapping[str, Any], path: str = "/renders"
) -> dict[str, Any]:
    """Post a render with the live key and return it ended; raises DemoError with the response."""
    render = call(run_info, "POST", path, body)
    while render["status"] in {"queued", "processing"}:
        time.sleep(_POLL_INTERVAL_S)
        render = call(run_info, "GET", f"/renders/{render['id']}")
    if not render.get("files"):
        raise DemoError(json.dumps(render))
    return render


def call(
    run_info: Mapping[str, Any], method: str, path: str, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the JSON response to the live key; raises DemoError with an error."""
    request = urllib.request.Request(  # noqa: S310 -- loopback
        f"{run_info['base_url']}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {run_info['live_key']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 -- loopback
            answer: dict[str, Any] = json.loads(response.read() or b"{}")
    except urllib.error.HTTPError as error:
        raise DemoError(error.read().decode("utf-8", "replace")) from error
    return answer


def fetch_file(url: str) -> bytes:
    """Return the file at a URL."""
    with urllib.request.urlopen(url, timeout=30) as response:  # noqa: S310 -- loopback
        content: bytes = response.read()
    return content


def _fetch_at_port(url: str, own_url: str) -> bytes:
    """Return the file at a public URL, which a proxy may not serve yet, from the port itself."""
    import httpx  # noqa: PLC0415 -- for this file alone

    with httpx.Client(base_url=own_url, timeout=30) as client:
        while True:
            answer = client.get(httpx.URL(url).raw_path.decode(), headers={"Host": _host(url)})
            if not answer.is_redirect:
                return answer.raise_for_status().content
            url = answer.headers["Location"]


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc


def request_text() -> str:
    """Return the text of the request file."""
    return json.dumps(invoice_request(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    REQUEST_FILE.write_text(request_text(), encoding="utf-8")
    sys.stdout.write(f"{REQUEST_FILE}\n")
