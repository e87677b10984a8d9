"""CORS of the bucket: which pages may read its answers, as its rules say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class CorsRule:
    """Rule of a bucket: origins, methods and headers, with `*` for any text."""

    origins: Sequence[str]
    methods: Sequence[str]
    headers: Sequence[str] = ()
    exposed: Sequence[str] = ()
    max_age_s: int | None = None


def cors_headers(
    rules: Sequence[CorsRule], method: str, headers: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the headers that the first rule for a request adds to its answer; none without one."""
    origin = headers.get("origin")
    is_preflight = method == "OPTIONS"
    asked_method = headers.get("access-control-request-method") if is_preflight else method
    names = headers.get("access-control-request-headers", "") if is_preflight else ""
    asked = [name.strip().lower() for name in names.split(",") if name.strip()]
    for rule in rules:
        if (
            origin is not None
            and _matches(origin, rule.origins)
            and asked_method in rule.methods
            and all(_matches(name, [each.lower() for each in rule.headers]) for name in asked)
        ):
            return _headers_of(rule, origin, asked)
    return {}


def _headers_of(rule: CorsRule, origin: str, asked: Sequence[str]) -> Mapping[str, str]:
    given = {
        "access-control-allow-origin": "*" if "*" in rule.origins else origin,
        "access-control-allow-methods": ", ".join(rule.methods),
        "vary": "Origin",
    }
    if asked:
        given["access-control-allow-headers"] = ", ".join(asked)
    if rule.exposed:
        given["access-control-expose-headers"] = ", ".join(rule.exposed)
    if rule.max_age_s is not None:
        given["access-control-max-age"] = str(rule.max_age_s)
    return given


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)
