"""Preflight of pages: what it tells without the web, beside what a render of the same job tells."""

import socket
from collections.abc import Iterator
from typing import Any, Final

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.contract.options.assets import PageAsset
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.job import LintOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.ports import FetchResponse
from chalicelib.engine.preflight import preflight_page
from chalicelib.engine.sources import CanvasSource
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import task, web_page_task
from tests.builders.pages.scene_renderer import box
from tests.builders.pages.switched_egress import SwitchedEgress

INSIDE: Final = "https://inside.example"
TALL: Final = {"enabled": True, "html": "<div style='height: 40mm'>x</div>"}
LINE: Final = {"enabled": True, "left": "x"}
PICTURE: Final = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def scene(*layers: dict[str, Any]) -> CanvasSource:
    return CanvasSource({"width": 90, "height": 90, "layers": list(layers)})


# Arguments of a job of which a preflight knows all that its render tells.
KNOWN: Final[dict[str, dict[str, Any]]] = {
    "nothing": {"html": "<p>x</p>"},
    "header without height": {"html": "<p>", "output": {"pdf": {"header": TALL}}},
    "header with height": {
        "html": "<p>",
        "output": {"pdf": {"first_header": {**LINE, "height": "3cm"}}},
    },
    "header and footer": {"html": "<p>", "output": {"pdf": {"header": TALL, "last_footer": TALL}}},
    "room by the document": {
        "html": "<style>@page { margin: 50mm }</style><p>",
        "output": {"pdf": {"header": TALL}},
    },
    "no room by the document": {
        "html": "<style>@page { margin: 1mm }</style><p>",
        "output": {"pdf": {"footer": LINE, "margin": {"bottom": "5cm"}}},
    },
    "header of a template": {
        "html": "<p>",
        "templating": True,
        "data": {"rows": [1] * 20},
        "output": {
            "pdf": {"header": {"enabled": True, "html": "{% for row in rows %}<p>x{% endfor %}"}}
        },
    },
    "placeholders": {"html": "<p>{{ a }} {{ b }}</p><code>{{ c }}</code>"},
    "placeholder of a header": {
        "html": "<p>x</p>",
        "output": {"pdf": {"header": {**LINE, "left": "{{ gone }} {{ page }}"}}},
    },
    "undefined values": {"html": "<p>{{ a }}\n{{ b.c }}", "templating": True, "data": {"b": {}}},
    "undefined value that fails": {
        "html": "<p>\n{{ a }}",
        "templating": True,
        "data": {"b": 1},
        "output": {"strict_undefined": True},
    },
    "syntax": {"html": "<p>\n{% if %}", "templating": True, "data": {"b": 1}},
    "filter": {"html": "<p>{{ b|shout }}", "templating": True, "data": {"b": 1}},
    "broken link": {"html": "<a href='#gone'>x</a><a href='#here' id=here>x</a>"},
    "private picture": {"html": f"<p><img src={INSIDE}/a.png>"},
    "private number": {"html": "<style>p { background: url(https://10.0.0.1/a.png) }</style><p>x"},
    "private picture that fails": {
        "html": f"<img src={INSIDE}/a.png>",
        "output": {"asset_policy": "strict"},
    },
    "private picture of a header": {
        "html": "<p>",
        "output": {"pdf": {"header": {"enabled": True, "html": f"<img src='{INSIDE}/a.png'>"}}},
    },
    "relative address": {"html": "<img src=a/b.png>"},
    "file of the machine": {"html": "<img src=file:///etc/passwd>"},
    "broken picture of a header": {
        "html": "<p>",
        "output": {
            "pdf": {"header": {"enabled": True, "html": "<img src='data:image/png;base64,AAAA'>"}}
        },
    },
    "missing glyph": {"html": "<p>&#x13000;"},
    "locale": {"html": "<p>x</p>", "output": {"locale": "zz-ZZ-abcdefgh"}},
    "fields of an address": {"html": "<p>x</p>", "output": {"http": {"headers": {"a": "b"}}}},
    "data of a canvas": {
        "source": scene(box("text", 0, 0, 90, 20, text="x")),
        "data": {"title.text": "y"},
    },
    "text of a canvas": {
        "source": scene(box("text", 0, 0, 90, 20, text="x " * 500, overflow="ellipsis"))
    },
    "leading elsewhere": {"html": "<meta http-equiv=refresh content='0; url=https://a.example/'>x"},
}
# With scripts, or files of the web, a preflight tells less.
UNSURE: Final[dict[str, dict[str, Any]]] = {
    "script that fills in": {
        "html": "<p>{{ a }}</p><script>document.querySelector('p').textContent = ''</script>"
    },
    "script that is left": {"html": "<p>{{ a }}</p><script>1</script>"},
    "hidden from scripts": {
        "html": f"<noscript><img src={INSIDE}/a.png></noscript><script>1</script>"
    },
    "script that fails": {"html": "<script>gone()</script>"},
    "frame": {"html": f"<iframe src={INSIDE}/></iframe>"},
}


class Unsent:
    """Egress that may look up names, and nothing else."""

    def __init__(self, egress: GuardedEgress) -> None:
        self._egress = egress
        self.looked_up: list[str] = []

    def refusal(self, url: str, *, timeout_s: float, https_only: bool = False) -> str | None:
        self.looked_up.append(url)
        return self._egress.refusal(url, timeout_s=timeout_s, https_only=https_only)

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        raise AssertionError(host, port, timeout_s)

    def fetch(self, url: str, **_: Any) -> FetchResponse:
        raise AssertionError(url)


def resolve(host: str, _port: int) -> list[str]:
    return {"inside.example": ["10.0.0.1"], "out.example": ["93.184.215.14"]}.get(host, [])


@pytest.fixture
def guarded(egress: SwitchedEgress) -> Iterator[Unsent]:
    own = GuardedEgress(allow="", own_hosts=frozenset(), resolve=resolve)
    with egress.through(own):
        yield Unsent(own)


@pytest.fixture
def services(browser: Browser, templates: TemplateWorker, guarded: Unsent) -> PipelineServices:
    return PipelineServices(browser, templates, guarded)


def checked(services: PipelineServices, **job: Any) -> LintOutcome:
    return preflight_page(*task(**job), services)


def rendered(
    services: PipelineServices, egress: SwitchedEgress, **job: Any
) -> tuple[set[RenderWarning], list[tuple[str, str]]]:
    """Return the warnings of a render, or its failure."""
    try:
        outcome = run_page_job(*task(**job), services._replace(egress=egress))
    except RenderFailure as failure:
        return set(), [(failure.code, failure.detail)]
    return set(outcome.trace.warnings), []


@pytest.mark.parametrize("name", KNOWN)
def test_preflight_tells_what_the_render_does(
    services: PipelineServices, egress: SwitchedEgress, name: str
) -> None:
    found = checked(services, **KNOWN[name])
    warnings, failures = rendered(services, egress, **KNOWN[name])

    assert [code for code, _ in failures] == [each.code for each in found.failures]
    for (_, message), told in zip(failures, found.failures, strict=True):
        # In a preflight the name of the text stands before it.
        assert told.detail.endswith(message)
    if not failures:
        assert set(found.warnings) == warnings
    assert (name == "nothing") == (not warnings and not failures) or name.startswith("room")


@pytest.mark.parametrize("name", UNSURE)
def test_preflight_tells_nothing_that_the_render_does_not(
    services: PipelineServices, egress: SwitchedEgress, name: str
) -> None:
    found = checked(services, **UNSURE[name])
    warnings, _ = rendered(services, egress, **UNSURE[name])

    assert not found.failures
    assert set(found.warnings) <= warnings
    assert bool(found.warnings) == (name == "frame")


def test_nothing_is_sent_and_files_of_the_web_are_no_warning(
    services: PipelineServices, guarded: Unsent
) -> None:
    out = "https://out.example"
    html = (
        f"<link rel=preconnect href={out}><link rel=stylesheet href={out}/a.css>"
        f"<img src={out}/b.png><iframe src={out}/c></iframe><p style='background: url({out}/d)'>x"
        f"<script src={out}/e.js></script><img src='https://nowhere.example/f.png'>"
    )
    header = {"enabled": True, "html": f"<img src='{out}/g.png'><link rel=stylesheet href={out}/h>"}

    found = checked(services, html=html, output={"pdf": {"header": header}})

    assert found == LintOutcome((), [])
    assert set(guarded.looked_up) >= {out, "https://nowhere.example"}


def test_hosts_are_looked_up_once_and_at_most_fifty(
    services: PipelineServices, guarded: Unsent
) -> None:
    pictures = "".join(f"<img src=https://h{n % 80}.example/{n}.png>" for n in range(160))

    checked(services, html=pictures)

    assert len(guarded.looked_up) == len(set(guarded.looked_up)) == 50


def test_strict_document_whose_files_may_be_reached_is_no_failure(
    services: PipelineServices,
) -> None:
    strict = {"asset_policy": "strict"}
    pictures = f"<img src=https://out.example/a.png><img src='{PICTURE}'>"

    assert checked(services, html=pictures, output=strict) == LintOutcome((), [])


def test_endless_script_and_unmet_conditions_hold_no_preflight(services: PipelineServices) -> None:
    wait = {"selector": "#never", "expression": "false", "delay_ms": 10_000}

    found = checked(
        services,
        html="<p>x</p><script>for (;;);</script>",
        output={"wait": wait, "pdf": {"header": TALL}},
    )

    assert [warning.code for warning in found.warnings] == ["header_footer_overlap"]


def test_header_of_a_visited_page_is_measured_without_the_page(services: PipelineServices) -> None:
    output: dict[str, Any] = {"pdf": {"header": TALL}, "http": {"headers": {"a": "b"}}}

    found = preflight_page(*web_page_task("https://out.example/", output), services)

    assert [warning.code for warning in found.warnings] == ["header_footer_overlap"]


def test_asset_of_the_request_is_found(services: PipelineServices) -> None:
    asset = PageAsset(path="a.gif", content=PICTURE.partition(",")[2])

    found = checked(services, html="<img src=a.gif><img src=b.gif>", assets=(asset,))

    assert [(each.code, each.detail) for each in found.warnings] == [("asset_failed", "/b.gif")]
