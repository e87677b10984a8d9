"""Hostile names and texts of tenants in headers, URLs, keys, logs and answers."""

import json
import re
from collections.abc import Iterator
from copy import replace
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext, RenderTrace, RenderWarning
from chalicelib.engine.job import EngineJob, RenderOutcome
from tests.builders.hostile_texts import HOSTILE_NAMES
from tests.builders.http import ApiAnswer
from tests.builders.in_process_aws import MotoAws
from tests.builders.service import Service
from tests.builders.uploads import announce_upload, post_upload
from tests.fakes.engine import FakeEngine

HEADER: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
DISPOSITION: Final = re.compile(
    r"""attachment; filename="[^"\\%]+"; filename\*=UTF-8''([A-Za-z0-9._~%-]+)"""
)
KEY: Final = re.compile(r"(ws|tmp)/[A-Za-z0-9_/.-]+")
# Written here once more, so that the code is not tested against its own rules.
DEVICES: Final = {"con", "prn", "aux", "nul", "com¹", "com1", "lpt1"}
FORMS: Final = [name for name, text in HOSTILE_NAMES.items() if text and "\x00" not in text]


@pytest.fixture(scope="module")
def shared(aws: MotoAws) -> Service:
    return Service(aws)


@pytest.fixture
def service(shared: Service) -> Service:
    """Give one service to all tests: a second later, and with an unchanged engine."""
    shared.clock.advance(seconds=2)
    shared.engine = FakeEngine()
    return shared


@pytest.fixture(autouse=True)
def _no_line_of_their_own(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    for line in capsys.readouterr().out.splitlines():
        assert json.loads(line).get("message") != "made up"
        assert line.isascii()
        assert line.isprintable()


def filename_of(answer: ApiAnswer) -> str:
    """Return the file name in the header of an answer, after a check of all its headers."""
    for name, value in answer.headers.items():
        assert HEADER.fullmatch(value), name
    assert "Set-Cookie" not in answer.headers
    header = DISPOSITION.fullmatch(answer.headers["Content-Disposition"])
    assert header is not None
    return unquote(header[1], errors="strict")


def is_harmless(name: str) -> bool:
    """Return whether a name is valid on every system and displays as it is."""
    stem, dot, extension = name.rpartition(".")
    return (
        name.isprintable()
        and not set(name) & set('/\\:*?"<>|\x00')
        and (dot, extension) == (".", "pdf")
        and stem.rstrip(" .") == stem != ""
        and stem.partition(".")[0].strip().lower() not in DEVICES
        and len(name.encode()) <= 255
    )


def with_name(service: Service, text: str, **delivery: str) -> ApiAnswer:
    """Render with a file name made by a template."""
    run = type(service.engine).run

    def named(job: EngineJob, context: JobContext) -> RenderOutcome:
        return replace(run(service.engine, job, context), filename=text)

    service.engine.run = named  # type: ignore[method-assign]
    return service.render(delivery=delivery)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_file_names_stay_names_everywhere(service: Service, name: str) -> None:
    answer = with_name(service, HOSTILE_NAMES[name], type="binary")
    assert answer.status == 200
    assert is_harmless(filename_of(answer))

    render = with_name(service, HOSTILE_NAMES[name], type="url").json
    (file,) = render["files"]
    assert is_harmless(file["filename"])
    address = urlsplit(file["url"])
    assert address.netloc == "files.test"
    assert HEADER.fullmatch(file["url"])
    assert [unquote(part) for part in address.path.split("/")] == [
        "",
        "files",
        file["id"],
        file["filename"],
    ]

    followed = service.call("GET", f"{address.path}?{address.query}", key=None)
    assert followed.status == 302
    assert HEADER.fullmatch(followed.headers["Location"])
    there = parse_qs(urlsplit(followed.headers["Location"]).query, strict_parsing=True)
    disposition = {"Content-Disposition": there["response-content-disposition"][0]}
    assert filename_of(ApiAnswer(200, disposition, b"")) == file["filename"]
    assert there["response-content-type"] == ["application/pdf"]
    keys = service.objects()
    assert keys
    assert all(KEY.fullmatch(key) and ".." not in key for key in keys)


@pytest.mark.parametrize("name", FORMS)
def test_hostile_names_in_the_request_stay_names(service: Service, name: str) -> None:
    answer = service.render(
        delivery={"type": "binary"},
        output={"filename": HOSTILE_NAMES[name]},
        reference=HOSTILE_NAMES[name],
    )

    if name == "half a pair":
        assert answer.code == "invalid_json"
        return
    assert answer.status == 200
    assert is_harmless(filename_of(answer))
    render = service.call("GET", f"/v1/renders/{answer.headers['X-Render-Id']}").json
    assert render["reference"] == HOSTILE_NAMES[name]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_texts_of_pages_and_templates_are_only_reported(
    service: Service, name: str
) -> None:
    # The engine returns no lone surrogate: tests/integration/process_boundaries.
    text = HOSTILE_NAMES[name].replace("\ud800", "").replace("\udfff", "")
    trace = RenderTrace(
        warnings=(RenderWarning("asset_failed", text, text),),
        logs=(f"log: {text}",),
        explain={"fonts": [{"requested": text, "used": text}], "wait": text},
    )
    run = service.engine.run
    service.engine.run = lambda *task: replace(run(*task), trace=trace)  # type: ignore[method-assign]
    render = service.render(data={text or "x": text}).json
    assert render["logs"] == [f"log: {text}"]
    assert service.call("GET", f"/v1/renders/{render['id']}").json["warnings"] == render["warnings"]

    def fail(_job: EngineJob) -> None:
        raise RenderFailure("template_runtime_error", text or "x", excerpt=text, trace=trace)

    service.engine.before_run = fail
    answer = service.render()
    assert answer.code == "template_runtime_error"
    assert answer.json["excerpt"] == text
    assert all(HEADER.fullmatch(value) for value in answer.headers.values())


@pytest.mark.parametrize("name", FORMS)
def test_hostile_upload_names_reach_no_header_or_key(service: Service, name: str) -> None:
    announced = announce_upload(service, filename=HOSTILE_NAMES[name])
    if name == "half a pair":
        assert announced.code == "invalid_json"
        return
    assert announced.status == 201
    assert announced.json["filename"] == HOSTILE_NAMES[name]
    assert all(HEADER.fullmatch(value) for value in announced.headers.values())
    assert KEY.fullmatch(announced.json["upload"]["fields"]["key"])

    sent = post_upload(service, b"x", name=re.sub(r'[\r\n"\\]', "_", HOSTILE_NAMES[name]))
    assert sent.status in {201, 400}
    assert all(KEY.fullmatch(key) for key in service.objects())


@pytest.mark.parametrize(
    "kind", ["text/html\r\nX-Made: up", "text/html\x00", "a b/c", "text/ä", "x" * 300, "{{ 7 }}"]
)
def test_invalid_media_type_is_refused(service: Service, kind: str) -> None:
    announced = announce_upload(service, content_type=kind)
    assert announced.code == "validation_error"
    assert announced.pointers == ["/content_type"]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_attachment_name_is_kept_or_refused(service: Service, name: str) -> None:
    attachment = {"content": "eA==", "filename": HOSTILE_NAMES[name]}
    answer = service.render(output={"pdf": {"attachments": [attachment]}})

    if name == "half a pair":
        assert answer.code == "invalid_json"
    elif name in {"parameter", "decomposed", "wild", "markup", "template", "long"}:
        # Unusual, but only a name on every system that accepts it.
        assert answer.status == 200
    else:
        assert answer.code == "validation_error", answer.body
        assert answer.pointers == ["/output/pdf/attachments/0/filename"]


@pytest.mark.parametrize("value", ["a\r\nb", "a\nb", "\x00"])
@pytest.mark.parametrize("field", ["value", "name", "agent"])
def test_request_headers_for_pages_cannot_inject_headers(
    service: Service, field: str, value: str
) -> None:
    sent: dict[str, Any] = {
        "value": {"headers": {"X-A": value}},
        "name": {"headers": {value: "a"}},
        "agent": {"user_agent": value},
    }

    answer = service.render(output={"http": sent[field]})

    assert answer.code == "validation_error"
    assert answer.pointers[0].startswith("/output/http/")


@pytest.mark.parametrize("text", ["a;b", "a\tb", "a\r\nb", "\x7f", " a", "a "])
@pytest.mark.parametrize("field", ["name", "value", "domain", "path"])
def test_cookie_that_no_browser_takes_is_refused_at_its_field(
    service: Service, field: str, text: str
) -> None:
    cookie = {"name": "a", "value": "b"}

    answer = service.render(output={"http": {"cookies": [cookie, {**cookie, field: text}]}})

    assert answer.code == "validation_error"
    assert answer.pointers == [f"/output/http/cookies/1/{field}"]


def test_name_of_a_cookie_has_no_equals_sign(service: Service) -> None:
    answer = service.render(output={"http": {"cookies": [{"name": "a=b", "value": "a=b"}]}})

    assert answer.pointers == ["/output/http/cookies/0/name"]


@pytest.mark.parametrize("value", [*HOSTILE_NAMES.values()])
def test_response_headers_do_not_echo_hostile_values(service: Service, value: str) -> None:
    sent = {"X-Request-Id": value, "Idempotency-Key": value or "k", "Origin": value}
    answer = service.call(
        "POST", "/v1/renders", json_body={"input": {"type": "html", "html": "x"}}, headers=sent
    )

    assert answer.status in {200, 400}
    assert all(HEADER.fullmatch(header) for header in answer.headers.values())
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,128}", answer.headers["X-Request-Id"])
    others = [text for name, text in answer.headers.items() if name != "X-Request-Id"]
    assert value == "" or value not in others
