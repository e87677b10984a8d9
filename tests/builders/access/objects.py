"""Objects of every kind that a request may name, each created on first use."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from chalicelib.core.ids import WorkspaceId
from tests.builders.email_connections import SENDER, SMTP
from tests.builders.email_sends import render_with_emails
from tests.builders.pdfs.plain import pdf
from tests.builders.service import Service
from tests.builders.uploads import file_part, multipart_request

PNG: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360"
    "60606000000005000157a5f4d50000000049454e44ae426082"
)
_UPLOADS: Final[Mapping[str, tuple[bytes, str]]] = {
    "upload": (b"<p>x", "text/html"),
    "upload of csv": (b"n\n1\n", "text/csv"),
    "upload of pdf": (pdf(3, field="name"), "application/pdf"),
    "upload of png": (PNG, "image/png"),
}
_DESTINATION: Final = {
    "name": "Archive",
    "provider": "s3",
    "config": {"region": "eu-central-1", "bucket": "my-files"},
    "credentials": {"access_key_id": "AKID", "secret_access_key": "secret"},
}
_CONNECTION: Final = {
    "name": "Billing",
    "provider": "smtp",
    "default_from": SENDER,
    "config": SMTP,
    "credentials": {"password": "secret"},
}


class Objects:
    """Objects of one workspace, made with one key; all that have a template have the same."""

    def __init__(self, service: Service, key: str, workspace: WorkspaceId | None = None) -> None:
        """Create each object on first use."""
        self._service = service
        self._key = key
        self._workspace = workspace or service.workspace
        self._made: dict[str, str] = {}

    def id_of(self, kind: str) -> str:
        """Return the id of the object of a kind."""
        if kind not in self._made:
            self._made[kind] = self._make(kind)
        return self._made[kind]

    def forget(self) -> None:
        """Make new objects from now on: a request may have changed these."""
        self._made.clear()

    def _make(self, kind: str) -> str:
        if kind in _UPLOADS:
            content, media_type = _UPLOADS[kind]
            return self._post(
                "/v1/uploads", **multipart_request(file_part(content, kind=media_type))
            )
        made: dict[str, Callable[[], str]] = {
            "template": self._template,
            "dataset": self._dataset,
            "render": self._render,
            "file": self._file,
            "batch": self._batch,
            "connection": lambda: self._post("/v1/email-connections", _CONNECTION),
            "rule": self._rule,
            "send": self._send,
            "destination": lambda: self._post("/v1/storage-destinations", _DESTINATION),
            "link": self._link,
            "endpoint": self._endpoint,
            "delivery": self._delivery,
        }
        return made[kind]()

    def _template(self) -> str:
        return self._post("/v1/templates", {"name": "A", "html": "<p>{{ n }}", "publish": True})

    def _dataset(self) -> str:
        path = f"/v1/templates/{self.id_of('template')}/datasets"
        return self._post(path, {"name": "A", "data": {"n": 1}})

    def _rendered(self) -> dict[str, Any]:
        source = {"type": "template", "template_id": self.id_of("template")}
        made: dict[str, Any] = self._call("POST", "/v1/renders", {"input": source})
        return made

    def _render(self) -> str:
        return str(self._rendered()["id"])

    def _file(self) -> str:
        return str(self._rendered()["files"][0]["id"])

    def _batch(self) -> str:
        items = [{"data": {"n": 1}}]
        body = {"template_id": self.id_of("template"), "items": items}
        batch_id = self._post("/v1/batches", body)
        self._service.run_batches()
        return batch_id

    def _rule(self) -> str:
        return self._post(
            f"/v1/templates/{self.id_of('template')}/email-rules",
            {
                "name": "A",
                "connection_id": self.id_of("connection"),
                "to": "a@example.com",
                "subject": "A",
            },
        )

    def _send(self) -> str:
        with self._as_own():
            rendered = render_with_emails(self._service, {"id": self.id_of("connection")})
            assert self._service.relay_events() == []
        self._made["render"] = rendered["id"]
        return str(self._call("GET", "/v1/email-sends")["data"][0]["id"])

    def _link(self) -> str:
        body = {"name": "A", "template_id": self.id_of("template")}
        return self._post("/v1/signed-links", body)

    def _endpoint(self) -> str:
        body = {"url": "https://hooks.example.com/", "template_ids": [self.id_of("template")]}
        made = [self._post("/v1/webhook-endpoints", body) for _ in range(2)]
        # The first one of a mode is its default.
        return made[1]

    def _delivery(self) -> str:
        endpoint = self.id_of("endpoint")
        self._render()
        assert self._service.relay_events() == []
        listed = self._call("GET", f"/v1/webhook-deliveries?endpoint_id={endpoint}")
        return str(listed["data"][0]["id"])

    @contextmanager
    def _as_own(self) -> Iterator[None]:
        """Let builders that know the service's workspace and live key work with these."""
        with (
            patch.object(self._service, "workspace", self._workspace),
            patch.object(self._service, "live", self._key),
        ):
            yield

    def _post(self, path: str, json_body: Any = None, **more: Any) -> str:
        return str(self._call("POST", path, json_body, **more)["id"])

    def _call(self, method: str, target: str, json_body: Any = None, **more: Any) -> Any:
        self._service.clock.advance(seconds=1)
        answer = self._service.call(method, target, json_body=json_body, key=self._key, **more)
        assert answer.status < 300, (target, answer.body)
        return answer.json
