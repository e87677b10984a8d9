"""Races between a change of a template and its deletion and restore."""

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.adapters.aws.table import Table, Write
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import LARGE_HTML, make_template, put_draft

CHANGES: dict[str, Callable[[Service, str], ApiAnswer]] = {
    "draft": lambda service, path: put_draft(service, path, html=LARGE_HTML),
    "dataset": lambda service, path: service.call(
        "POST", f"{path}/datasets", json_body={"name": "A", "data": {"text": LARGE_HTML}}
    ),
    "name": lambda service, path: service.call("PATCH", path, json_body={"name": "B"}),
    "lock": lambda service, path: service.call("POST", f"{path}/lock"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("restored", [True, False])
def test_change_of_a_concurrently_deleted_template(
    service: Service, monkeypatch: pytest.MonkeyPatch, change: str, *, restored: bool
) -> None:
    path = make_template(service)
    deletions = iter([True])

    def delete_before(execute: Callable[[Table, Any], object]) -> Callable[[Table, Any], object]:
        def wrapped(table: Table, wanted: Write | list[Write]) -> object:
            first = wanted if isinstance(wanted, Write) else wanted[0]
            is_change = "#TPL#" in (first.key or {}).get("PK", "")
            if is_change and next(deletions, False):
                service.call("DELETE", path)
                try:
                    return execute(table, wanted)
                finally:
                    if restored:
                        service.call("POST", f"{path}/restore")
            return execute(table, wanted)

        return wrapped

    for name in ("write", "transact"):
        monkeypatch.setattr(Table, name, delete_before(getattr(Table, name)))
    answer = CHANGES[change](service, path)

    assert next(deletions, None) is None
    if restored:
        assert answer.status in {200, 201}, answer.body
        assert service.call("GET", path).status == 200
    else:
        assert (answer.status, answer.code) == (410, "template_deleted")
