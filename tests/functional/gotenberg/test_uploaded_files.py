"""Parts of a Gotenberg form that name an upload for their content, as a server sends them."""

from typing import Final

from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.uploads import multipart_request, post_upload

MARKDOWN: Final = "/forms/chromium/convert/markdown"
HTML: Final = "/forms/chromium/convert/html"
INDEX: Final = ('Content-Disposition: form-data; name="files"; filename="index.html"', b"<p>x")
MB: Final = 1_000_000


def part_of(upload_id: str, name: str) -> tuple[str, bytes]:
    head = f'Content-Disposition: form-data; name="files"; filename="{name}"'
    return f"{head}\r\nPlaten-Upload-Id: {upload_id}", b""


def send(
    service: Service, path: str, *parts: tuple[str, bytes], key: str | None = None
) -> ApiAnswer:
    request = multipart_request(*parts)
    if key is not None:
        request["headers"] |= {"Idempotency-Key": key}
    return service.call("POST", path, **request)


def test_an_asset_and_a_document_are_uploads(service: Service) -> None:
    document, asset = (post_upload(service, b"<p>a").json["id"] for _ in range(2))

    answer = send(service, HTML, part_of(document, "index.html"), part_of(asset, "a.css"))

    assert answer.status == 200, answer.body


def test_a_text_that_is_read_comes_of_its_upload(service: Service) -> None:
    index = ('Content-Disposition: form-data; name="files"; filename="index.html"', b"x")
    document = post_upload(service, b'{{ toHTML "b.md" }}').json["id"]

    missing = send(service, MARKDOWN, part_of(document, "index.html"))
    long = post_upload(service, b"x" * (3 * MB), name="b.md")

    # What the upload asks for is asked of the form.
    assert missing.json["errors"][0]["message"].startswith("Markdown file(s) not found: 'b.md'")
    assert long.status == 201
    assert send(service, MARKDOWN, index, part_of(long.json["id"], "b.md")).status == 200


def test_texts_that_are_read_are_bounded_together(service: Service) -> None:
    markdown = "".join(f'{{{{ toHTML "{n}.md" }}}}' for n in range(9)).encode()
    index = ('Content-Disposition: form-data; name="files"; filename="index.html"', markdown)
    text = post_upload(service, b"x" * (2 * MB)).json["id"]
    parts = [part_of(text, f"{n}.md") for n in range(9)]

    answer = send(service, MARKDOWN, index, *parts)

    assert (answer.status, answer.json["errors"][0]["code"]) == (400, "too_large"), answer.body


def test_uploads_of_others_are_unknown(service: Service) -> None:
    for upload in ("upl_01J8ACME000000000000000000", "x", "../other"):
        for name in ("a.css", "header.html"):
            answer = send(service, HTML, INDEX, part_of(upload, name))
            assert (answer.status, answer.json["code"]) in {
                (404, "upload_not_found"),
                (400, "validation_error"),
            }, answer.body


def test_a_repeat_is_known_by_the_bytes_of_its_uploads(service: Service) -> None:
    first, same, other = (
        post_upload(service, content).json["id"] for content in (b"a", b"a", b"b")
    )
    answers = [
        send(service, HTML, INDEX, part_of(upload, "a.css"), key="once")
        for upload in (first, same, other)
    ]

    assert [each.status for each in answers] == [200, 200, 422]
    assert answers[0].headers["X-Render-Id"] == answers[1].headers["X-Render-Id"]
