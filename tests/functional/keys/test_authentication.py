"""Authentication over HTTP: every reason to refuse a key."""

import datetime as dt
from copy import replace

import pytest

from chalicelib.api.edge.app import App
from chalicelib.features.workspaces.keys import key_format
from chalicelib.features.workspaces.keys.model import StoredSecret
from tests.builders.http import request
from tests.fakes import api_resource
from tests.fakes.api_services import NOW, FakeApiServices


@pytest.fixture
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture
def app(services: FakeApiServices) -> App:
    return App([api_resource.blueprint], lambda: services)


def test_valid_key_is_accepted_in_either_header(app: App, services: FakeApiServices) -> None:
    key = services.key()

    for headers in (
        {"Authorization": f"Bearer {key}"},
        {"authorization": f"bearer   {key} "},
        {"X-API-Key": key},
        {"x-api-key": key, "Authorization": f"Bearer {key}"},
    ):
        answer = request(app, "GET", "/v1/chairs/1", headers=headers)
        assert answer.status == 200
        assert answer.json["caller"] == next(iter(services.workspaces))


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer "}, {"X-API-Key": " "}])
def test_missing_key_is_refused(app: App, headers: dict[str, str]) -> None:
    answer = request(app, "GET", "/v1/chairs/1", headers=headers)

    assert (answer.status, answer.code) == (401, "authentication_required")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def _other_mode(key: str) -> str:
    return key.replace("_test_", "_live_")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda key: key[:-1],
        lambda key: key + "a",
        lambda key: key[:-1] + ("a" if key[-1] != "a" else "b"),
        lambda key: key.replace("plt_", "sk_"),
        lambda key: key.upper(),
        lambda key: key[:10] + key[11:],
        lambda key: key + "\u00e9",
        lambda _: "x" * 8000,
        lambda _: "Basic",
        _other_mode,
    ],
)
def test_malformed_key_is_refused_without_a_lookup(
    app: App, services: FakeApiServices, spoil: object
) -> None:
    assert callable(spoil)
    key = services.key()
    services.keys.find_with_workspace = None  # type: ignore[assignment, method-assign]

    answer = request(app, "GET", "/v1/chairs/1", key=spoil(key))

    assert (answer.status, answer.code) == (401, "invalid_api_key")


def test_key_of_another_mode_is_refused(app: App, services: FakeApiServices) -> None:
    stored = key_format.parse(services.key())
    assert stored is not None
    forged = key_format.generate("live", key_id=stored.key_id).text

    answer = request(app, "GET", "/v1/chairs/1", key=forged)

    assert (answer.status, answer.code) == (401, "invalid_api_key")


@pytest.mark.parametrize("scheme", ["Basic", "Token", "plt"])
def test_other_schemes_are_refused(app: App, services: FakeApiServices, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {services.key()}"}

    answer = request(app, "GET", "/v1/chairs/1", headers=headers)

    assert (answer.status, answer.code) == (401, "invalid_api_key")


def test_two_different_keys_are_refused(app: App, services: FakeApiServices) -> None:
    workspace = services.workspace()
    headers = {
        "Authorization": f"Bearer {services.key(workspace)}",
        "X-API-Key": services.key(workspace),
    }

    answer = request(app, "GET", "/v1/chairs/1", headers=headers)

    assert (answer.status, answer.code) == (401, "invalid_api_key")


@pytest.mark.parametrize("name", ["Authorization", "X-API-Key"])
def test_a_header_with_two_keys_is_refused_and_with_one_key_twice_taken(
    app: App, services: FakeApiServices, name: str
) -> None:
    workspace = services.workspace()
    prefix = "Bearer " if name == "Authorization" else ""
    first, second = (prefix + services.key(workspace) for _ in range(2))

    both = request(app, "GET", "/v1/chairs/1", headers={name: (first, second)})
    twice = request(app, "GET", "/v1/chairs/1", headers={name: (first, first)})

    assert (both.status, both.code) == (401, "invalid_api_key")
    assert twice.status == 200


def test_unknown_key_and_wrong_secret_get_the_same_answer(
    app: App, services: FakeApiServices
) -> None:
    known = key_format.parse(services.key())
    assert known is not None
    wrong_secret = key_format.generate("test", key_id=known.key_id).text
    unknown = key_format.generate("test").text

    answers = [request(app, "GET", "/v1/chairs/1", key=key) for key in (wrong_secret, unknown)]

    assert [answer.code for answer in answers] == ["invalid_api_key"] * 2
    assert answers[0].json["detail"] == answers[1].json["detail"]


def test_wrong_secret_does_not_reveal_a_revoked_key(app: App, services: FakeApiServices) -> None:
    known = key_format.parse(services.key(revoked_at=NOW, expires_at=NOW))
    assert known is not None
    wrong_secret = key_format.generate("test", key_id=known.key_id).text

    assert request(app, "GET", "/v1/chairs/1", key=wrong_secret).code == "invalid_api_key"


def test_key_expires_exactly_at_its_time(app: App, services: FakeApiServices) -> None:
    key = services.key(expires_at=NOW + dt.timedelta(seconds=1))

    assert request(app, "GET", "/v1/chairs/1", key=key).status == 200
    services.clock.advance(seconds=1)
    answer = request(app, "GET", "/v1/chairs/1", key=key)
    assert (answer.status, answer.code) == (401, "api_key_expired")


def test_revoked_key_is_refused(app: App, services: FakeApiServices) -> None:
    answer = request(app, "GET", "/v1/chairs/1", key=services.key(revoked_at=NOW))

    assert (answer.status, answer.code) == (401, "api_key_revoked")


@pytest.mark.parametrize("grace_h", [0, 1, 24, 72])
def test_rolled_key_works_until_its_grace_ends(
    app: App, services: FakeApiServices, grace_h: int
) -> None:
    old = services.key()
    stored = next(iter(services.keys.values()))
    new = key_format.generate("test", key_id=stored.id)
    until = NOW + dt.timedelta(hours=grace_h)
    secrets = (StoredSecret(new.sha256_hex), replace(stored.secrets[0], until=until))
    services.keys[stored.id] = replace(stored, secrets=secrets)

    if grace_h:
        services.clock.advance(hours=grace_h, seconds=-1)
        assert request(app, "GET", "/v1/chairs/1", key=old).status == 200
        services.clock.advance(seconds=1)
    answer = request(app, "GET", "/v1/chairs/1", key=old)
    assert (answer.status, answer.code) == (401, "api_key_revoked")
    assert request(app, "GET", "/v1/chairs/1", key=new.text).status == 200


def test_revoking_ends_the_grace_too(app: App, services: FakeApiServices) -> None:
    old = services.key(revoked_at=NOW)
    stored = next(iter(services.keys.values()))
    later = NOW + dt.timedelta(hours=24)
    services.keys[stored.id] = replace(stored, secrets=(replace(stored.secrets[0], until=later),))

    assert request(app, "GET", "/v1/chairs/1", key=old).code == "api_key_revoked"


@pytest.mark.parametrize(
    ("scopes", "method", "target", "status"),
    [
        ({"renders:read"}, "GET", "/v1/chairs/1", 200),
        ({"render:write", "renders:delete"}, "GET", "/v1/chairs/1", 403),
        ({"webhooks:read"}, "GET", "/v1/chairs", 200),
        ({"webhooks:write"}, "GET", "/v1/chairs", 200),
        ({"templates:write"}, "GET", "/v1/chairs", 403),
        (set(), "POST", "/v1/chairs/1/fold", 403),
    ],
)
def test_scopes(
    app: App,
    services: FakeApiServices,
    scopes: set[str],
    method: str,
    target: str,
    status: int,
) -> None:
    key = services.key(scopes=frozenset(scopes))

    answer = request(app, method, target, key=key)

    assert answer.status == status
    if status == 403:
        assert answer.code == "insufficient_scope"


@pytest.mark.parametrize(
    ("of_key", "of_workspace", "source_ip", "allowed"),
    [
        (("203.0.113.0/24",), (), "203.0.113.7", True),
        (("203.0.113.7/32",), (), "::ffff:203.0.113.7", True),
        (("203.0.113.8/32",), (), "203.0.113.7", False),
        ((), ("198.51.100.0/24",), "203.0.113.7", False),
        (("203.0.113.0/24",), ("198.51.100.0/24",), "203.0.113.7", False),
        (("203.0.113.0/24",), ("0.0.0.0/0",), "203.0.113.7", True),
        (("0.0.0.0/0",), (), "2001:db8::1", False),
        (("2001:db8::/32", "203.0.113.0/24"), (), "2001:db8::1", True),
        (("0.0.0.0/0",), (), "", False),
    ],
)
def test_ip_allowlists(
    app: App,
    services: FakeApiServices,
    of_key: tuple[str, ...],
    of_workspace: tuple[str, ...],
    source_ip: str,
    allowed: bool,  # noqa: FBT001 -- a column of the table
) -> None:
    key = services.key(services.workspace(allow_ips=of_workspace), allow_ips=of_key)

    answer = request(app, "GET", "/v1/chairs/1", key=key, source_ip=source_ip)

    assert answer.status == (200 if allowed else 403)
    if not allowed:
        assert answer.code == "ip_not_allowed"
        assert not source_ip or source_ip not in answer.body.decode()


@pytest.mark.parametrize(
    "header",
    ["X-Forwarded-For", "Forwarded", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP"],
)
def test_forwarded_headers_cannot_spoof_the_ip_address(
    app: App, services: FakeApiServices, header: str
) -> None:
    key = services.key(allow_ips=("10.0.0.1/32",))

    answer = request(app, "GET", "/v1/chairs/1", key=key, headers={header: "10.0.0.1"})

    assert answer.code == "ip_not_allowed"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("suspended", "workspace_suspended"),
        ("deletion_scheduled", "workspace_deletion_scheduled"),
    ],
)
def test_suspended_and_deleting_workspaces_are_refused(
    app: App, services: FakeApiServices, status: str, code: str
) -> None:
    key = services.key(services.workspace(status=status))

    answer = request(app, "GET", "/v1/chairs/1", key=key)

    assert (answer.status, answer.code) == (403, code)


def test_key_without_a_workspace_is_unknown(app: App, services: FakeApiServices) -> None:
    key = services.key()
    services.workspaces.clear()

    assert request(app, "GET", "/v1/chairs/1", key=key).code == "invalid_api_key"
