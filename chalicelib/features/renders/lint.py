"""Try the templates of an order, without its page: what each of its texts would be failed for."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from chalicelib.adapters.aws.functions import Function, FunctionBusy, FunctionDied, FunctionLate
from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.features.renders.model import Body
from chalicelib.features.renders.order import Order
from chalicelib.features.renders.protocol import MAX_BODY_BYTES
from chalicelib.features.renders.rehearsal import VERSION, Rehearsal
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.read import ReadTemplates

_MOST_S: Final = 15.0
_SYNTAX: Final = "template_syntax_error"


class LintTemplates:
    """Has the render function run an order's templates; no page is made of them."""

    def __init__(
        self, *, templates: ReadTemplates, datasets: ReadDatasets, function: Function, clock: Clock
    ) -> None:
        """Build from the stores and the render function."""
        self._templates = templates
        self._datasets = datasets
        self._function = function
        self._clock = clock

    def __call__(self, order: Order) -> list[FieldError]:
        """Return what is wrong with the texts of a template, over the data that there are.

        Without data the template's default dataset stands for them. Of data at a `data_url` nothing
        is known: only the form of the texts is looked at.
        """
        body = order.body
        if not body.input.get("templating") and "scene" not in body.input:
            return []
        if body.input.get("html") is None and "scene" not in body.input:
            return []  # An upload.
        if body.data is None and body.data_url is None:
            body = replace(body, data=self._default(order))
        failures = self._asked(order, replace(body, data_url=None))
        if order.body.data_url is not None:
            failures = [each for each in failures if each["code"] == _SYNTAX]
        return [_entry(each) for each in failures]

    def _default(self, order: Order) -> dict[str, Any] | None:
        if order.template_id is None:
            return None
        template = self._templates.one(order.workspace.id, order.template_id)
        if template.default_dataset is None:
            return None
        dataset = self._datasets.one(template, template.default_dataset)
        return self._datasets.data(template, dataset)

    def _asked(self, order: Order, body: Body) -> list[dict[str, Any]]:
        event = Rehearsal(
            workspace_id=order.workspace.id,
            request_id=order.request_id,
            body=body,
            body_key=None,
            max_pages=order.max_pages,
            ends_at=self._clock.now().timestamp() + _MOST_S,
        ).to_json() | {"lint": True}
        if replace(order, body=body, received_bytes=MAX_BODY_BYTES).is_large:
            detail = "The template and its data are together too large to be tried without a render"
            raise ServiceError("payload_too_large", f"{detail}: at most {MAX_BODY_BYTES} bytes.")
        try:
            answer = self._function.invoke(event, wait_s=_MOST_S)
        except (FunctionBusy, FunctionDied, FunctionLate) as failed:
            raise ServiceError(
                "region_degraded",
                "There was no room for trying the template; send the request again.",
                headers={"Retry-After": "5"},
            ) from failed
        check_version(answer, VERSION)
        failures: list[dict[str, Any]] = answer["failures"]
        return failures


def _entry(failure: Mapping[str, Any]) -> FieldError:
    line, column, excerpt = map(failure["members"].get, ("line", "column", "excerpt"))
    place = f"line {line}, column {column}: " if line is not None else ""
    shown = f" ({excerpt})" if excerpt else ""
    return FieldError("/input", failure["code"], f"{place}{failure['message']}{shown}")
