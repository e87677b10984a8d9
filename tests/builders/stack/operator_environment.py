"""Environment with which the `platen` tool works on a running stack."""

from infra.local.paths import StackFolder
from infra.local.runner.environment import REGION
from infra.local.running_stack import RunningStack
from infra.operator.connection import resource_variables


def operator_environment(stack: RunningStack) -> dict[str, str]:
    """Return the variables that name the stack's emulators, resources and log."""
    resources = {
        variable: stack.resources[logical]["Ref"]
        for variable, logical in resource_variables().items()
    }
    return {
        **stack.endpoints,
        **resources,
        "AWS_DEFAULT_REGION": REGION,
        "PLATEN_FUNCTIONS_LOG": str(StackFolder(stack.folder).functions_log),
        "PLATEN_STACK": "x",
    }
