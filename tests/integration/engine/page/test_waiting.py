"""Waits and deadlines: late content is awaited, endless scripts are ended."""

import io

import pypdf
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page import loading
from tests.builders.pages.real_browser import Render

NEVER_YIELDS = {
    "script": "<script>for (;;);</script>",
    "after load": "<script>onload = () => { for (;;); }</script>",
    "microtasks": "<script>(function f() { Promise.resolve().then(f) })()</script>",
    "timer": "<script>setTimeout(() => { for (;;); })</script>",
    "regular expression": "<script>/(a+)+b/.test('a'.repeat(60))</script>",
}


def text_of(content: bytes) -> str:
    return str(pypdf.PdfReader(io.BytesIO(content)).pages[0].extract_text())


@pytest.mark.parametrize("html", NEVER_YIELDS.values(), ids=NEVER_YIELDS.keys())
def test_script_that_never_yields_fails_at_the_wait_timeout(render: Render, html: str) -> None:
    with pytest.raises(RenderFailure) as failure:
        render(html, wait={"timeout_ms": 700, "delay_ms": 300})

    assert failure.value.code == "wait_timeout"
    assert "it waited for: a script of the page that does not yield" in failure.value.detail
    assert "next" in text_of(render("<p>next").files[0].content)


def test_script_that_blocks_printing_fails_at_the_deadline(render: Render) -> None:
    with pytest.raises(RenderFailure) as failure:
        render("<script>onbeforeprint = () => { for (;;); }</script>", seconds=3)

    assert failure.value.code == "render_timeout"


@pytest.mark.parametrize(
    "wait",
    [
        {"selector": "#late"},
        {"expression": "document.querySelector('#late')"},
        {"expression": "new Promise((r) => setTimeout(() => r(true), 400))"},
        {"delay_ms": 2_000},
        {"until": "networkidle"},
        {"until": "domcontentloaded", "selector": "#late"},
    ],
)
def test_late_content_is_awaited(
    render: Render, wait: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than a busy machine keeps a page from running.
    monkeypatch.setattr(loading, "_QUIET_S", 2.0)
    html = "<script>setTimeout(() => { document.body.innerHTML = '<p id=late>late' }, 200)</script>"

    assert text_of(render(html, wait=wait).files[0].content) == "late"


@pytest.mark.parametrize(
    ("wait", "told"),
    [
        ({"selector": "#never"}, 'selector "#never": no element of the page matches it'),
        ({"expression": "0"}, 'expression "0": it is 0'),
        ({"expression": "document.body.x"}, 'expression "document.body.x": it is undefined'),
        ({"expression": "0n"}, "it is 0n"),
        ({"expression": "null"}, "it is null"),
        ({"expression": "nothing.at.all"}, "it throws ReferenceError: nothing is not defined"),
        ({"expression": "new Promise(() => 0)"}, "its promise stays pending"),
        ({"expression": f"0{' ' * 9000}"}, f'expression "0{" " * 99}…": it is 0'),
    ],
)
def test_unmet_wait_condition_fails_at_the_timeout(
    render: Render, wait: dict[str, object], told: str
) -> None:
    with pytest.raises(RenderFailure) as failure:
        render("<p>x", wait={**wait, "timeout_ms": 3_000})

    assert failure.value.code == "wait_timeout"
    assert "wait.timeout_ms (3000)" in failure.value.detail
    assert told in failure.value.detail


HIDDEN = {
    "shadow root": (
        "<my-card id=c></my-card><script>c.attachShadow({mode: 'open'}).innerHTML ="
        " '<p id=in>x'</script>"
    ),
    "shadow root in another": (
        "<a-a></a-a><script>const at = (e) => e.attachShadow({mode: 'open'});"
        "const a = at(document.querySelector('a-a')); a.innerHTML = '<div></div>';"
        "at(a.firstChild).innerHTML = '<p id=in>x'</script>"
    ),
    "frame": "<iframe srcdoc='<p id=in>x'></iframe>",
}
PLACES = {
    "shadow root": "the shadow root of <my-card#c>",
    "shadow root in another": "the shadow root of <div>",
    "frame": "the frame <iframe>",
}


@pytest.mark.parametrize("name", HIDDEN)
def test_selector_of_what_no_selector_enters_is_told(render: Render, name: str) -> None:
    html, place = HIDDEN[name], PLACES[name]
    with pytest.raises(RenderFailure) as waited:
        render(html, wait={"selector": "#in", "timeout_ms": 5_000})
    with pytest.raises(RenderFailure) as clipped:
        render(html, format="png", image={"clip_selector": "#in"})

    assert (waited.value.code, clipped.value.code) == ("wait_timeout", "render_failed")
    assert place in waited.value.detail
    assert place in clipped.value.detail


def test_invalid_selector_fails_the_render(render: Render) -> None:
    with pytest.raises(RenderFailure) as failure:
        render("<p>x", wait={"selector": "a["})

    assert failure.value.code == "render_failed"
    assert "selector" in failure.value.detail


@pytest.mark.parametrize("expression", ["done = (", "JSON.parse('{')", "}"])
def test_invalid_expression_fails_the_render_at_once(render: Render, expression: str) -> None:
    # An expression that throws may succeed later; one that does not parse never does.
    runs = "JSON" in expression
    with pytest.raises(RenderFailure) as failure:
        render("<p>x", wait={"expression": expression, "timeout_ms": 300 if runs else 30_000})

    assert failure.value.code == ("wait_timeout" if runs else "render_failed")
    assert ("is not valid JavaScript: SyntaxError: " in failure.value.detail) is not runs


def test_pictures_are_awaited_also_lazy_ones(render: Render) -> None:
    svg = "data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%2250%22/>"
    html = (
        f"<div style='height:9000px'></div><img id=i loading=lazy src='{svg}'>"
        "<script>onbeforeprint = () => console.log(i.complete, i.naturalWidth)</script>"
    )

    assert render(html).trace.logs == ("log: true 50",)


def test_javascript_can_be_off(render: Render) -> None:
    html = (
        "<p>static</p><noscript>no script</noscript><script>document.write('dynamic')</script>"
        "<img src=x onerror=\"document.body.append('dynamic')\">"
    )

    text = text_of(
        render(html, javascript=False, wait={"selector": "p", "delay_ms": 50}).files[0].content
    )

    assert "static" in text
    assert "no script" in text
    assert "dynamic" not in text


def test_wait_expression_works_with_javascript_off(render: Render) -> None:
    wait = {"expression": "document.querySelector('p') !== null"}

    assert render("<p>x", javascript=False, wait=wait).files[0].pages == 1


def test_console_messages_are_kept_up_to_a_limit(render: Render) -> None:
    html = (
        "<script>console.warn('a', 1, {});"
        "for (let n = 0; n < 500; n++) console.log('x'.repeat(999));</script>"
    )

    logs = render(html).trace.logs

    assert logs[0] == "warning: a 1 Object"
    assert len(logs) == 100
    assert max(len(line) for line in logs) == 500
    assert "broken" in render("<script>throw new Error('broken')</script>").trace.logs[0]


def test_page_has_the_requested_locale_and_time_zone(render: Render) -> None:
    html = (
        "<script>console.log((1234.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions()"
        ".timeZone, navigator.language)</script>"
    )

    assert render(html).trace.logs == ("log: 1,234.5 UTC en-US",)
    assert render(html, locale="de-DE", timezone="Europe/Vienna").trace.logs == (
        "log: 1.234,5 Europe/Vienna de-DE",
    )
