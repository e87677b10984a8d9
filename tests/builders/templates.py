"""Templates of a service, made through its API."""

import random
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from tests.builders.http import ApiAnswer
from tests.builders.service import Service

TEMPLATES_PATH: Final = "/v1/templates"
_CONFLICT_SHARE: Final = 0.2
_MAX_CONFLICTS: Final = 3
# Larger than a DynamoDB item may be.
LARGE_HTML: Final = "<p>" + "x" * 450_000


def post_template(service: Service, **fields: Any) -> ApiAnswer:
    """Send POST /v1/templates with a small template."""
    key = fields.pop("key", service.live)
    body = {"name": "Invoice", "html": "<p>{{ n }}</p>"} | fields
    return service.call("POST", TEMPLATES_PATH, json_body=body, key=key)


def make_template(service: Service, **fields: Any) -> str:
    """Create a template and return its path."""
    answer = post_template(service, **fields)
    assert answer.status == 201, answer.body
    return f"{TEMPLATES_PATH}/{answer.json['id']}"


def put_draft(service: Service, path: str, **fields: Any) -> ApiAnswer:
    """Replace the draft of the template at a path."""
    return service.call("PUT", f"{path}/draft", json_body=fields)


def publish_template(service: Service, path: str, **fields: Any) -> ApiAnswer:
    """Publish the template at a path."""
    return service.call("POST", f"{path}/publish", json_body=fields)


def template_rows(service: Service, path: str) -> list[dict[str, Any]]:
    """Return all rows of the template at a path."""
    pk = f"WS#{service.workspace}#TPL#{path.rpartition('/')[2]}"
    return service.main_table.query("PK = :pk", {":pk": pk}).items


def render_template(service: Service, path: str, **fields: Any) -> ApiAnswer:
    """Render the template at a path."""
    source = {"type": "template", "template_id": path.rpartition("/")[2]}
    return service.render(input=source, **fields)


def _get_deleted(service: Service) -> ApiAnswer:
    path = make_template(service)
    service.call("DELETE", path)
    return service.call("GET", path)


def _delete_locked(service: Service) -> ApiAnswer:
    path = make_template(service)
    service.call("POST", f"{path}/lock")
    return service.call("DELETE", path)


def _render_misfit(service: Service) -> ApiAnswer:
    return render_template(
        service, make_template(service, schema={"required": ["n"]}, publish=True)
    )


def _post_invalid_scene(service: Service) -> ApiAnswer:
    scene = {"width": 0, "height": 10, "layers": []}
    return post_template(service, type="image_canvas", html=None, scene=scene)


# By code of the catalogue: a request that is answered with it.
PROVOKED_TEMPLATE_ERRORS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "version_not_found": lambda service: render_template(service, make_template(service)),
    "draft_revision_conflict": lambda service: publish_template(
        service, make_template(service), revision=7
    ),
    "template_deleted": _get_deleted,
    "template_locked": _delete_locked,
    "data_schema_mismatch": _render_misfit,
    "scene_invalid": _post_invalid_scene,
}


class SerializingClient:
    """Client whose calls are atomic, as DynamoDB's are and moto's are not.

    A fifth of the transactions is canceled with a conflict, each a few times at most.
    """

    def __init__(self, client: Any) -> None:
        """Wrap a client."""
        self._client = client
        self._lock = threading.Lock()
        self._random = random.Random(7)  # noqa: S311 -- faults, no secrets
        self._conflicts = Counter[str]()

    def __getattr__(self, name: str) -> Any:
        """Return a call that holds a lock against all others."""
        found = getattr(self._client, name)
        if name in {"exceptions", "meta"}:
            return found

        def serialized(**arguments: Any) -> Any:
            with self._lock:
                if name == "transact_write_items" and self._conflicts_now(**arguments):
                    raise self._client.exceptions.TransactionCanceledException(
                        {"CancellationReasons": [{"Code": "TransactionConflict"}]}, name
                    )
                return found(**arguments)

        return serialized

    def _conflicts_now(self, *, ClientRequestToken: str, **_: Any) -> bool:  # noqa: N803 -- boto3's
        if self._conflicts[ClientRequestToken] == _MAX_CONFLICTS:
            return False
        conflicts = self._random.random() < _CONFLICT_SHARE
        self._conflicts[ClientRequestToken] += conflicts
        return conflicts


class FakeDryRun:
    """Fake of the dry run of all datasets: records its calls, and fails on request."""

    meanwhile: Callable[[], object]
    failure: Exception | None

    def __init__(self, service: Service) -> None:
        """Replace the dry run in a service whose template services are not built yet."""
        self.calls: list[Any] = []
        self.failure = None
        self.meanwhile = lambda: None
        service.services.templates.__dict__["dry_run"] = self

    def __call__(self, _template: Any, source: Any, *, datasets: Any, deadline: float) -> None:
        """Record the call."""
        self.calls.append((source, datasets, deadline))
        self.meanwhile()
        if self.failure is not None:
            raise self.failure
