"""The gateway's own answers, rendered from the templates in the infrastructure files."""

from collections.abc import Mapping
from typing import Any, Final

from infra.local.gateway.events import Response
from infra.template import Resolver

_SECTION: Final = "x-amazon-apigateway-gateway-responses"


class GatewayResponses:
    """Answers that never reach the function."""

    def __init__(self, template: Mapping[str, Any], resolver: Resolver) -> None:
        """Resolve every response of the template once."""
        definition = template["Resources"]["RestAPI"]["Properties"]["DefinitionBody"]
        self._responses: Mapping[str, Any] = resolver.resolve(definition[_SECTION])

    def answer(self, kind: str, request_id: str) -> Response:
        """Return the response of a kind, such as `REQUEST_TOO_LARGE`; falls back as AWS does."""
        default = "DEFAULT_5XX" if kind.startswith(("INTEGRATION", "API_")) else "DEFAULT_4XX"
        response = self._responses.get(kind) or self._responses[default]
        body = response["responseTemplates"]["application/json"]
        headers = tuple(
            (name.removeprefix("gatewayresponse.header."), _value(value, request_id))
            for name, value in response["responseParameters"].items()
        )
        filled = body.replace("$context.requestId", request_id)
        return Response(int(response["statusCode"]), headers, filled.encode())


def _value(mapped: str, request_id: str) -> str:
    return request_id if mapped == "context.requestId" else mapped.strip("'")
