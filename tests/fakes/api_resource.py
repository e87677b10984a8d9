"""API resource for tests: one endpoint of every sort, and its models."""

from typing import Annotated, Any, Literal

from chalice.app import Blueprint
from pydantic import Field

from chalicelib.api.edge.auth import PUBLIC, KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.api.edge.paging import list_envelope, start_position
from chalicelib.contract.base import Model, Query

blueprint = Blueprint(__name__)
_HERE = "tests.fakes.api_resource"


class Leg(Model):
    """One of two shapes."""

    kind: Literal["leg"]
    length: Annotated[int, Field(ge=1, le=9)]
    kind_of_wood: str | None = None


class Arm(Model):
    """The other shape."""

    kind: Literal["arm"]
    arm: str


class Chair(Model):
    """Request body with fields of every kind."""

    name: Annotated[str, Field(min_length=1, max_length=10)]
    legs: Annotated[list[Leg], Field(default_factory=list)]
    limb: Annotated[Leg | Arm, Field(discriminator="kind")] | None = None
    version: Literal["live"] | Annotated[int, Field(ge=1)] = "live"
    data: Annotated[dict[Annotated[str, Field(max_length=5)], Any], Field(default_factory=dict)]


class ChairQuery(Query):
    """Filters of the list."""

    colour: Literal["red", "blue"] | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    cursor: Annotated[str, Field(max_length=1000)] | None = None


@blueprint.route("/v1/chairs", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
    body=f"{_HERE}:Chair",
    answers={201: None},
    idempotent=True,
)
def create(call: Call) -> Reply:
    """Make a chair."""
    chair = {"name": call.body.name, "idempotency_key": call.idempotency_key}
    return Reply(201, chair, headers={"Location": "/v1/chairs/1"})


@blueprint.route("/v1/chairs", methods=["GET"])
@endpoint(auth=KeyAuth("webhooks:read"), query=f"{_HERE}:ChairQuery")
def search(call: Call) -> Reply:
    """List chairs."""
    start = (start_position(call) or {"n": 0})["n"]
    end = start + call.query.limit
    return Reply(
        body=list_envelope(call, list(range(start, min(end, 50))), {"n": end} if end < 50 else None)
    )


@blueprint.route("/v1/chairs/{id}", methods=["GET"])
@endpoint(auth=KeyAuth("renders:read"))
def read(call: Call) -> Reply:
    """Read a chair."""
    return Reply(body={"id": call.params["id"], "caller": call.caller.workspace_id})


@blueprint.route("/v1/chairs/{id}/fold", methods=["POST"])
@endpoint(auth=KeyAuth("render:write"))
def fold(_call: Call) -> Reply:
    """Fold a chair; takes no body."""
    return Reply(body={})


@blueprint.route("/v1/pictures/{id}", methods=["GET"])
@endpoint(auth=KeyAuth("renders:read"), answer_types=("image/png",))
def picture(_call: Call) -> Reply:
    """Answer bytes."""
    return Reply(200, b"\x89PNG\xff\x00", "image/png")


@blueprint.route("/v1/files", methods=["POST"])
@endpoint(auth=KeyAuth("render:write"), media_types=("application/xml",))
def upload(call: Call) -> Reply:
    """Take bytes."""
    return Reply(body={"bytes": len(call.raw_body)})


@blueprint.route("/v1/bug", methods=["GET"])
@endpoint(auth=PUBLIC)
def bug(_call: Call) -> Reply:
    """Break."""
    message = "secret detail"
    raise RuntimeError(message)
