"""Public contract: error codes, endpoints and their description agree."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from chalice.deploy.swagger import CFNSwaggerGenerator
from openapi_spec_validator import OpenAPIV31SpecValidator

from chalicelib.api import routes
from chalicelib.api.edge.app import CATCH_ALL_PATHS, METHODS
from chalicelib.api.edge.endpoint import Endpoint, endpoints_of
from chalicelib.api.routes import ENDPOINTS
from chalicelib.core.problems import PROBLEMS
from chalicelib.core.version import VERSION
from chalicelib.features.workspaces.keys.model import SCOPES
from infra import openapi
from tests.architecture.contract_codes import CODES, NOT_RETRYABLE
from tests.fakes import api_resource

ROOT = Path(routes.__file__).parents[2]
PUBLIC = {
    "GET /healthz",
    "GET /v1/openapi.json",
    "GET /",
    "GET /docs",
    "GET /health",
    "GET /version",
    "GET /errors",
    "GET /errors/{code}",
    "GET /assets/{version}/{name}",
    "GET /console",
    "GET /console/{path+}",
    "GET /guides",
    "GET /guides/{path+}",
    "GET /files/{file_id}/{filename}",
    "GET /l/{link_id}/{file}",
    "POST /v1/provider-events/{connection_id}/{token}",
}
# POSTs that try, read, change or end what is there.
MAKES_NOTHING = {
    "/v1/renders/preflight",
    "/v1/renders/{id}/cancel",
    "/v1/batches/{id}/cancel",
    "/v1/batches/{id}/retry-failed",
    "/v1/einvoices/preflight",
    "/v1/einvoices/validate",
    "/v1/templates/{id}/restore",
    "/v1/templates/{id}/lock",
    "/v1/templates/{id}/unlock",
    "/v1/templates/{id}/infer-schema",
    "/v1/templates/{id}/compare",
    "/v1/email-connections/{id}/test",
    "/v1/email-rules/preview",
    "/v1/email-rules/{id}/preview",
    "/v1/email-rules/{id}/test",
    "/v1/storage-destinations/{id}/test",
    "/v1/signed-links/{id}/sign",
    "/v1/webhook-endpoints/{id}/roll-secret",
    "/v1/webhook-endpoints/{id}/test",
    "/v1/webhook-deliveries/{id}/replay",
    "/v1/provider-events/{connection_id}/{token}",
}
# Rooms of the API without routes.
NO_ROUTES = {"edge", "pages"}
HEAVY = ("lxml", "pikepdf", "PIL", "jinja2", "httpx", "pydantic.main")


def test_catalogue_equals_the_contract() -> None:
    assert {code: problem.status for code, problem in PROBLEMS.items()} == CODES


def test_every_code_explains_meaning_and_remedy() -> None:
    for problem in PROBLEMS.values():
        assert problem.title
        assert not problem.title.endswith(".")
        assert problem.meaning.endswith(".")
        assert problem.fix.endswith(".")


def test_retryable_problems_match_their_status() -> None:
    wrong = [p.code for p in PROBLEMS.values() if p.retryable and p.status in NOT_RETRYABLE]

    assert not wrong
    assert all(PROBLEMS[code].retryable for code in CODES if CODES[code] in (500, 503))


def test_published_description_is_current() -> None:
    assert openapi.TARGET.read_text(encoding="utf-8") == openapi.openapi_text(), "run: make openapi"


def test_published_description_is_valid() -> None:
    document = json.loads(openapi.TARGET.read_text(encoding="utf-8"))

    assert [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_every_module_of_the_api_is_listed() -> None:
    folder = Path(routes.__file__).parent
    paths = [
        path for path in folder.rglob("*.py") if not NO_ROUTES & set(path.relative_to(folder).parts)
    ]
    modules = {path.stem for path in paths} - {"__init__", "routes"}

    assert {row.view.__module__.rpartition(".")[2] for row in ENDPOINTS} == {
        name for name in modules if not name.startswith("_")
    }


def test_operation_ids_are_unique_and_name_what_they_do() -> None:
    document = json.loads(openapi.TARGET.read_text(encoding="utf-8"))
    paths = [*document["paths"].values(), *document["webhooks"].values()]
    ids = [operation["operationId"] for path in paths for operation in path.values()]

    assert len(set(ids)) == len(ids)
    # A verb and what it is done to; no names of modules.
    assert [name for name in ids if not re.fullmatch("[a-z]+([A-Z][a-z0-9]+)+", name)] == []


def test_rooms_of_the_api_are_those_of_the_contract() -> None:
    rooms = {
        layer: {path.parent.name for path in (ROOT / "chalicelib" / layer).glob("*/*.py")}
        for layer in ("api", "contract")
    }

    # The forms of Gotenberg become requests of other rooms (decision 78).
    assert rooms["api"] - NO_ROUTES - {"gotenberg"} <= rooms["contract"]


@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: f"{row.method} {row.path}")
def test_every_endpoint_is_described_and_guarded(row: Endpoint) -> None:
    assert row.summary
    assert row.tag
    assert set(row.problems) <= set(PROBLEMS)
    assert all(row.answers)
    assert row.body_model is None or row.body
    if row.auth.scope is None:
        assert f"{row.method} {row.path}" in PUBLIC
    else:
        assert row.auth.scope in SCOPES


def test_every_post_takes_an_idempotency_key_but_those_that_make_nothing() -> None:
    posts = {row.path: row for row in ENDPOINTS if row.method == "POST"}
    tools = {
        path for path in posts if path.startswith("/v1/pdf-tools/") and path.endswith("/preflight")
    }
    without = {path for path, row in posts.items() if not row.takes_idempotency_key}

    assert without - tools == MAKES_NOTHING
    assert not any(row.takes_idempotency_key for row in ENDPOINTS if row.method != "POST")
    assert not any(row.idempotent and row.creates for row in posts.values())


def test_version_equals_the_project_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["version"] == VERSION


def test_api_function_loads_nothing_heavy() -> None:
    script = f"import sys, app; print(*(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == []


def test_gateway_template_takes_every_method_of_every_path() -> None:
    import app  # noqa: PLC0415 -- the API function itself

    template = CFNSwaggerGenerator().generate_swagger(app.app)

    assert set(template["paths"]) == {row.path for row in ENDPOINTS} | set(CATCH_ALL_PATHS)
    for methods in template["paths"].values():
        assert {method.upper() for method in methods} == set(METHODS)
        assert all("security" not in entry for entry in methods.values())


def test_test_resource_covers_every_kind_of_endpoint() -> None:
    rows = endpoints_of([api_resource.blueprint])

    assert {row.auth.scope is None for row in rows} == {True, False}
    assert any(row.idempotent for row in rows)
