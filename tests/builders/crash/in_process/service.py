"""Service each of whose functions runs as a process of its own, and may die."""

import io
from collections.abc import Callable, Mapping
from typing import Any, Final, override

from infra.local.event_sources import RETRY_DELAY_S
from tests.builders.in_process_aws import MotoAws
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import InProcessClients, Service
from tests.fakes.mortal_functions import MortalFunctions

# One message at a time, as on one machine: its death is that of no other render.
_RENDER_QUEUES: Final = frozenset({"Renders", "RendersLow", "BatchItems"})
_DIED: Final = b'{"errorType": "Runtime.ExitError", "errorMessage": "signal: killed"}'


class MortalService(Service):
    """Service of `functions`; the messages of a dying function come again."""

    functions: MortalFunctions

    def __init__(self, aws: MotoAws) -> None:
        super().__init__(aws)
        self.clients = _MortalClients(self, aws)

    @override
    def batch_size(self, queue: str) -> int:
        return 1 if queue in _RENDER_QUEUES else super().batch_size(queue)

    @override
    def run_batch(self, queue: str, serve: Callable[[Any], Mapping[str, Any]]) -> list[str]:
        url = self.queue_url(queue)

        def serve_or_die(event: Any) -> Mapping[str, Any]:
            try:
                return self.functions.run_in_process(lambda: serve(event))
            except FunctionKilled:
                for record in event["Records"]:
                    self.clients.sqs.change_message_visibility(
                        QueueUrl=url,
                        ReceiptHandle=record["receiptHandle"],
                        VisibilityTimeout=RETRY_DELAY_S,
                    )
                ids = [record["messageId"] for record in event["Records"]]
                return {"batchItemFailures": [{"itemIdentifier": each} for each in ids]}

        return super().run_batch(queue, serve_or_die)

    @override
    def tick(self) -> int:
        try:
            return self.functions.run_in_process(super().tick)
        except FunctionKilled:
            return 0


class _MortalClients(InProcessClients):
    def __init__(self, service: MortalService, aws: MotoAws) -> None:
        super().__init__(service, aws)
        self._mortal_service = service

    @override
    def lambda_client(self, read_timeout_s: float) -> Any:
        return _MortalLambda(self._mortal_service)


class _MortalLambda(LambdaClient):
    """Invoke API whose caller learns that the function has died."""

    def __init__(self, service: MortalService) -> None:
        super().__init__(service)
        self._functions = service.functions

    @override
    def invoke(self, **request: Any) -> dict[str, Any]:
        self._functions.refuse_if_dead()
        call = super().invoke
        try:
            return self._functions.run_in_process(lambda: call(**request))
        except FunctionKilled:
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(_DIED)}
