"""Write units of one render, from request to published event, by the sizes of items."""

import pytest

from infra.template import load_template
from infra.write_units import WriteUnits
from tests.builders.in_process_aws import MotoAws
from tests.builders.service import Service

HTML = "<!doctype html><title>Invoice</title>" + "<p>words " * 40
LIMITS = {"sync": 24, "async": 30}
# The claim, the purge and the publication of its event.
EXPIRY_UNITS = 12
# The claim of the limits item, which is due as well, the removal of an entry, and its end.
LIMITS_UNITS = 6


@pytest.mark.parametrize("mode", LIMITS)
def test_render_costs_few_write_units(service: Service, aws: MotoAws, mode: str) -> None:
    spent = WriteUnits(aws.client("dynamodb"), load_template())
    render(service, mode, "first")
    spent.count(service.clients.dynamodb.meta.events)

    render(service, mode, "second")

    assert spent.counts.total() <= LIMITS[mode], spent.counts


def test_expiry_of_files_costs_few_write_units(service: Service, aws: MotoAws) -> None:
    render(service, "async", "first")
    service.clock.advance(days=31)
    service.relay_events()
    spent = WriteUnits(aws.client("dynamodb"), load_template())
    spent.count(service.clients.dynamodb.meta.events)

    assert service.tick() == 2, "the render and the limits"
    service.run_maintenance()
    service.relay_events()

    assert service.objects() == []
    assert spent.counts.total() <= EXPIRY_UNITS + LIMITS_UNITS, spent.counts


def render(service: Service, mode: str, key: str) -> None:
    answer = service.render(
        mode=mode,
        headers={"Idempotency-Key": key},
        input={"type": "html", "html": HTML},
    )
    assert answer.status in {200, 202}
    assert service.run_queued() == []
    assert service.relay_events() == []
