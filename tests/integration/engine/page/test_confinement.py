"""Confinement of a page; the hosts it cannot reach are tested by the attacks."""

from chalicelib.core.errors import RenderFailure
from tests.builders.pages.real_browser import Render


def test_local_files_cannot_be_read(render: Render) -> None:
    html = (
        "<iframe src='file:///etc/passwd'></iframe><img src='file:///etc/hostname'>"
        "<script>fetch('file:///etc/passwd').catch((e) => document.title = 'refused')</script>"
    )

    outcome = render(html, wait={"expression": "document.title === 'refused'"})

    assert b"root:" not in outcome.files[0].content


def test_refused_request_gives_a_warning(render: Render) -> None:
    outcome = render("<img src='https://example.com/logo.png'><img src='logo.png'>")

    assert {(warning.code, warning.detail) for warning in outcome.trace.warnings} == {
        ("asset_failed", "https://example.com/logo.png"),
        ("asset_failed", "/logo.png"),
    }


def test_refused_requests_give_warnings_up_to_a_limit(render: Render) -> None:
    outcome = render("".join(f"<img src='/{n}.png'>" for n in range(80)))

    assert len(outcome.trace.warnings) == 51
    assert outcome.trace.warnings[-1].detail == "and 30 more"


def test_data_urls_are_loaded(render: Render) -> None:
    html = (
        "<iframe src='data:text/html,<p>inside'></iframe>"
        '<img id=i src=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="7"/>\'>'
        "<link rel=stylesheet href='data:text/css,p{color:red}'>"
        "<script>fetch('data:,x').then((r) => r.text()).then((t) => document.title = t)</script>"
    )

    outcome = render(html, wait={"expression": "document.title === 'x' && i.width === 7"})

    assert outcome.trace.warnings == ()


LEAVE_TRACES = """<script>
document.cookie = 'a=b; path=/; max-age=999'; localStorage.a = 'b'; sessionStorage.a = 'b';
window.name = 'b'; caches.open('a');
</script>"""
FIND_TRACES = """<script>
(async () => {
  if (localStorage.a) await new Promise((r) => indexedDB.open('a').onsuccess = r);
  const found = [document.cookie, localStorage.length, sessionStorage.length, window.name,
    (await indexedDB.databases()).length, (await caches.keys()).length];
  console.log(JSON.stringify(found), location.origin === 'null', isSecureContext);
  document.title = 'done';
})();
</script>"""


def test_storage_of_one_document_is_not_seen_by_the_next(render: Render) -> None:
    done = {"expression": "document.title === 'done'"}

    first = render(LEAVE_TRACES + FIND_TRACES, wait=done)
    second = render(FIND_TRACES, wait=done)

    assert first.trace.logs == ('log: ["a=b",1,1,"b",1,1] false true',)
    assert second.trace.logs == ('log: ["",0,0,"",0,0] false true',)


def test_page_that_navigates_to_a_blob_fails_or_is_printed(render: Render) -> None:
    blob = "new Blob(['<p>other'], {type: 'text/html'})"
    html = f"<script>location = URL.createObjectURL({blob})</script>"

    try:
        outcome = render(html, wait={"delay_ms": 100})
    except RenderFailure as failure:
        assert failure.code == "navigation_failed"  # noqa: PT017 -- either is right
    else:
        assert outcome.files[0].pages == 1
