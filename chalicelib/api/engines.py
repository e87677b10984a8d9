"""`/v1/engines`: versions of the rendering engine."""

from dataclasses import asdict

from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.engine.versions import ENGINE_VERSIONS


@endpoint(
    "GET",
    "/v1/engines",
    scope="renders:read",
    tag="Renders",
    answers={200: "chalicelib.contract.meta:EngineList"},
)
def list_engines(_call: Call) -> Reply:
    """List the rendering engines, newest first.

    A render without `engine` uses the newest one. The list has a single page.
    """
    rows = [{"object": "engine", **asdict(engine)} for engine in reversed(ENGINE_VERSIONS)]
    return Reply(200, {"object": "list", "data": rows, "has_more": False, "next_cursor": None})
