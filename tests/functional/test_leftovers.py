"""What dies, or fails, in unlucky moments: no file, place or hold stays behind."""

from typing import Any, NoReturn

import pytest

from tests.builders.service import FunctionKilled, Service
from tests.builders.templates import from_template, make


def test_what_a_function_stored_that_died_after_its_render_was_purged_is_removed(
    service: Service,
) -> None:
    render_id = service.render(mode="async").json["id"]

    def purged(_job: Any) -> None:
        for method, rest in (("POST", "cancel"), ("DELETE", "files")):
            assert service.call(method, f"/v1/renders/{render_id}/{rest}").status == 200
        service.relay_facts()
        service.dies_after_storing = True

    service.engine.before = purged
    with pytest.raises(FunctionKilled):
        service.work_off_queue()
    assert len(service.objects()) == 1

    service.clock.forward(minutes=8)
    service.tick()
    assert service.look_after() == []

    assert service.objects() == []
    assert service.tick() == 0
    limits = service.limits()
    assert (limits["used"], limits["holds"]) == (0, {})


def test_fault_of_our_own_before_a_render_is_made_keeps_no_place(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> NoReturn:
        raise BrokenPipeError

    path = make(service, schema={"required": ["n"]}, publish=True)
    monkeypatch.setattr(type(service.services.check_schemas), "data", fails)

    assert from_template(service, path).code == "internal_error"

    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})
