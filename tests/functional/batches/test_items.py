"""Items of a batch: their order, states and names, and pages of them."""

from chalicelib.core.ids import RenderId
from chalicelib.features.batches.model import BatchItem, ItemStatus
from tests.builders.batches import (
    ChangePlan,
    cancel_batch,
    counts_of,
    fail_items,
    items_at,
    make_batch,
    post_batch,
    published_template,
    statuses_at,
    stored_batch,
)
from tests.builders.openapi import api_document, validator
from tests.builders.service import Service


def indexes(service: Service, path: str, query: str) -> list[int]:
    return [item["index"] for item in items_at(service, path, query)]


def test_pending_items_show_the_names_of_the_request(service: Service) -> None:
    names = [{"filename": "Ä {{ n }}", "reference": "r-1"}, {}, {"reference": "r-3"}]
    path = make_batch(service, names)

    items = items_at(service, path)

    assert items[0] == {
        "index": 0,
        "status": "pending",
        "render_id": None,
        "reference": "r-1",
        "filename": "Ä {{ n }}",
        "error": None,
        "previous_render_id": None,
    }
    assert [(each["index"], each["reference"], each["filename"]) for each in items[1:]] == [
        (1, None, None),
        (2, "r-3", None),
    ]
    listed = service.call("GET", f"{path}/items").json
    validator(api_document()["components"]["schemas"]["BatchItemList"]).validate(listed)


def test_item_is_a_render_with_its_names_and_data(service: Service) -> None:
    path = make_batch(
        service,
        [{"data": {"n": 7}, "filename": "a {{ n }}", "reference": "r", "metadata": {"k": 1}}],
        output={"filename": "{{ n }}.pdf"},
    )
    service.run_batches()

    (item,) = items_at(service, path)
    render = service.call("GET", f"/v1/renders/{item['render_id']}").json

    assert (item["status"], item["reference"], item["filename"]) == ("succeeded", "r", "a {{ n }}")
    assert (render["status"], render["source"], render["mode"]) == ("succeeded", "batch", "async")
    assert render["batch_id"] == path.rpartition("/")[2]
    assert (render["reference"], render["metadata"]) == ("r", {"k": 1})
    assert render["files"][0]["url"].startswith("https://files.test/")
    (job,) = service.engine.jobs
    assert job.data == {"n": 7}
    listed = service.call("GET", f"/v1/renders?batch_id={render['batch_id']}").json["data"]
    assert [each["id"] for each in listed] == [item["render_id"]]


def test_items_keep_their_order_and_get_their_own_data(service: Service) -> None:
    path = make_batch(service, 12)
    service.run_batches()

    items = items_at(service, path)

    assert [item["index"] for item in items] == list(range(12))
    assert len({item["render_id"] for item in items}) == 12
    assert sorted(str(job.data["n"]) for job in service.engine.jobs if job.data) == sorted(
        str(n) for n in range(12)
    )


def test_items_are_filtered_by_each_status(service: Service, change_plan: ChangePlan) -> None:
    change_plan(bulk_concurrency=2)
    path = make_batch(service, 6, template_id=published_template(service))
    fail_items(service, {1})
    for _ in range(2):
        service.release_batches()
        service.run_queued("BatchItems")
        service.relay_events()
    service.release_batches()
    assert counts_of(service.call("GET", path).json) == (3, 1, 0, 2)

    assert indexes(service, path, "status=succeeded") == [0, 2, 3]
    assert indexes(service, path, "status=failed") == [1]
    assert indexes(service, path, "status=queued") == [4, 5]
    assert indexes(service, path, "status=pending") == []
    assert indexes(service, path, "status=canceled") == []


def test_items_of_a_canceled_batch_are_canceled(service: Service, change_plan: ChangePlan) -> None:
    change_plan(bulk_concurrency=2)
    path = make_batch(service, 5, template_id=published_template(service))
    service.release_batches()
    assert statuses_at(service, path) == ["queued"] * 2 + ["pending"] * 3

    assert cancel_batch(service, path, service.run_batches).json["status"] == "canceled"

    assert statuses_at(service, path) == ["canceled"] * 5
    assert indexes(service, path, "status=canceled") == list(range(5))
    assert indexes(service, path, "status=pending") == []


def render_id_of(index: int) -> str:
    return f"rnd_{index:026}"


def test_pages_cross_the_border_of_a_partition(service: Service) -> None:
    path = make_batch(service, [{}] * 1_050)
    batch, stores = stored_batch(service, path), service.services.state.batch_stores
    statuses: tuple[ItemStatus, ...] = ("succeeded", "failed")
    for index in range(990, 1_010):
        item = BatchItem(
            index=index,
            status=statuses[index % 2],
            run=1,
            render_id=RenderId(render_id_of(index)),
        )
        stores.table.write(stores.batches.item_creation(batch, item))

    shown, targets = [], [f"{path}/items?limit=100"]
    for target in targets:
        page = service.call("GET", target).json
        shown += page["data"]
        assert page["has_more"] == (page["next_cursor"] is not None)
        if page["has_more"]:
            targets.append(f"{path}/items?limit=100&cursor={page['next_cursor']}")

    assert [item["index"] for item in shown] == list(range(1_050))
    assert len(targets) == 11
    with_row = {item["index"]: item for item in shown if item["render_id"]}
    assert {index: each["render_id"] for index, each in with_row.items()} == {
        index: render_id_of(index) for index in range(990, 1_010)
    }
    assert indexes(service, path, "limit=100&status=failed") == list(range(991, 1_010, 2))


def test_page_with_a_filter_goes_on_behind_it(service: Service) -> None:
    path = make_batch(service, 5)
    fail_items(service, {0, 2, 4})
    service.run_batches()

    first = service.call("GET", f"{path}/items?status=failed&limit=2").json
    rest = service.call(
        "GET", f"{path}/items?status=failed&limit=2&cursor={first['next_cursor']}"
    ).json

    assert [item["index"] for item in first["data"] + rest["data"]] == [0, 2, 4]
    assert (first["has_more"], rest["has_more"]) == (True, False)


def test_items_of_all_formats_and_options_are_those_of_the_request(service: Service) -> None:
    post = post_batch(
        service,
        2,
        output={"formats": ["png", "pdf"]},
        delivery={"retention_days": 3},
    )
    service.run_batches()

    for item in items_at(service, f"/v1/batches/{post.json['id']}"):
        render = service.call("GET", f"/v1/renders/{item['render_id']}").json
        assert [file["format"] for file in render["files"]] == ["png", "pdf"]
        assert render["expires_at"].startswith("2026-11-24T12:00")
