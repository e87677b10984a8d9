"""Metrics in CloudWatch's embedded metric format (EMF): log lines that carry values."""

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import (
    AmazonCloudWatchEMFProvider,
)

from chalicelib.adapters.json_logs import current_ids, write_line
from chalicelib.core.clock import epoch_ms

NAMESPACE: Final = "Platen"


@dataclass(frozen=True, slots=True)
class MetricValues:
    """Values of one unit; `dimensions` come in addition to stack and service.

    CloudWatch bills each combination of dimensions as a metric: no tenant ids among them.
    """

    unit: Literal["Count", "Milliseconds"]
    values: Mapping[str, float]
    dimensions: Mapping[str, str] = field(default_factory=dict)


class Metrics:
    """Metrics of one function."""

    def __init__(self, stack: str, service: str) -> None:
        """Use the deployment and the function as dimensions of every metric."""
        self._stack = stack
        self._service = service

    def count(self, name: str, **dimensions: str) -> None:
        """Count one."""
        self.write(MetricValues("Count", {name: 1}, dimensions))

    def write(self, *measured: MetricValues, at: dt.datetime | None = None) -> None:
        """Write values as one line with the current log ids; `at` is the current time if None."""
        # A powertools provider has one set of dimensions; their documents are merged into a line.
        providers: dict[tuple[str, ...], AmazonCloudWatchEMFProvider] = {}
        for group in measured:
            dimensions = tuple(f"{name}={value}" for name, value in group.dimensions.items())
            if dimensions not in providers:
                providers[dimensions] = self._provider(group.dimensions, at)
            for name, value in group.values.items():
                providers[dimensions].add_metric(name, group.unit, value)
        line: dict[str, object] = dict(current_ids())
        documents = [provider.serialize_metric_set() for provider in providers.values()]
        for document in documents:
            line |= document
        # The last document's root stays in the line, so it takes the directives of all.
        documents[-1]["_aws"]["CloudWatchMetrics"] = [
            directive
            for document in documents
            for directive in document["_aws"]["CloudWatchMetrics"]
        ]
        write_line(json.dumps(line, separators=(",", ":")))

    def _provider(
        self, dimensions: Mapping[str, str], at: dt.datetime | None
    ) -> AmazonCloudWatchEMFProvider:
        provider = AmazonCloudWatchEMFProvider(
            namespace=NAMESPACE,
            service=self._service,
            dimension_set={"stack": self._stack, "service": self._service, **dimensions},
        )
        provider.timestamp = epoch_ms(at) if at else None
        return provider
