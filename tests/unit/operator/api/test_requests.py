"""Requests of commands: options, the service that they go to, and what a refusal looks like."""

import json
from pathlib import Path

import httpx
import pytest

from infra.operator.api.problem import Place, ProblemError
from infra.operator.api.render_request import output_options
from infra.operator.api.service_api import ServiceApi
from tests.builders.operator import OperatorTool

PROBLEM = {
    "code": "template_syntax_error",
    "detail": "css: unexpected '}'",
    "request_id": "req_1",
    "line": 3,
    "column": 4,
    "excerpt": "a {{ }",
}


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the operator tool in a folder with a document, on a machine where nothing runs."""
    monkeypatch.chdir(tmp_path)
    for variable in ("PLATEN_URL", "PLATEN_KEY"):
        monkeypatch.delenv(variable, raising=False)
    Path("a.html").write_text("<p>A", encoding="utf-8")
    return OperatorTool(tmp_path, monkeypatch)


def test_options_are_set_by_their_paths() -> None:
    pairs = ["pdf.page_size=A5", "pdf.landscape=true", "pdf.scale=0.5", 'pdf.page_ranges="1"']

    made = output_options({"locale": "de", "pdf": {"scale": 2}}, pairs, (), Path("a.pdf"))

    pdf = {"scale": 0.5, "page_size": "A5", "landscape": True, "page_ranges": "1"}
    assert made == {"locale": "de", "pdf": pdf, "format": "pdf"}


@pytest.mark.parametrize(
    ("formats", "out", "expected"),
    [
        ((), "a.PNG", {"format": "png"}),
        ((), "a.jpg", {"format": "jpeg"}),
        (("webp",), "a.bin", {"format": "webp"}),
        (("pdf", "png"), "a.pdf", {"formats": ["pdf", "png"]}),
    ],
)
def test_the_suffix_says_the_format_unless_one_is_named(
    formats: tuple[str, ...], out: str, expected: dict[str, object]
) -> None:
    assert output_options({}, (), formats, Path(out)) == expected


def test_a_refusal_names_the_place_its_line_and_the_request() -> None:
    problem = ProblemError(PROBLEM)
    placed = problem.at_place(lambda field, line, column: Place(f"t/{field}", line, column, None))

    assert placed.format_message().splitlines() == [
        "t/css:3:4: unexpected '}'",
        "  a {{ }",
        "     ^",
        "  template_syntax_error, request req_1",
    ]
    assert placed.as_json()["file"] == "t/css"
    assert problem.format_message().startswith("line 3, column 4: css: unexpected")


def test_a_refusal_lists_all_faults_of_a_body() -> None:
    errors = [{"path": "/a", "message": "is not known"}, {"path": "/b", "message": "is missing"}]
    detail = "/a: is not known (and 1 more)"
    problem = ProblemError({"code": "validation_error", "detail": detail, "errors": errors})

    assert problem.format_message().splitlines() == [
        detail,
        "  /a: is not known",
        "  /b: is missing",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("render", "create", "-o", "x.pdf"),
        ("render", "create", "a.html", "--template", "tpl_1", "-o", "x.pdf"),
        ("render", "create", "a.html", "--version", "draft", "-o", "x.pdf"),
        ("render", "create", "a.html", "-o", "absent/x.pdf"),
        ("render", "create", "a.html", "-o", "x.pdf", "--url", "http://example.com", "--key", "k"),
        ("render", "create", "a.html", "-o", "x.pdf", "--url", "https://u:p@x.test", "--key", "k"),
        ("--stage", "production", "template", "push", "."),
        ("template", "push", "absent"),
        ("template", "push", ".", "--note", "x"),
        ("template", "watch", ".", "--out", "absent/x.pdf"),
    ],
    ids=" ".join,
)
def test_wrong_use_exits_with_two(tool: OperatorTool, arguments: tuple[str, ...]) -> None:
    done = tool.run(*arguments)

    assert (done.exit_code, done.stdout) == (2, "")
    assert "Usage: platen" in done.stderr


def test_without_a_service_the_tool_says_what_to_do(tool: OperatorTool) -> None:
    code, detail = tool.refusal("render", "create", "a.html", "-o", "x.pdf")

    assert code == "no_service"
    assert "make up" in detail
    assert "--url" in detail


def test_a_service_that_does_not_answer_is_named(tool: OperatorTool) -> None:
    nobody = ("--url", "http://127.0.0.1:9", "--key", "plt_test_secret")
    code, detail = tool.refusal("render", "create", "a.html", "-o", "x.pdf", *nobody)

    assert code == "service_unreachable"
    assert detail.startswith("http://127.0.0.1:9/v1 does not answer")
    assert "secret" not in detail


def test_the_key_of_this_machine_goes_to_no_other_service(tool: OperatorTool) -> None:
    run = {"base_url": "http://127.0.0.1:8700/v1", "test_key": "plt_test_secret"}
    (tool.folder / "run.json").write_text(json.dumps(run), encoding="utf-8")

    code, detail = tool.refusal(
        "render", "create", "a.html", "-o", "x.pdf", "--url", "https://platen.test"
    )

    assert (code, detail) == (
        "api_key_missing",
        "https://platen.test/v1 needs a key: --key, or PLATEN_KEY",
    )


def served(api: ServiceApi, answers: list[httpx.Response]) -> list[httpx.Request]:
    """Let a client find these answers, and return the requests that it sends."""
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return answers[len(requests) - 1]

    transport = httpx.MockTransport(answer)
    api._http = httpx.Client(transport=transport, headers=api._http.headers)
    api._files = httpx.Client(transport=transport, follow_redirects=True)
    return requests


def test_a_render_that_goes_on_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.operator.api.service_api.time.sleep", lambda _: None)
    api = ServiceApi("https://platen.test/v1", "plt_test_secret")
    requests = served(
        api,
        [
            httpx.Response(202, json={"id": "rnd_1", "status": "processing"}),
            httpx.Response(200, json={"id": "rnd_1", "status": "queued"}),
            httpx.Response(303, headers={"Location": "https://files.test/a"}, json={"object": "x"}),
            httpx.Response(200, json={"id": "rnd_1", "status": "succeeded"}),
        ],
    )

    assert api.render({})["status"] == "succeeded"
    assert [str(each.url) for each in requests[1:]] == [
        "https://platen.test/v1/renders/rnd_1",
        "https://platen.test/v1/renders/rnd_1",
        "https://files.test/a",
    ]
    # The key goes to the service alone.
    assert ["authorization" in each.headers for each in requests] == [True, True, True, False]


def test_a_render_that_has_failed_later_is_a_refusal() -> None:
    api = ServiceApi("https://platen.test/v1", "plt_test_secret")
    error = {"code": "template_runtime_error", "message": "No", "line": 1, "column": 2}
    failed = {"id": "rnd_1", "status": "failed", "error": error}
    served(api, [httpx.Response(200, json=failed)])

    with pytest.raises(ProblemError) as refusal:
        api.render({})

    assert refusal.value.code == "template_runtime_error"
    assert refusal.value.format_message().splitlines() == [
        "line 1, column 2: No",
        "  template_runtime_error, render rnd_1",
    ]


def test_a_server_that_is_not_platen_is_named() -> None:
    api = ServiceApi("https://platen.test/v1", "plt_test_secret")
    served(api, [httpx.Response(404, text="<html>Not here"), httpx.Response(200, text="<html>")])

    for _ in range(2):
        with pytest.raises(ProblemError, match=r"platen\.test answered with status \d+, not as"):
            api.call("GET", "/account")
