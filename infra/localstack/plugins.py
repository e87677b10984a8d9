"""Entry points of the plug-ins; LocalStack loads those that its settings name."""

from typing import Any

from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.plugins import Service, aws_provider


class ProcessExecutorPlugin(RuntimeExecutorPlugin):  # type: ignore[misc]
    """Plug-in for `LAMBDA_RUNTIME_EXECUTOR=process`."""

    name = "process"

    def load(self, *_args: Any, **_kwargs: Any) -> type:
        """Return the executor class; LocalStack makes an instance per execution environment."""
        from infra.localstack.executor import ProcessExecutor  # noqa: PLC0415 -- only where chosen

        return ProcessExecutor


@aws_provider(api="dynamodb", name="external")  # type: ignore[untyped-decorator]
def dynamodb() -> Service:
    """Return the service for `PROVIDER_OVERRIDE_DYNAMODB=external`."""
    from infra.localstack.dynamodb import service  # noqa: PLC0415 -- only where chosen

    return service()
