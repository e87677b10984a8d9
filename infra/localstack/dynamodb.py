"""DynamoDB provider of LocalStack over the external server at `PLATEN_DYNAMODB_URL`."""

import os
from typing import override
from urllib.parse import urlsplit

from localstack.aws.forwarder import HttpFallbackDispatcher
from localstack.services.dynamodb.provider import DynamoDBProvider
from localstack.services.dynamodb.server import DynamodbServer
from localstack.services.plugins import Service


class ExternalServer(DynamodbServer):  # type: ignore[misc]
    """Server that already runs; it is neither started nor stopped."""

    @override
    def start_dynamodb(self) -> bool:
        # LocalStack's health check waits for this event first.
        self._started.set()
        self.wait_for_dynamodb()
        return True

    @override
    def stop_dynamodb(self) -> None:
        """Do nothing: the server belongs to its starter."""


class ExternalProvider(DynamoDBProvider):  # type: ignore[misc]
    """LocalStack's own provider, forwarding to the external server."""

    @staticmethod
    def _new_dynamodb_server() -> ExternalServer:
        url = urlsplit(os.environ["PLATEN_DYNAMODB_URL"])
        return ExternalServer(url.port, url.hostname)


def service() -> Service:
    """Return the service, built as LocalStack builds its own."""
    return Service.for_provider(
        ExternalProvider(),
        dispatch_table_factory=lambda provider: HttpFallbackDispatcher(
            provider, provider.get_forward_url
        ),
    )
