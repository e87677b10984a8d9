"""Races between a change of a template and its deletion and restore."""

from collections.abc import Callable

import pytest

from chalicelib.adapters.aws.table import Tables, Write
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
    write = Tables.write
    deletions = iter([True])

    def deleted_before(tables: Tables, wanted: Write) -> object:
        is_change = "#TPL#" in (wanted.key or {}).get("PK", "")
        if is_change and next(deletions, False):
            service.call("DELETE", path)
            try:
                return write(tables, wanted)
            finally:
                if restored:
                    service.call("POST", f"{path}/restore")
        return write(tables, wanted)

    monkeypatch.setattr(Tables, "write", deleted_before)
    answer = CHANGES[change](service, path)

    assert next(deletions, None) is None
    if restored:
        assert answer.status in {200, 201}, answer.body
        assert service.call("GET", path).status == 200
    else:
        assert (answer.status, answer.code) == (410, "template_deleted")
