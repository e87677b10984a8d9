"""`platen export` and `platen import`: a workspace as a file, without its secrets."""

import json
import zipfile
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from chalicelib.core.clock import SystemClock
from tests.builders.email_connections import change_connection, made_connection
from tests.builders.email_rules import listed, made_rule
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.builders.storage_destinations import made_destination
from tests.builders.templates import (
    LARGE_HTML,
    make_template,
    publish_template,
    put_draft,
    render_template,
    template_rows,
)
from tests.builders.webhooks import make_endpoint

DATASETS: Final = [
    {"name": "Small", "data": {"n": 1}},
    {"name": "Large", "data": {"n": "y" * 50_000}, "is_default": True},
]


class Whole(NamedTuple):
    """Workspace with one of everything; paths of its templates."""

    plain: str
    large: str
    including: str


@pytest.fixture
def whole(service: Service) -> Whole:
    service.clock.moment = SystemClock().now()
    plain = make_template(service, publish=True, datasets=DATASETS)
    options = {"pdf": {"landscape": True}}
    assert put_draft(service, plain, html="<p>{{ n }} again", options=options).status == 200
    assert publish_template(service, plain, note="Landscape").status == 201
    put_draft(service, plain, html="<p>only a draft</p>")
    large = make_template(service, html=LARGE_HTML, name="Large", publish=True)
    name = plain.rpartition("/")[2]
    html = f"{{% include '{name}' %}}"
    including = make_template(service, html=html, name="Including", publish=True)
    connection = made_connection(service, credentials={"password": "p4ss"})
    made_rule(service, name, connection["id"], html="<p>{{ n }}")
    made_rule(service, name, connection["id"], name="Second", enabled=False)
    made_destination(service, is_default=True)
    headers = {"X-Token": "t0ken"}
    fields = {"template_ids": [name], "headers": headers, "description": "Ours"}
    make_endpoint(service, "https://example.com/hook", **fields)
    return Whole(plain, large, including)


def export(tool: OperatorTool, service: Service, name: str = "a.zip") -> Path:
    path = tool.folder / name
    tool.json("export", service.workspace, "-o", str(path))
    return path


def enter(service: Service, workspace: Any) -> None:
    """Make the calls that follow those of another workspace."""
    service.workspace = workspace
    service.live = service.key("live")


def documents(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def without_ids(path: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the documents of an export with the ids of the file that it was imported from."""
    text = json.dumps(documents(path))
    for row in rows:
        text = text.replace(row["id"], row["file_id"])
    found: dict[str, Any] = json.loads(text)
    return found


def comparable(found: dict[str, Any]) -> dict[str, Any]:
    about = found["workspace.json"]
    about.pop("workspace")
    about.pop("exported_at")
    # They were made in the same millisecond.
    about["templates"].sort()
    for each in (*about["email_connections"], *about["storage_destinations"]):
        each.pop("had_credentials")
    for each in about["webhook_endpoints"]:
        each.pop("header_names")
    for document in found.values():
        for list_name in ("datasets", "email_rules"):
            for each in document.get(list_name, ()):
                each.pop("id")
    return found


def test_round_trip_between_two_workspaces(
    tool: OperatorTool, service: Service, whole: Whole
) -> None:
    path = export(tool, service)
    source = documents(path)
    other = service.create_workspace()

    rows = tool.json("import", str(path), "--workspace", other)["data"]

    assert {row["outcome"] for row in rows} == {"created"}
    assert not {row["id"] for row in rows} & {row["file_id"] for row in rows}
    needs = {row["kind"]: row["needs"] for row in rows}
    assert needs["email connection"] == needs["storage destination"] == "credentials"
    assert needs["webhook endpoint"].startswith("its new secret whsec_")
    assert needs["webhook endpoint"].endswith("; headers X-Token")
    assert needs["template"] == ""
    enter(service, other)
    again = without_ids(export(tool, service, "b.zip"), rows)
    assert comparable(again) == comparable(source)
    own = {row["file_id"]: row["id"] for row in rows}
    for each in whole:
        moved = f"/v1/templates/{own[each.rpartition('/')[2]]}"
        assert render_template(service, moved, data={"n": 1}).status == 200


def test_export_has_no_secrets(tool: OperatorTool, service: Service, whole: Whole) -> None:  # noqa: ARG001 -- what is exported
    text = json.dumps(documents(export(tool, service)))

    assert not [each for each in ("p4ss", "s3cret-key", "t0ken", "whsec_", "v1.") if each in text]
    assert "X-Token" in text


def test_import_again_changes_nothing(tool: OperatorTool, service: Service, whole: Whole) -> None:
    path = export(tool, service)
    other = service.create_workspace()
    tool.json("import", str(path), "--workspace", other)

    rows = tool.json("import", str(path), "--workspace", other)["data"]
    own = tool.json("import", str(path))["data"]

    assert {row["outcome"] for row in (*rows, *own)} == {"unchanged"}
    assert {row["id"] for row in own} == {row["file_id"] for row in own}
    assert whole.plain.rpartition("/")[2] in {row["id"] for row in own}
    assert [row["needs"] for row in own if row["needs"]] == []


def test_import_brings_what_has_changed(tool: OperatorTool, service: Service, whole: Whole) -> None:
    first = export(tool, service)
    other = service.create_workspace()
    tool.json("import", str(first), "--workspace", other)
    assert publish_template(service, whole.plain).status == 201
    put_draft(service, whole.large, html=LARGE_HTML + "more")
    service.call("PATCH", whole.including, json_body={"name": "Renamed"})
    (rule, *_) = listed(service, whole.plain.rpartition("/")[2])
    service.call("PATCH", f"/v1/email-rules/{rule['id']}", json_body={"subject": "New"})
    second = export(tool, service, "second.zip")

    rows = tool.json("import", str(second), "--workspace", other)["data"]

    outcomes = {row["name"]: row["outcome"] for row in rows if row["kind"] == "template"}
    assert outcomes == dict.fromkeys(("Invoice", "Large", "Renamed"), "updated")
    enter(service, other)
    again = without_ids(export(tool, service, "b.zip"), rows)
    assert comparable(again) == comparable(documents(second))
    # No object is left that no row names.
    (moved,) = [row["id"] for row in rows if row["name"] == "Large"]
    stored = {row.get("object_key") for row in template_rows(service, moved)} - {None}
    begin = f"ws/{other}/templates/{moved}/"
    found = service.clients.s3.list_objects_v2(Bucket=service.settings.bucket, Prefix=begin)
    assert {each["Key"] for each in found["Contents"]} == stored


def test_version_that_is_another_one_is_refused_before_anything_is_written(
    tool: OperatorTool, service: Service, whole: Whole
) -> None:
    path = export(tool, service)
    other = service.create_workspace()
    rows = tool.json("import", str(path), "--workspace", other)["data"]
    (moved,) = [row["id"] for row in rows if row["name"] == "Invoice"]
    assert publish_template(service, whole.plain).status == 201
    newer = export(tool, service, "newer.zip")
    enter(service, other)
    put_draft(service, f"/v1/templates/{moved}", html="<p>others</p>")
    assert publish_template(service, f"/v1/templates/{moved}").status == 201
    before = documents(export(tool, service, "before.zip"))

    code, text = tool.refusal("import", str(newer), "--workspace", other)

    assert code == "conflict"
    assert "version 3 of Invoice" in text
    after = documents(export(tool, service, "after.zip"))
    assert comparable(after) == comparable(before)


def test_credentials_do_not_follow_to_another_address(
    tool: OperatorTool,
    service: Service,
    whole: Whole,  # noqa: ARG001 -- what is exported
) -> None:
    path = export(tool, service)
    (connection,) = service.call("GET", "/v1/email-connections").json["data"]
    config = {"host": "mail.example.org", "port": 587, "username": "mailer"}
    change_connection(service, connection, config=config, credentials={"password": "new"})

    rows = tool.json("import", str(path))["data"]

    (row,) = [row for row in rows if row["kind"] == "email connection"]
    assert (row["outcome"], row["needs"]) == ("updated", "credentials")


def test_ids_are_kept_only_where_nobody_has_them(
    tool: OperatorTool,
    service: Service,
    whole: Whole,  # noqa: ARG001 -- what is exported
) -> None:
    path = export(tool, service)
    other = service.create_workspace()

    code, text = tool.refusal("import", str(path), "--workspace", other, "--keep-ids")

    assert (code, service.workspace in text) == ("id_taken", True)


def test_workspace_whose_plan_lacks_a_feature_gets_nothing(
    tool: OperatorTool,
    service: Service,
    whole: Whole,  # noqa: ARG001 -- what is exported
) -> None:
    path = export(tool, service)
    free = service.create_workspace(plan="free")

    assert tool.refusal("import", str(path), "--workspace", free)[0] == "feature_not_enabled"

    enter(service, free)
    assert documents(export(tool, service, "b.zip"))["workspace.json"]["templates"] == []


def test_files_that_are_none_are_refused(tool: OperatorTool, service: Service) -> None:
    path = export(tool, service)
    about = documents(path)["workspace.json"]

    def refusal(content: bytes | dict[str, Any]) -> str:
        damaged = tool.folder / "damaged.zip"
        if isinstance(content, bytes):
            damaged.write_bytes(content)
        else:
            with zipfile.ZipFile(damaged, "w") as archive:
                archive.writestr("workspace.json", json.dumps(content))
        code: str = tool.refusal("import", str(damaged))[0]
        return code

    assert refusal(path.read_bytes()[:-30]) == "file_unusable"
    assert refusal({}) == "file_unusable"
    assert refusal(about | {"templates": ["tpl_missing"]}) == "file_unusable"
    assert refusal(about | {"format": 2, "templates": 7}) == "file_newer"
    assert tool.refusal("import", str(tool.folder / "absent.zip"))[0] == "file_unusable"
    assert tool.refusal("import", str(path), "--workspace", "ws_unknown")[0] == "not_found"
