"""`platen key`: effects of created, rolled and revoked keys over HTTP."""

import datetime as dt
import json
from copy import replace
from typing import Any

import pytest

from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.core.errors import Conflict
from chalicelib.features.workspaces.keys import key_format
from chalicelib.features.workspaces.keys.model import SCOPES
from chalicelib.features.workspaces.keys.record_use import is_unused
from tests.builders.http import ApiAnswer
from tests.builders.operator import OperatorTool
from tests.builders.service import Service


@pytest.fixture(autouse=True)
def present(service: Service) -> None:
    # The service uses the tool's clock, which is the clock of the machine.
    service.clock.moment = SystemClock().now()


def listing(service: Service, key: str, **more: str) -> ApiAnswer:
    return service.call("GET", "/v1/renders", key=key, **more)


def create(tool: OperatorTool, service: Service, *options: str, mode: str = "live") -> Any:
    return tool.json("key", "create", "--workspace", service.workspace, "--mode", mode, *options)


@pytest.mark.parametrize(
    ("mode", "left_out"),
    [("live", set()), ("test", {"email:write", "storage:write", "signed_links:write"})],
)
def test_new_key_works_and_has_the_scopes_of_its_mode(
    tool: OperatorTool, service: Service, mode: str, left_out: set[str]
) -> None:
    made = create(tool, service, "--name", "Shop", mode=mode)

    assert made["id"].startswith("key_")
    assert made["key"].startswith(f"plt_{mode}_{made['id'].removeprefix('key_')}_")
    assert made["scopes"] == sorted({*SCOPES} - left_out)
    assert (made["mode"], made["name"], made["workspace"]) == (mode, "Shop", service.workspace)
    assert (made["expires_at"], made["revoked_at"]) == (None, None)
    assert listing(service, made["key"]).status == 200


@pytest.mark.parametrize(
    ("mode", "scopes", "named"),
    [
        ("test", ["email:write", "renders:read"], "email:write"),
        ("test", ["storage:write", "signed_links:write"], "storage:write, signed_links:write"),
        ("test", ["email:read", "webhooks:write"], None),
        ("live", ["email:write"], None),
        ("test", [], None),
    ],
)
def test_named_scopes_of_a_test_key_that_change_live_renders_are_given_and_told(
    tool: OperatorTool, service: Service, mode: str, scopes: list[str], named: str | None
) -> None:
    options = [word for scope in scopes for word in ("--scope", scope)]
    where = ("key", "create", "--workspace", service.workspace, "--mode", mode)

    done = tool.run(*where, *options, "--json")

    assert done.exit_code == 0
    made = json.loads(done.stdout)
    assert made["scopes"] == sorted(scopes) or not scopes
    if named is None:
        assert done.stderr == ""
    else:
        assert f"changes live behaviour: with {named} it" in done.stderr


def test_key_is_shown_once_and_kept_as_a_hash(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service)

    listed = tool.json("key", "list", "--workspace", service.workspace)
    stored = service.clients.dynamodb.scan(TableName=service.settings.main_table)["Items"]

    (row,) = [row for row in listed["data"] if row["id"] == made["id"]]
    assert row == {name: value for name, value in made.items() if name != "key"}
    assert made["key"].rpartition("_")[2] not in json.dumps(stored)


def test_table_shows_the_key_whole_on_a_narrow_terminal(
    tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")

    lines = tool.table("key", "create", "--workspace", service.workspace, "--mode", "live")
    listed = tool.table("key", "list", "--workspace", service.workspace)

    (key,) = [word for line in lines for word in line.split() if word.startswith("plt_live_")]
    assert listing(service, key).status == 200
    parsed = key_format.parse(key)
    assert parsed is not None
    assert any(f"key_{parsed.key_id}" in line for line in listed)


def test_key_is_limited_to_its_scopes(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service, "--scope", "renders:read", "--scope", "email:write")

    assert made["scopes"] == ["email:write", "renders:read"]
    assert listing(service, made["key"]).status == 200
    assert service.render(key=made["key"]).code == "insufficient_scope"


def test_expired_key_is_refused(tool: OperatorTool, service: Service) -> None:
    soon = format_rfc3339(service.clock.now() + dt.timedelta(hours=1))
    made = create(tool, service, "--expires", soon)

    assert made["expires_at"] == soon
    assert listing(service, made["key"]).status == 200
    service.clock.advance(hours=1)
    assert listing(service, made["key"]).code == "api_key_expired"


def test_expiry_is_shown_in_utc(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service, "--expires", "2099-01-31T01:00:00+02:00")

    assert made["expires_at"] == "2099-01-30T23:00:00.000Z"


def test_mapped_ip_range_becomes_an_ipv4_range(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service, "--allow-ip", "::ffff:203.0.113.0/120", "--allow-ip", "::/0")

    assert made["allow_ips"] == ["203.0.113.0/24", "::/0"]
    mapped = create(tool, service, "--allow-ip", "::ffff:203.0.113.9/128")["key"]
    read = service.call("GET", "/v1/renders", key=mapped, source_ip="203.0.113.9")
    assert read.status == 200
    assert listing(service, mapped).code == "ip_not_allowed"


def test_key_is_limited_to_its_ip_addresses(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service, "--allow-ip", "198.51.100.0/24", "--allow-ip", "2001:db8::/32")

    assert made["allow_ips"] == ["198.51.100.0/24", "2001:db8::/32"]
    assert listing(service, made["key"]).code == "ip_not_allowed"
    assert listing(service, made["key"], source_ip="198.51.100.1").status == 200
    assert listing(service, made["key"], source_ip="2001:db8::1").status == 200


def test_templates_of_a_key_are_stored(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service, "--template", "tpl_1", "--template", "tpl_2")

    assert made["templates"] == ["tpl_1", "tpl_2"]


@pytest.mark.parametrize("hours", [1, 24, 72])
def test_rolled_key_works_in_its_grace(tool: OperatorTool, service: Service, hours: int) -> None:
    old = create(tool, service)

    new = tool.json("key", "roll", old["id"], "--grace-h", str(hours))

    assert new["id"] == old["id"]
    assert new["key"] != old["key"]
    assert listing(service, old["key"]).status == 200
    assert listing(service, new["key"]).status == 200
    service.clock.advance(hours=hours, minutes=-1)
    assert listing(service, old["key"]).status == 200
    service.clock.advance(minutes=2)
    assert listing(service, old["key"]).code == "api_key_revoked"
    assert listing(service, new["key"]).status == 200


@pytest.mark.parametrize("grace", [(), ("--grace-h", "0")])
def test_rolled_key_without_grace_is_refused_at_once(
    tool: OperatorTool, service: Service, grace: tuple[str, ...]
) -> None:
    old = create(tool, service)

    new = tool.json("key", "roll", old["id"], *grace)

    service.clock.moment = SystemClock().now()
    assert listing(service, old["key"]).code == "api_key_revoked"
    assert listing(service, new["key"]).status == 200


def test_older_grace_period_never_outlasts_the_latest_roll(
    tool: OperatorTool, service: Service
) -> None:
    first = create(tool, service)
    second = tool.json("key", "roll", first["id"], "--grace-h", "24")
    third = tool.json("key", "roll", first["id"], "--grace-h", "1")
    assert listing(service, first["key"]).status == 200

    service.clock.advance(hours=2)

    assert listing(service, first["key"]).code == "api_key_revoked"
    assert listing(service, second["key"]).code == "api_key_revoked"
    assert listing(service, third["key"]).status == 200


def test_roll_keeps_every_secret_that_is_still_valid(service: Service) -> None:
    roll = service.operator.manage_keys.roll
    first = service.key("live")
    key_id = first.split("_")[2]
    rolled = [roll(key_id, grace_h=24).text for _ in range(29)]

    with pytest.raises(Conflict, match="roll it without one"):
        roll(key_id, grace_h=24)
    assert {listing(service, text).status for text in (first, *rolled)} == {200}
    service.clock.advance(hours=25)
    newest = roll(key_id).text

    assert listing(service, rolled[0]).code == "api_key_revoked"
    assert listing(service, newest).status == 200


def test_revoked_key_is_refused_at_once(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service)
    rolled = tool.json("key", "roll", made["id"], "--grace-h", "24")

    revoked = tool.json("key", "revoke", made["id"])

    service.clock.moment = SystemClock().now()
    assert revoked["revoked_at"] is not None
    assert "key" not in revoked
    assert listing(service, made["key"]).code == "api_key_revoked"
    assert listing(service, rolled["key"]).code == "api_key_revoked"


@pytest.mark.parametrize("command", ["roll", "revoke"])
def test_revoked_key_cannot_be_changed(tool: OperatorTool, service: Service, command: str) -> None:
    made = create(tool, service)
    tool.json("key", "revoke", made["id"])

    assert tool.refusal("key", command, made["id"])[0] == "conflict"


@pytest.mark.parametrize("command", ["roll", "revoke"])
def test_key_id_is_accepted_with_and_without_its_prefix(
    tool: OperatorTool, service: Service, command: str
) -> None:
    made = create(tool, service)

    assert tool.json("key", command, made["id"].removeprefix("key_"))["id"] == made["id"]


def test_keys_are_listed_newest_first(tool: OperatorTool, service: Service) -> None:
    workspace = tool.json("workspace", "create", "Acme")["id"]
    assert tool.table("key", "list", "--workspace", workspace) == ["none"]
    assert tool.json("key", "list", "--workspace", workspace) == {"data": []}

    keys = ("key", "create", "--workspace", workspace, "--mode", "test", "--name")
    made = [tool.json(*keys, name)["id"] for name in "ab"]

    assert [row["id"] for row in tool.json("key", "list", "--workspace", workspace)["data"]] == (
        made[::-1]
    )
    assert listing(service, service.live).status == 200


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "--workspace", "ws_none", "--mode", "live"),
        ("list", "--workspace", "ws_none"),
        ("roll", "key_none"),
        ("revoke", "key_none"),
    ],
)
def test_unknown_workspace_or_key_is_refused(
    tool: OperatorTool, arguments: tuple[str, ...]
) -> None:
    code, reason = tool.refusal("key", *arguments)

    assert code == "not_found"
    assert "none" in reason


@pytest.mark.parametrize(
    "options",
    [
        ("--expires", "tomorrow"),
        ("--expires", "2099-01-31T00:00:00"),
        ("--allow-ip", "10.0.0.1/8"),
        ("--allow-ip", "everywhere"),
        ("--expires", "2026-01-01T00:00:00Z"),
        ("--allow-ip", "fe80::1%eth0"),
    ],
)
def test_invalid_value_is_refused(
    tool: OperatorTool, service: Service, options: tuple[str, ...]
) -> None:
    before = tool.json("key", "list", "--workspace", service.workspace)

    refusal = tool.refusal(
        "key", "create", "--workspace", service.workspace, "--mode", "live", *options
    )

    assert refusal[0] == "validation_error"
    assert tool.json("key", "list", "--workspace", service.workspace) == before


def test_last_use_of_a_key_is_written_once_an_hour(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service)
    writes: list[str] = []
    service.clients.dynamodb.meta.events.register(
        "before-call.dynamodb.UpdateItem", lambda params, **_: writes.append(str(params["body"]))
    )

    for _ in range(3):
        assert listing(service, made["key"]).status == 200
        service.clock.advance(minutes=25)
    assert listing(service, made["key"]).status == 200

    assert sum("last_used_at" in write for write in writes) == 2
    (row,) = [row for row in keys_of(tool, service) if row["id"] == made["id"]]
    assert row["last_used_at"] == format_rfc3339(service.clock.now())


def test_key_unused_for_90_days_is_flagged(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service)
    key = service.operator.keys.find(made["id"].removeprefix("key_"))
    assert key is not None

    def is_flagged_after(days: float) -> bool:
        return is_unused(key, key.created_datetime + dt.timedelta(days=days))

    assert (is_flagged_after(89.9), is_flagged_after(90)) == (False, True)
    assert not is_unused(replace(key, revoked_at=key.created_datetime), SystemClock().now())
    assert [row["unused"] for row in keys_of(tool, service) if row["id"] == made["id"]] == [False]


def keys_of(tool: OperatorTool, service: Service) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tool.json("key", "list", "--workspace", service.workspace)["data"]
    return rows


def test_member_has_the_keys_of_their_role(tool: OperatorTool, service: Service) -> None:
    service.operator.manage_members.add(service.workspace, "dev@example.com", "developer")
    service.operator.manage_members.add(service.workspace, "admin@example.com", "admin")
    theirs = create(tool, service, "--as", "Dev@Example.com")
    operators = create(tool, service)

    def listed(*options: str) -> set[str]:
        rows = tool.json("key", "list", "--workspace", service.workspace, *options)["data"]
        return {row["id"] for row in rows}

    assert (theirs["created_by"], operators["created_by"]) == ("dev@example.com", None)
    assert listed("--as", "dev@example.com") == {theirs["id"]}
    assert listed("--as", "admin@example.com") == listed() > {theirs["id"], operators["id"]}
    for command in ("roll", "revoke"):
        refusal = tool.refusal("key", command, operators["id"], "--as", "dev@example.com")
        assert refusal[0] == "not_found"
    tool.json("key", "roll", theirs["id"], "--as", "dev@example.com")
    tool.json("key", "revoke", theirs["id"], "--as", "dev@example.com")
    tool.json("key", "revoke", operators["id"], "--as", "admin@example.com")


def test_stranger_has_no_keys(tool: OperatorTool, service: Service) -> None:
    made = create(tool, service)

    for command in (["list", "--workspace", service.workspace], ["revoke", made["id"]]):
        code, detail = tool.refusal("key", *command, "--as", "eve@example.com")
        assert (code, detail.partition(" of ")[0]) == ("not_found", "eve@example.com is no member")
    command = ["list", "--workspace", service.workspace, "--as", "no address"]
    assert tool.refusal("key", *command)[0] == "validation_error"
