"""Entry points of the plug-ins; LocalStack loads those that its settings name."""

from typing import Any

from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.plugins import Service, aws_provider


class ProcessExecutorPlugin(RuntimeExecutorPlugin):  # type: ignore[misc]
    """Plug-in for `LAMBDA_RUNTIME_EXECUTOR=process`."""

    name = "process"

    def load(self, *_args: Any, **_kwargs: Any) -> type:
        """Return the executor class; LocalStack makes an instance per execution environment."""
        from localstack.aws.handlers import (  # noqa: PLC0415 -- only where chosen
            serve_custom_service_request_handlers as request_handlers,
        )

        from infra.localstack.executor import (  # noqa: PLC0415 -- only where chosen
            ProcessExecutor,
            note_tenant,
        )

        request_handlers.append(note_tenant)
        return ProcessExecutor


@aws_provider(api="dynamodb", name="external")  # type: ignore[untyped-decorator]
def dynamodb() -> Service:
    """Return the service for `PROVIDER_OVERRIDE_DYNAMODB=external`."""
    from infra.localstack.dynamodb import service  # noqa: PLC0415 -- only where chosen

    return service()
