"""Template: intrinsics resolved against existing resources, and declared functions."""

from typing import Any

import pytest

from infra.local.functions import declared_functions
from infra.template import IntrinsicResolver, TemplateError, references

TEMPLATE: dict[str, Any] = {
    "Parameters": {"Stage": {"Type": "String", "Default": "dev"}},
    "Conditions": {"IsDev": {"Fn::Equals": [{"Ref": "Stage"}, "dev"]}},
    "Resources": {},
}
PER_TENANT = {"TenantIsolationMode": "PER_TENANT"}
TENANCY = {"Fn::If": ["IsDev", PER_TENANT, {"Ref": "AWS::NoValue"}]}
NO_TENANCY = {"Fn::If": ["IsDev", {"Ref": "AWS::NoValue"}, PER_TENANT]}
ATTRIBUTES = {"Queue": {"Ref": "http://q", "Arn": "arn:q"}}


def resolve(value: Any, **parameters: str) -> Any:
    return IntrinsicResolver(TEMPLATE, parameters=parameters, attributes=ATTRIBUTES).resolve(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "Stage"}, "dev"),
        ({"Ref": "Queue"}, "http://q"),
        ({"Fn::GetAtt": ["Queue", "Arn"]}, "arn:q"),
        ({"Fn::GetAtt": "Queue.Arn"}, "arn:q"),
        ({"Fn::Sub": "${Stage}/${Queue.Arn}/${Queue}/${!Kept}"}, "dev/arn:q/http://q/${Kept}"),
        ({"Fn::Sub": ["${A}-${Stage}", {"A": {"Ref": "Queue"}}]}, "http://q-dev"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Stage"}]]}, "a-dev"),
        ({"Fn::If": ["IsDev", 1, 2]}, 1),
        ({"a": {"Ref": "AWS::NoValue"}, "b": [{"Ref": "AWS::NoValue"}, 1]}, {"b": [1]}),
        ({"Ref": "AWS::Partition"}, "aws"),
    ],
)
def test_intrinsics_are_resolved(value: Any, expected: Any) -> None:
    assert resolve(value) == expected


def test_a_parameter_wins_over_its_default() -> None:
    assert resolve({"Fn::If": ["IsDev", 1, 2]}, Stage="live") == 2


@pytest.mark.parametrize("value", [{"Ref": "Nothing"}, {"Fn::GetAtt": ["Queue", "Nothing"]}])
def test_unknown_intrinsic_is_an_error(value: Any) -> None:
    with pytest.raises(TemplateError):
        resolve(value)


def test_references_are_found_in_every_form() -> None:
    value = [{"Ref": "A"}, {"x": {"Fn::GetAtt": ["B", "Arn"]}}, {"Fn::Sub": "${C.Arn}${!D}"}]

    assert references(value) == {"A", "B", "C"}


def declared(events: dict[str, Any], tenancy: Any = None, **hints: Any) -> Any:
    resource = {
        "Type": "AWS::Serverless::Function",
        "Metadata": {"PlatenLocal": hints},
        "Properties": {
            "Handler": "a.b",
            "Timeout": 9,
            "MemorySize": 256,
            "Environment": {"Variables": {"Q": {"Ref": "Queue"}, "AWS_ONLY": "1"}},
            "Events": events,
            **({"TenancyConfig": tenancy} if tenancy else {}),
        },
    }
    template = {**TEMPLATE, "Resources": {"F": resource}}
    resolver = IntrinsicResolver(template, parameters={}, attributes=ATTRIBUTES)
    (function,) = declared_functions(template, resolver, "stack")
    return function


def test_threads_serve_unless_each_invocation_has_a_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PLATEN_LOCAL_PROCESSES", raising=False)
    assert declared({}, Threads=True).serves_in_threads

    monkeypatch.setenv("PLATEN_LOCAL_PROCESSES", "invocation")
    assert not declared({}, Threads=True).serves_in_threads


def test_an_unknown_kind_of_processes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLATEN_LOCAL_PROCESSES", "Invocation")

    with pytest.raises(TemplateError, match="PLATEN_LOCAL_PROCESSES is 'Invocation'"):
        declared({}, Threads=True)


def test_a_function_is_read_with_its_sources() -> None:
    source = {
        "Type": "SQS",
        "Properties": {
            "Queue": {"Fn::GetAtt": ["Queue", "Arn"]},
            "BatchSize": 3,
            "FunctionResponseTypes": ["ReportBatchItemFailures"],
            "ScalingConfig": {"MaximumConcurrency": 7},
        },
    }
    rate = {"Type": "Schedule", "Properties": {"Schedule": "rate(5 minutes)"}}

    function = declared({"Work": source, "Tick": rate}, Concurrency=4, Without=["AWS_ONLY"])

    assert (function.name, function.timeout_s, function.memory_mb) == ("stack-F", 9.0, 256)
    assert function.environment == {"Q": "http://q"}
    assert function.concurrency == 4
    (queue,) = function.queues
    assert (queue.arn, queue.batch_size, queue.concurrency) == ("arn:q", 3, 7)
    assert queue.partial_failures
    assert [schedule.every_s for schedule in function.schedules] == [300]


@pytest.mark.parametrize(
    ("tenancy", "isolates"), [(None, False), (TENANCY, True), (NO_TENANCY, False)]
)
def test_function_isolates_tenants_under_its_condition(*, tenancy: Any, isolates: bool) -> None:
    assert declared({}, tenancy).isolates_tenants is isolates


def test_function_that_isolates_tenants_has_no_event_source() -> None:
    rate = {"Type": "Schedule", "Properties": {"Schedule": "rate(5 minutes)"}}

    with pytest.raises(TemplateError, match="F: a function that isolates tenants"):
        declared({"Tick": rate}, TENANCY)
    assert declared({"Tick": rate}, NO_TENANCY).schedules


@pytest.mark.parametrize(
    "event",
    [
        {"Type": "Schedule", "Properties": {"Schedule": "cron(0 12 * * ? *)"}},
        {"Type": "Kinesis", "Properties": {"Stream": "x"}},
    ],
)
def test_unsupported_event_source_is_refused(event: Any) -> None:
    with pytest.raises(TemplateError, match="one machine knows"):
        declared({"E": event})


def test_number_of_engines_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLATEN_ENGINES", "7")

    engine = declared({}, Concurrency="cores+1", Share="cores")

    assert (engine.concurrency, engine.share) == (8, 7)


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many", "1000", " 2"])
def test_a_wrong_number_of_engines_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PLATEN_ENGINES", text)

    with pytest.raises(TemplateError, match="PLATEN_ENGINES"):
        declared({}, Concurrency="cores+1", Share="cores")
