"""Console messages and refused requests are kept as logs, also of failed renders."""

from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import RefusingEgress, task
from tests.builders.pages.real_browser import Render

SAYS = "<script>console.log('said'); setTimeout(() => { throw new Error('broken') })</script>"


def failure_of(render: Render, html: str, **options: Any) -> RenderFailure:
    with pytest.raises(RenderFailure) as failure:
        render(html, **options)
    return failure.value


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("wait_timeout", {"wait": {"selector": "#never", "timeout_ms": 4_000}}),
        ("render_failed", {"pdf": {"page_ranges": "7"}, "wait": {"delay_ms": 100}}),
        ("render_timeout", {"wait": {"expression": "0"}, "seconds": 4}),
    ],
)
def test_failed_render_keeps_the_console_messages(
    render: Render, code: str, options: dict[str, Any]
) -> None:
    failure = failure_of(render, SAYS, **options)

    assert failure.code == code
    said, thrown = failure.members["trace"].logs
    assert said == "log: said"
    assert thrown.startswith("error: Error: broken")


def test_failure_before_the_page_has_no_logs(browser: Browser, templates: TemplateWorker) -> None:
    broken = task("{{ 1 / 0 }}", templating=True)

    with pytest.raises(RenderFailure) as failure:
        run_page_job(*broken, PipelineServices(browser, templates, RefusingEgress()))

    assert failure.value.members["trace"].logs == ()


def test_refused_requests_are_logged_without_private_parts(render: Render) -> None:
    html = (
        "<img src='https://example.com/logo.png?key=secret'><img src='https://example.com/b'>"
        "<img src='https://example.net:8443/c'><img src='logo.png?key=secret'>"
        "<iframe src='file:///etc/passwd'></iframe>"
        "<script>location = 'https://user:secret@example.org/c'</script>"
    )

    logs = render(html, wait={"delay_ms": 100}).trace.logs

    assert set(logs) >= {
        "refused: https://example.com",
        "refused: https://example.net:8443",
        "refused: https://example.org",
        "failed: /logo.png",
    }
    assert logs.count("refused: https://example.com") == 1
    assert not any("secret" in line or "passwd" in line for line in logs)


def test_failed_render_logs_its_refused_requests(render: Render) -> None:
    wait = {"selector": "#never", "timeout_ms": 4_000}

    logs = failure_of(render, "<img src='https://example.com/a'>", wait=wait).members["trace"].logs

    assert logs == ("refused: https://example.com",)


def test_refused_requests_and_console_share_one_limit(render: Render) -> None:
    pictures = "".join(f"<img src='/{n}{'x' * 600}.png'>" for n in range(150))
    html = f"{pictures}<script>for (let n = 0; n < 200; n++) console.log(n)</script>"

    logs = render(html).trace.logs

    assert len(logs) == 100
    assert logs[:50] == tuple(f"log: {n}" for n in range(50))
    assert max(len(line) for line in logs) <= 500


def test_footer_is_rendered_as_a_template(browser: Browser, templates: TemplateWorker) -> None:
    footer: dict[str, Any] = {"enabled": True, "html": "one\n{{ n / 0 }}"}
    output = {"pdf": {"footer": footer}}
    broken = task("x", output, templating=True, data={"n": 1})

    with pytest.raises(RenderFailure) as failure:
        run_page_job(*broken, PipelineServices(browser, templates, RefusingEgress()))

    assert failure.value.code == "template_runtime_error"
    del failure.value.members["trace"]
    assert failure.value.members == {"line": 2, "column": 4, "excerpt": "{{ n / 0 }}"}


def test_browser_stderr_has_no_console_messages(browser: Browser, render: Render) -> None:
    said = "console.log('secret'); console.error('secret'); throw Error('secret')"

    outcome = render(f"<script>{said}</script><link rel=icon href='data:,secret'><p>Text")

    assert "log: secret" in outcome.trace.logs
    process, *_ = browser.processes
    assert "secret" not in process.stderr_tail()
