"""A batch that cannot go on: the others of its workspace do."""

from tests.builders.batches import batch_at, make_batch, statuses_at
from tests.builders.service import Service


def test_batch_without_its_template_holds_up_no_other(service: Service) -> None:
    broken = make_batch(service, 2)
    (template,) = (key for key in service.objects() if key.endswith("/template"))
    service.services.state.objects.delete(template)
    other = make_batch(service, 2)

    failed = service.release_batches()

    assert failed
    assert statuses_at(service, other) == ["queued", "queued"]
    assert batch_at(service, broken)["status"] == "queued"
