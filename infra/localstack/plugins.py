"""What LocalStack finds by entry point and loads where its settings name it."""

from typing import Any

from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.plugins import Service, aws_provider


class ProcessExecutorPlugin(RuntimeExecutorPlugin):  # type: ignore[misc]
    """`LAMBDA_RUNTIME_EXECUTOR=process`."""

    name = "process"

    def load(self, *_args: Any, **_kwargs: Any) -> type:
        """Return the executor's class; LocalStack makes one for each execution environment."""
        from infra.localstack.executor import ProcessExecutor  # noqa: PLC0415 -- only where chosen

        return ProcessExecutor


@aws_provider(api="dynamodb", name="external")  # type: ignore[untyped-decorator]
def dynamodb() -> Service:
    """Return the service for `PROVIDER_OVERRIDE_DYNAMODB=external`."""
    from infra.localstack.dynamodb import service  # noqa: PLC0415 -- only where chosen

    return service()
