"""Recorder of examples: it sends requests to the service and keeps them with their answers."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from chalicelib.api.edge.endpoint import JSON, Endpoint
from chalicelib.api.routes import ENDPOINTS
from tests.builders.examples.stable_text import StableText
from tests.builders.http import ApiAnswer
from tests.builders.uploads import file_part, multipart_request
from tests.fakes.webhook_receiver import WebhookReceiver

# Between two requests: what is made later has a later time, and a higher id.
_PAUSE_S: Final = 20
_MAX_ENTRIES: Final = 1
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_ROWS: Final = {f"{row.method} {row.path.replace('+}', '}')}": row for row in ENDPOINTS}


class Recorder:
    """Recorder of the examples of all operations, in the order of the requests.

    `examples` are the examples of each operation, by tag and operation id.
    """

    def __init__(self, service: Any, receiver: WebhookReceiver) -> None:
        """Record requests to a service whose webhooks go to a receiver."""
        self.service = service
        self.receiver = receiver
        self.examples: dict[str, dict[str, Any]] = {}
        self._texts = StableText({receiver.url: "https://hooks.acme.example/platen"})

    def call(  # noqa: PLR0913 -- the parts of an example
        self,
        route: str,
        summary: str = "",
        *,
        name: str = "example",
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        shows_answer: bool = True,
        **path: str | int,
    ) -> Any:
        """Send a request with JSON or without a body, keep both and return the JSON of the answer.

        An answer like others of the operation is not kept (`shows_answer`). `route` is method and
        path, with placeholders that `path` fills.
        """
        row = _ROWS[route]
        if body is not None:
            self._keep_request(row, JSON, name, summary, body)
        answer = self._send(row, query or {}, path, json_body=body, headers=headers)
        if shows_answer:
            self._keep_answer(row, name, summary or row.summary, answer)
        return answer.json if answer.body.startswith(b"{") else answer

    def upload(self, summary: str, filename: str, content: str, content_type: str) -> Any:
        """Send a form with a file, keep it and its answer, and return the upload."""
        row = _ROWS["POST /v1/uploads"]
        form = multipart_request(file_part(content.encode(), filename, content_type))
        self._keep_request(row, "multipart/form-data", "form", summary, {"file": content})
        answer = self._send(row, {}, {}, **form)
        self._keep_answer(row, "form", summary, answer)
        return answer.json

    def raw(self, route: str, summary: str, *, name: str, media_type: str, content: str) -> Any:
        """Send a text as the body, keep it and its answer, and return the JSON of the answer."""
        row = _ROWS[route]
        self._keep_request(row, media_type, name, summary, content)
        headers = {"Content-Type": media_type}
        answer = self._send(row, {}, {}, body=content.encode(), headers=headers)
        self._keep_answer(row, name, summary, answer)
        return answer.json

    def parameters(self, route: str, parameters: Mapping[str, Any]) -> None:
        """Keep parameters of an operation whose request is sent otherwise."""
        known = self._entry(_ROWS[route])["parameters"]
        for name, value in parameters.items():
            known.setdefault(name, value)

    def _send(
        self, row: Endpoint, query: Mapping[str, Any], path: Mapping[str, str | int], **content: Any
    ) -> ApiAnswer:
        target = _PLACEHOLDER.sub(
            lambda match: quote(str(path[match[1]]), safe=""), row.path.replace("+}", "}")
        )
        self.parameters(f"{row.method} {row.path.replace('+}', '}')}", {**path, **query})
        self.service.clock.advance(seconds=_PAUSE_S)
        text = urlencode([pair for item in query.items() for pair in _pairs(*item)])
        answer: ApiAnswer = self.service.call(
            row.method, f"{target}?{text}" if text else target, **content
        )
        assert answer.status in row.answers, (row.method, target, answer.status, answer.body)
        assert answer.status < 400, answer.body
        return answer

    def _keep_request(
        self, row: Endpoint, media_type: str, name: str, summary: str, value: Any
    ) -> None:
        assert summary, row.path
        examples = self._entry(row)["requests"].setdefault(media_type, {})
        assert name not in examples, (row.path, name)
        examples[name] = {"summary": summary, "value": value}

    def _keep_answer(self, row: Endpoint, name: str, summary: str, answer: ApiAnswer) -> None:
        if answer.headers.get("Content-Type") != JSON or not answer.body:
            return
        self._texts.learn(answer.json)
        examples = self._entry(row)["answers"].setdefault(str(answer.status), {})
        examples.setdefault(name, {"summary": summary, "value": _shortened(answer.json)})

    def _entry(self, row: Endpoint) -> dict[str, Any]:
        empty: dict[str, Any] = {"parameters": {}, "requests": {}, "answers": {}}
        found: dict[str, Any] = self.examples.setdefault(row.tag, {}).setdefault(
            row.operation_id, empty
        )
        return found

    def stable_examples(self) -> dict[str, dict[str, Any]]:
        """Return the examples with texts that are the same in each run."""
        stable: dict[str, dict[str, Any]] = self._texts.of(self.examples)
        return stable


def _shortened(answer: Any) -> Any:
    """Return an answer with the first entry of a list only: examples are sent to each reader."""
    entries = answer.get("data")
    return {**answer, "data": entries[:_MAX_ENTRIES]} if isinstance(entries, list) else answer


def _pairs(name: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [(f"{name}[{key}]", str(each)) for key, each in value.items()]
    if isinstance(value, list):
        return [(name, str(each)) for each in value]
    if isinstance(value, bool):
        return [(name, str(value).lower())]
    return [(name, str(value))]
