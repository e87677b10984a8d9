"""Workspaces of a running stack, made as the operator makes them."""

from dataclasses import replace

from chalicelib.bootstrap.operator import OperatorServices
from chalicelib.core.clock import SystemClock
from chalicelib.core.ids import RandomIdGenerator
from chalicelib.features.workspaces.keys.model import SCOPES
from chalicelib.settings import OperatorSettings
from infra.bench.final_renders import bench_clients
from infra.local.running_stack import RunningStack


def as_workspace(stack: RunningStack, name: str) -> RunningStack:
    """Return the stack as a new workspace of the plan scale sees it, with a live key."""
    operator = OperatorServices(
        OperatorSettings(main_table=stack.resources["MainTable"]["Ref"], region="eu"),
        bench_clients(stack),
        clock=SystemClock(),
        ids=RandomIdGenerator(),
    )
    workspace = operator.create_workspace(name, plan="scale", regions=["eu"])
    key = operator.manage_keys.create(workspace.id, mode="live", scopes=SCOPES)
    return replace(stack, workspace=workspace.id, live_key=key.text)
