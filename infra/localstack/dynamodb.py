"""LocalStack's DynamoDB over a server that somebody else started: `PLATEN_DYNAMODB_URL`."""

import os
from typing import override
from urllib.parse import urlsplit

from localstack.aws.forwarder import HttpFallbackDispatcher
from localstack.services.dynamodb.provider import DynamoDBProvider
from localstack.services.dynamodb.server import DynamodbServer
from localstack.services.plugins import Service


class ExternalServer(DynamodbServer):  # type: ignore[misc]
    """A server that runs already and is not ours to end."""

    @override
    def start_dynamodb(self) -> bool:
        # Whoever asks whether it is up waits for this first.
        self._started.set()
        self.wait_for_dynamodb()
        return True

    @override
    def stop_dynamodb(self) -> None:
        """Leave it alone."""


class ExternalProvider(DynamoDBProvider):  # type: ignore[misc]
    """LocalStack's own provider, which forwards to that server."""

    @staticmethod
    def _new_dynamodb_server() -> ExternalServer:
        url = urlsplit(os.environ["PLATEN_DYNAMODB_URL"])
        return ExternalServer(url.port, url.hostname)


def service() -> Service:
    """Return the service as LocalStack makes its own."""
    return Service.for_provider(
        ExternalProvider(),
        dispatch_table_factory=lambda provider: HttpFallbackDispatcher(
            provider, provider.get_forward_url
        ),
    )
