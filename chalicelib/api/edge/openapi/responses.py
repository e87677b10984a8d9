"""Responses with a problem: each a component, which all operations with the same codes have."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from chalicelib.api.edge.endpoint import JSON, Endpoint
from chalicelib.api.edge.openapi import objects as oas
from chalicelib.api.edge.openapi.examples import problem_references
from chalicelib.api.edge.openapi.headers import common_headers
from chalicelib.api.edge.problems import PROBLEM_JSON
from chalicelib.core.problems import PROBLEMS, Problem

_RESPONSES: Final = "#/components/responses/"
_KEY_PROBLEMS: Final = (
    "authentication_required",
    "invalid_api_key",
    "api_key_expired",
    "api_key_revoked",
    "insufficient_scope",
    "ip_not_allowed",
    "workspace_suspended",
    "workspace_deletion_scheduled",
    "rate_limited",
)
_BODY_PROBLEMS: Final = (
    "invalid_json",
    "validation_error",
    "payload_too_large",
    "unsupported_media_type",
)
_RETRY_STATUSES: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
# A response of more codes is named after its status, or its first operation.
_MAX_NAMED_CODES: Final = 2
# Codes that endpoints have without naming them.
_GENERAL_PROBLEMS: Final = {*_KEY_PROBLEMS, *_BODY_PROBLEMS}


class ProblemResponses:
    """The problem responses of the operations written so far, by their names in `components`."""

    def __init__(self) -> None:
        self.components: dict[str, oas.Response] = {}
        self._names: dict[tuple[bool, tuple[str, ...]], str] = {}

    @property
    def codes(self) -> set[str]:
        """Return the codes of all responses."""
        return {code for _, codes in self._names for code in codes}

    def references(self, row: Endpoint, schema: oas.Schema) -> dict[str, oas.Response]:
        """Return the references of an operation's problem responses, by status."""
        by_status: dict[int, list[Problem]] = {}
        for code in sorted(_problem_codes(row)):
            by_status.setdefault(PROBLEMS[code].http_status, []).append(PROBLEMS[code])
        return {
            str(status): {
                "$ref": _RESPONSES + self._name(row, HTTPStatus(status), problems, schema)
            }
            for status, problems in sorted(by_status.items())
        }

    def _name(
        self, row: Endpoint, status: HTTPStatus, problems: Sequence[Problem], schema: oas.Schema
    ) -> str:
        """Return the name of a response, which is made for its first operation."""
        key = row.auth.scope is None, tuple(problem.code for problem in problems)
        if key not in self._names:
            name = _name_of(row, status, key[1])
            assert name not in self.components, name
            self._names[key] = name
            self.components[name] = _response(row, status, problems, schema)
        return self._names[key]


def _name_of(row: Endpoint, status: HTTPStatus, codes: Sequence[str]) -> str:
    if len(codes) <= _MAX_NAMED_CODES:
        name = "Or".join(map(_camel, codes))
    elif set(codes) <= _GENERAL_PROBLEMS:
        name = _camel(status.name)
    else:
        name = row.operation_id[0].upper() + row.operation_id[1:] + _camel(status.name)
    return name if row.auth.scope is not None else f"Public{name}"


def _response(
    row: Endpoint, status: HTTPStatus, problems: Sequence[Problem], schema: oas.Schema
) -> oas.Response:
    lines = [f"- `{problem.code}`: {problem.title}." for problem in problems]
    headers = common_headers(row)
    if status in _RETRY_STATUSES:
        headers["Retry-After"] = {"$ref": "#/components/headers/Retry-After"}
    return {
        "description": "\n".join([status.phrase, "", *lines]),
        "headers": headers,
        "content": {
            PROBLEM_JSON: {
                "schema": schema,
                "examples": problem_references(problem.code for problem in problems),
            }
        },
    }


def _problem_codes(row: Endpoint) -> list[str]:
    codes = [*row.problems, "internal_error"]
    if row.has_tail:
        codes.append("not_found")
    if row.auth.scope is not None:
        codes += [*_KEY_PROBLEMS, "region_degraded"]
    if row.body is not None or row.media_types != (JSON,):
        codes += _BODY_PROBLEMS
    elif not row.takes_raw_query and row.query_error_code == "validation_error":
        # Of a parameter that is unknown or sent twice.
        codes.append("validation_error")
    if row.query is not None:
        codes.append(row.query_error_code)
    if row.takes_idempotency_key:
        codes += ["idempotency_in_progress", "idempotency_key_reused"]
    return list(dict.fromkeys(codes))


def _camel(name: str) -> str:
    return "".join(map(str.capitalize, name.split("_")))
