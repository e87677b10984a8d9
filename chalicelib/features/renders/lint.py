"""Try the templates of an order, without its page: what each of its texts would be failed for."""

import re
from collections.abc import Mapping
from copy import replace
from typing import Any, Final

from chalicelib.adapters.aws.functions import Function
from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.core.ids import Ids, RenderId
from chalicelib.features.renders.ask import ask
from chalicelib.features.renders.bodies import Bodies, is_large
from chalicelib.features.renders.model import Body
from chalicelib.features.renders.order import Order
from chalicelib.features.renders.protocol import MAX_BODY_BYTES
from chalicelib.features.renders.rehearsal import VERSION, Rehearsal
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.read import ReadTemplates

_MOST_S: Final = 15.0
_SYNTAX: Final = "template_syntax_error"
# How the engine begins what it says of one text.
_NAMED: Final = re.compile(r"(html|head|css|output(?:\.\w+)+|layers\S*\.bind): ")


class LintTemplates:
    """Has the render function run an order's templates; no page is made of them."""

    def __init__(
        self,
        *,
        templates: ReadTemplates,
        datasets: ReadDatasets,
        bodies: Bodies,
        function: Function,
        clock: Clock,
        ids: Ids,
    ) -> None:
        """Build from the stores and the render function."""
        self._bodies = bodies
        self._ids = ids
        self._templates = templates
        self._datasets = datasets
        self._function = function
        self._clock = clock

    def __call__(self, order: Order, deadline: float) -> list[FieldError]:
        """Return what is wrong with the texts of a template, over the data that there are.

        By the deadline (Unix seconds); raises `region_degraded` where nobody tells.

        Without data the template's default dataset stands for them. Of data at a `data_url` nothing
        is known: only the form of the texts is looked at.
        """
        body = order.body
        if not body.input.get("templating") and "scene" not in body.input:
            return []
        if body.data is None and body.data_url is None:
            body = replace(body, data=self._default(order))
        failures = self._asked(order, replace(body, data_url=None), deadline)
        if order.body.data_url is not None:
            failures = [each for each in failures if each["code"] == _SYNTAX]
        return [_entry(each, body.input) for each in failures]

    def _default(self, order: Order) -> dict[str, Any] | None:
        if order.template_id is None:
            return None
        template = self._templates.one(order.workspace.id, order.template_id)
        if template.default_dataset is None:
            return None
        dataset = self._datasets.one(template, template.default_dataset)
        return self._datasets.data(template, dataset)

    def _asked(self, order: Order, body: Body, deadline: float) -> list[dict[str, Any]]:
        if is_large(body):
            return self._through_the_bucket(order, body, deadline)
        return self._tried(order, body, None, deadline)

    def _through_the_bucket(
        self, order: Order, body: Body, deadline: float
    ) -> list[dict[str, Any]]:
        if order.terms.zero_retention:
            detail = "With retention none nothing waits in the bucket, and this cannot be handed on"
            raise ServiceError("payload_too_large", f"{detail}: at most {MAX_BODY_BYTES} bytes.")
        name = RenderId(self._ids.new("rnd", self._clock.now()))
        with self._bodies.lent(order.workspace.id, name, body) as key:
            return self._tried(order, None, key, deadline)

    def _tried(
        self, order: Order, body: Body | None, key: str | None, deadline: float
    ) -> list[dict[str, Any]]:
        until = min(self._clock.now().timestamp() + _MOST_S, deadline)
        event = Rehearsal(
            workspace_id=order.workspace.id,
            request_id=order.request_id,
            body=body,
            body_key=key,
            max_pages=order.max_pages,
            ends_at=until,
        ).to_json() | {"lint": True}
        what = "trying the template"
        answer = ask(self._function, event, what=what, until=until, clock=self._clock)
        check_version(answer, VERSION)
        failures: list[dict[str, Any]] = answer["failures"]
        return failures


def _entry(failure: Mapping[str, Any], wanted: Mapping[str, Any]) -> FieldError:
    line, column, excerpt = map(failure["members"].get, ("line", "column", "excerpt"))
    named = _NAMED.match(failure["message"])
    message = failure["message"][named.end() if named else 0 :]
    if line is not None:
        message = f"line {line}, column {column}: {message} ({excerpt})"
    if named:
        message = f"{named[1]}: {message}"
    return FieldError(_path(named[1] if named else "", wanted), failure["code"], message)


def _path(text: str, wanted: Mapping[str, Any]) -> str:
    """Return where a request says the text that a finding is about."""
    if text.startswith("output."):
        return f"/{text.replace('.', '/')}"
    if wanted["type"] == "template":
        return "/input/template_id"
    if text == "html" and wanted.get("upload_id") is not None:
        return "/input/upload_id"
    return f"/input/{text}" if text else "/input"
