"""`/v1/engines`: versions of the rendering engine."""

from dataclasses import asdict
from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.engine.versions import ENGINE_VERSIONS

blueprint: Final = Blueprint(__name__)


@blueprint.route("/v1/engines", methods=["GET"])
@endpoint(
    auth=KeyAuth("renders:read"),
    query="chalicelib.contract.meta:EngineQuery",
    tag="Renders",
    answers={200: "chalicelib.contract.meta:EngineList"},
)
def list_engines(call: Call) -> Reply:
    """List the rendering engines, newest first.

    A render without `engine` uses the newest one.
    """
    rows = [{"object": "engine", **asdict(engine)} for engine in reversed(ENGINE_VERSIONS)]
    return Reply(200, paging.page_of_all(call, rows, "version"))
