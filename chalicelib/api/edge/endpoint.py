"""Endpoints: declarations of routes for their checks and the reference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast, override

from chalice.app import Blueprint, Chalice

from chalicelib.api.edge.auth import Auth, Principal
from chalicelib.api.edge.request import RawTarget

if TYPE_CHECKING:
    from pydantic import BaseModel

    from chalicelib.bootstrap.api import ApiServices
    from chalicelib.contract.base import Query
    from chalicelib.core.ids import IdSeed
    from chalicelib.features.workspaces.limits.model import RateState

type ModelName = str  # "package.module:Model", imported when it is first used
type View = Callable[["Call"], "Reply"]

JSON: Final = "application/json"
NO_STORE: Final = "no-store"
# API Gateway times out after 29 s; the rest is for the response to travel.
REQUEST_BUDGET_S: Final = 27.5


@dataclass(frozen=True, slots=True)
class Reply:
    """Response of a view: a mapping is sent as JSON, bytes and text as they are.

    With `is_base64` the body is the base64 of the bytes to send. API Gateway takes binary bodies
    in base64, so a file that arrives in base64 is not decoded and encoded again.
    """

    status: int = 200
    body: Mapping[str, object] | bytes | str = b""
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    is_base64: bool = False


@dataclass(slots=True)
class Call:
    """One request to an endpoint, filled in as its checks pass; `started_at` is a Unix second.

    `raw_target` is None where the gateway hands over a decoded query.
    """

    endpoint: "Endpoint"
    services: "ApiServices"
    request_id: str
    method: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    started_at: float
    raw_target: RawTarget | None = None
    known_caller: Principal | None = None
    raw_body: bytes = b""
    json: Any = None
    body: Any = None
    query: Any = None
    raw_query: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None
    rate: "RateState | None" = None

    @property
    def caller(self) -> Principal:
        """Return who calls; a public endpoint does not know."""
        assert self.known_caller is not None, "a public endpoint has no caller"
        return self.known_caller

    def record_rate(self, rate: "RateState") -> None:
        """Record the rate that is left after this request, for the `RateLimit` header."""
        self.rate = rate

    def with_params(self, params: Mapping[str, str]) -> "Call":
        """Return the call with other parameters of the path."""
        return replace(self, params=params)

    @property
    def deadline(self) -> float:
        """Return the Unix second by which the response must be sent."""
        budget_s = REQUEST_BUDGET_S
        if self.known_caller is not None:
            budget_s = min(budget_s, self.known_caller.workspace.plan.sync_timeout_s)
        return self.started_at + budget_s


@dataclass(frozen=True, slots=True)
class Creation:
    """Declaration that an endpoint makes its object once for each Idempotency-Key (decision 62).

    `find` returns the answer of what an earlier attempt of a request has made, by the ids of its
    seed or since its moment; None if that made nothing. With `has_secret` the answer shows one.
    """

    find: "Callable[[Call, IdSeed], Reply | None]" = lambda _call, _seed: None
    has_secret: bool = False


@dataclass(frozen=True)
class Endpoint:
    """One method of one path: request and response models, and the view.

    With `validates_body_itself` the view gets any JSON and reports errors in its own response.
    With `counts_rate_itself` the rate is counted together with the admission of a render
    (decision 2), not by the dispatcher. `problems` are the codes beyond those of every endpoint.
    `cache_control` is sent with replies below 400; a header of the view's own replaces it. With
    `allows_any_origin` scripts of all web pages may read the replies (CORS), but send no key. With
    `takes_raw_query` the view reads path and query itself, as they were sent. With
    `takes_last_slash` a tail may end with a slash, which the view gets. `takes_if_match` and
    `has_etag` name headers that the view itself reads and sends. `check_path` refuses before body
    and query are read, so that these tell nothing to who has a wrong path. `is_published` false: a
    route that no client calls, which the OpenAPI document leaves out. Several models of one answer
    are alternatives.

    A POST that makes something takes Idempotency-Key. With `idempotent` the view itself keeps the
    key, in the transaction that makes a render; with `creates` the edge does.
    """

    view: View
    auth: Auth
    summary: str
    # Of the Chalice route; empty until `endpoints_of` has found it.
    method: str = ""
    path: str = ""
    description: str = ""
    tag: str = ""
    body: ModelName | None = None
    body_required: bool = True
    validates_body_itself: bool = False
    query: ModelName | None = None
    query_error_code: str = "validation_error"
    answers: Mapping[int, ModelName | tuple[ModelName, ...] | None] = field(
        default_factory=lambda: {200: None}
    )
    answer_types: tuple[str, ...] = (JSON,)
    media_types: tuple[str, ...] = (JSON,)
    problems: tuple[str, ...] = ()
    idempotent: bool = False
    creates: Creation | None = None
    counts_rate_itself: bool = False
    cache_control: str = NO_STORE
    allows_any_origin: bool = False
    takes_raw_query: bool = False
    takes_last_slash: bool = False
    check_path: "Callable[[Call], None] | None" = None
    takes_if_match: bool = False
    has_etag: bool = False
    is_published: bool = True

    def __call__(self, call: Call) -> Reply:
        """Run the view."""
        return self.view(call)

    @property
    def __name__(self) -> str:
        """Return the name of the view, which Chalice takes for the route."""
        return self.view.__name__

    @property
    def operation_id(self) -> str:
        """Return the operation id in the OpenAPI document: the view's name in camel case."""
        first, *others = self.view.__name__.split("_")
        return first + "".join(map(str.capitalize, others))

    def answer_models(self, status: int) -> tuple[ModelName, ...]:
        """Return the alternative models of an answer in JSON; empty where it has none."""
        models = self.answers[status]
        return (models,) if isinstance(models, str) else models or ()

    @property
    def takes_idempotency_key(self) -> bool:
        """Tell whether a repeat with the same Idempotency-Key makes nothing more."""
        return self.idempotent or self.creates is not None

    @property
    def has_tail(self) -> bool:
        """Tell whether the path ends in `{name+}`, which takes all further segments."""
        return self.path.endswith("+}")

    def build_models(self) -> None:
        """Build the models of body and query, which pydantic defers to their first use."""
        for model in (self.body_model, self.query_model):
            if model is not None:
                model.model_rebuild()

    @cached_property
    def body_model(self) -> "type[BaseModel] | None":
        """Return the model of the body, imported and built on first use."""
        return import_model(self.body) if self.body else None

    @cached_property
    def query_model(self) -> "type[Query] | None":
        """Return the model of the query parameters, imported and built on first use."""
        return cast("type[Query]", import_model(self.query)) if self.query else None


def endpoint(*, auth: Auth, **row: Any) -> Callable[[View], Endpoint]:
    """Declare what the route above it checks; `auth` says who may call, `row` has more fields.

    The first line of the view's docstring is the summary, the rest the description.
    """

    def declare(view: View) -> Endpoint:
        summary, _, rest = (view.__doc__ or "").partition("\n")
        texts = {"summary": summary.rstrip("."), "description": _strip_lines(rest)}
        return Endpoint(view, auth, **(texts | row))

    return declare


class _RouteCollector(Chalice):
    """Chalice app that leaves blueprints as they are, so that they can be registered again."""

    @override
    def _register_handler(
        self,
        handler_type: str,
        name: str,
        user_handler: Callable[..., object],
        wrapped_handler: Callable[..., object],
        kwargs: dict[str, Any],
        options: dict[object, object] | None = None,
    ) -> None:
        # Chalice takes the options of a route out of the blueprint's own mapping.
        own = {**kwargs, "kwargs": dict(kwargs["kwargs"])}
        super()._register_handler(handler_type, name, user_handler, wrapped_handler, own, options)


def endpoints_of(blueprints: Sequence[Blueprint]) -> list[Endpoint]:
    """Return the endpoints of blueprints with their paths and methods."""
    collector = _RouteCollector("endpoints", configure_logs=False)
    for blueprint in blueprints:
        collector.register_blueprint(blueprint)
    return [
        _place(route.view_function, path, method)
        for path, routes in collector.routes.items()
        for method, route in routes.items()
    ]


def import_model(name: ModelName) -> "type[BaseModel]":
    """Import the model that `package.module:Model` names."""
    module, _, attribute = name.partition(":")
    model: type[BaseModel] = getattr(import_module(module), attribute)
    return model


def _place(view: object, path: str, method: str) -> Endpoint:
    """Return the endpoint of a route, with the path and method that it was declared for."""
    assert isinstance(view, Endpoint), f"{path} lacks @endpoint"
    assert "+}" not in path.removesuffix("+}"), f"{path} goes on behind its tail"
    is_open = view.allows_any_origin and view.auth.scope is not None
    assert not is_open, f"{path} would take keys from web pages"
    return replace(view, path=path, method=method)


def _strip_lines(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines()]
    return "\n".join(lines)
