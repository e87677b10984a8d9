"""Functions of the template: handler, limits, environment and event sources."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from infra.local.resources import function_name
from infra.template import IntrinsicResolver, TemplateError

API_LOGICAL_ID: Final = "APIHandler"
_RATE: Final = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_SECONDS_PER_UNIT: Final = {"minute": 60, "hour": 3600, "day": 86400}
ENGINES_VARIABLE: Final = "PLATEN_ENGINES"
_DEFAULT_CONCURRENCY: Final = 10


@dataclass(frozen=True, slots=True)
class QueueSource:
    """Queue that feeds a function, only while the queue with the ARN `yields_to` is empty."""

    arn: str
    batch_size: int
    concurrency: int | None
    partial_failures: bool
    yields_to: str | None = None


@dataclass(frozen=True, slots=True)
class ScheduleRule:
    """Rule that runs a function every `every_s` seconds."""

    name: str
    every_s: int


@dataclass(frozen=True, slots=True)
class LambdaFunction:
    """One function as the local stack runs it.

    `share` bounds the invocations of one workspace at a time, by default only as those of all.
    """

    logical_id: str
    name: str
    handler: str
    timeout_s: float
    memory_mb: int
    environment: Mapping[str, str]
    concurrency: int
    warm_count: int
    queues: tuple[QueueSource, ...]
    schedules: tuple[ScheduleRule, ...]
    isolates_tenants: bool = False
    serves_in_threads: bool = False
    has_rights: bool = True
    share: int | None = None


def declared_functions(
    template: Mapping[str, Any], resolver: IntrinsicResolver, stack_name: str
) -> tuple[LambdaFunction, ...]:
    """Return every function of the template; raises TemplateError for an unknown event source."""
    return tuple(
        _function(template, logical_id, resource, resolver, stack_name)
        for logical_id, resource in template["Resources"].items()
        if resource.get("Type") == "AWS::Serverless::Function"
    )


def _function(
    template: Mapping[str, Any],
    logical_id: str,
    resource: Mapping[str, Any],
    resolver: IntrinsicResolver,
    stack_name: str,
) -> LambdaFunction:
    defaults = template.get("Globals", {}).get("Function", {})
    properties = {**defaults, **resource["Properties"]}
    variables = {
        **defaults.get("Environment", {}).get("Variables", {}),
        **properties.get("Environment", {}).get("Variables", {}),
    }
    hints = resource.get("Metadata", {}).get("PlatenLocal", {})
    events = properties.get("Events", {})
    return LambdaFunction(
        logical_id=logical_id,
        name=function_name(stack_name, logical_id),
        handler=properties["Handler"],
        timeout_s=float(properties["Timeout"]),
        memory_mb=int(properties["MemorySize"]),
        environment={
            key: str(value)
            for key, value in resolver.resolve(variables).items()
            if key not in hints.get("Without", ())
        },
        concurrency=_count(hints.get("Concurrency", _DEFAULT_CONCURRENCY)),
        warm_count=_count(hints.get("Warm", 0)),
        queues=_queues(events, hints, resolver),
        schedules=tuple(
            _schedule(f"{stack_name}-{logical_id}{name}", event)
            for name, event in events.items()
            if not _has_type(event, "SQS")
        ),
        serves_in_threads=_serves_in_threads(hints),
        isolates_tenants=_isolates_tenants(logical_id, properties, hints, resolver),
        has_rights=_has_rights(template, properties),
        share=_count(hints["Share"]) if "Share" in hints else None,
    )


def _isolates_tenants(
    logical_id: str,
    properties: Mapping[str, Any],
    hints: Mapping[str, Any],
    resolver: IntrinsicResolver,
) -> bool:
    is_isolated = resolver.resolve(properties.get("TenancyConfig")) is not None
    if is_isolated and (properties.get("Events") or hints.get("Threads")):
        message = f"{logical_id}: a function that isolates tenants has no event sources or threads"
        raise TemplateError(message)
    return is_isolated


def _serves_in_threads(hints: Mapping[str, Any]) -> bool:
    processes = os.environ.get("PLATEN_LOCAL_PROCESSES", "")
    if processes not in {"", "invocation"}:
        raise TemplateError(f"PLATEN_LOCAL_PROCESSES is {processes!r}: set invocation, or nothing")
    return bool(hints.get("Threads")) and not processes


def _has_rights(template: Mapping[str, Any], properties: Mapping[str, Any]) -> bool:
    """Tell whether the function's role may do more on AWS than write logs."""
    role = properties.get("Role")
    if role is None:
        return True
    policies = template["Resources"][role["Fn::GetAtt"][0]]["Properties"]["Policies"]
    statements = [each for policy in policies for each in policy["PolicyDocument"]["Statement"]]
    return any(each["Sid"] != "Logs" for each in statements)


def _count(hint: str | int) -> int:
    """Return the number of a hint, which may begin with `cores`."""
    if isinstance(hint, int):
        return hint
    more = hint.removeprefix("cores")
    return _engine_count() + int(more or 0)


def _engine_count() -> int:
    """Return how many engines of one workspace run at a time; raises TemplateError."""
    text = os.environ.get(ENGINES_VARIABLE, "")
    if not text:
        return max(1, os.cpu_count() or 1)
    if re.fullmatch("[1-9][0-9]{0,2}", text) is None:
        raise TemplateError(
            f"{ENGINES_VARIABLE} is {text!r}: set a number from 1 to 999, or nothing"
        )
    return int(text)


def _has_type(event: Mapping[str, Any], kind: str) -> bool:
    return bool(event["Type"] == kind)


def _queues(
    events: Mapping[str, Any], hints: Mapping[str, Any], resolver: IntrinsicResolver
) -> tuple[QueueSource, ...]:
    sources = {
        name: _queue(event, resolver) for name, event in events.items() if _has_type(event, "SQS")
    }
    if "Messages" in hints:
        # One message at a time: those of a batch would wait for the slowest.
        limits: Any = {"batch_size": 1, "concurrency": _count(hints["Messages"])}
        sources = {name: replace(source, **limits) for name, source in sources.items()}
    sources |= {
        name: replace(sources[name], concurrency=_count(hint))
        for name, hint in hints.get("SourceConcurrency", {}).items()
    }
    # Low priority yields to normal on one machine, where both share few processes (decision 14).
    first = next((source.arn for source in sources.values()), None)
    return tuple(
        replace(source, yields_to=first) if name in hints.get("Yields", ()) else source
        for name, source in sources.items()
    )


def _queue(event: Mapping[str, Any], resolver: IntrinsicResolver) -> QueueSource:
    properties = resolver.resolve(event["Properties"])
    scaling = properties.get("ScalingConfig", {})
    return QueueSource(
        arn=properties["Queue"],
        batch_size=int(properties.get("BatchSize", 10)),
        concurrency=scaling.get("MaximumConcurrency"),
        partial_failures="ReportBatchItemFailures" in properties.get("FunctionResponseTypes", []),
    )


def _schedule(name: str, event: Mapping[str, Any]) -> ScheduleRule:
    if event["Type"] != "Schedule":
        message = f"{name}: one machine knows the event types SQS and Schedule, not {event['Type']}"
        raise TemplateError(message)
    expression = event["Properties"]["Schedule"]
    matched = _RATE.fullmatch(expression)
    if matched is None:
        message = f"{name}: one machine knows rate(N minutes|hours|days), not {expression}"
        raise TemplateError(message)
    return ScheduleRule(name, int(matched[1]) * _SECONDS_PER_UNIT[matched[2]])
