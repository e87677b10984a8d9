"""Checks of the service: its tables, bucket and queues, readiness, and the public URL."""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final

from chalicelib.core.version import VERSION
from infra.operator.doctor.findings import Finding

_TIMEOUT_S: Final = 10.0
# Signatures of S3 and of webhooks bear five minutes; certificates and links less.
_MAX_OFFSET_S: Final = 60.0
_NOTED_OFFSET_S: Final = 5.0


def check_state(parts: Mapping[str, Callable[[], object]]) -> Iterator[Finding]:
    """Yield whether each part of the state answers: tables, bucket, queues."""
    for name, ask in parts.items():
        started = time.monotonic()
        try:
            ask()
        except Exception as error:  # noqa: BLE001 -- any fault is the finding
            yield Finding(
                name,
                "error",
                f"it does not answer: {type(error).__name__}: {error}",
                "look at the service's log; if it is a server of your own, at its address and key",
            )
        else:
            yield Finding(name, "ok", f"it answers in {(time.monotonic() - started) * 1000:.0f} ms")


def check_readiness(own_url: str) -> Iterator[Finding]:
    """Yield what `/readyz` says at the service's own port."""
    status, _, body = _get(f"{own_url}/readyz")
    try:
        missing = json.loads(body)["missing"]
    except (ValueError, KeyError, TypeError):
        yield Finding(
            "readiness",
            "error",
            f"{own_url}/readyz answers {status}, not as this service does",
            "restart the service with this release",
        )
        return
    if not missing:
        yield Finding("readiness", "ok", "everything serves")
    for part in missing:
        yield Finding("readiness", "error", f"{part['part']}: {part['detail']}", "see its check")


def check_public_url(base_url: str, now: Callable[[], float] = time.time) -> Iterator[Finding]:
    """Yield whether the public URL leads to this release, and how its clock differs from ours."""
    url = f"{base_url.removesuffix('/v1')}/healthz"
    try:
        status, date, body = _get(url)
    except OSError as error:
        yield Finding(
            "public URL",
            "error",
            f"{url} is not reached: {getattr(error, 'reason', error)}",
            "check the name in the DNS, the proxy and its certificate, or PLATEN_BASE_URL",
        )
        return
    yield _health_finding(url, status, body)
    if date is not None:
        yield _offset_finding(date - now(), url)


def _health_finding(url: str, status: int, body: bytes) -> Finding:
    try:
        health: Any = json.loads(body)
        version, state = health["version"], health["status"]
        failing = [name for name, outcome in health["checks"].items() if outcome == "failing"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return Finding(
            "public URL",
            "error",
            f"{url} answers {status}, and not as this service does",
            "let the proxy pass on all paths to the service's port, or correct PLATEN_BASE_URL",
        )
    if state != "ok":
        detail = f"{url} answers {status}, failing: {', '.join(failing)}"
        return Finding("public URL", "error", detail, "see the checks of these parts")
    if version != VERSION:
        detail = f"{url} is release {version}, this command {VERSION}"
        return Finding("public URL", "warning", detail, "restart the service with this release")
    return Finding("public URL", "ok", f"{url} answers")


def _offset_finding(offset_s: float, url: str) -> Finding:
    # The header has whole seconds.
    if abs(offset_s) <= _NOTED_OFFSET_S:
        return Finding("clock: answers", "ok", "it agrees with the clock of the public URL")
    return Finding(
        "clock: answers",
        "error" if abs(offset_s) > _MAX_OFFSET_S else "warning",
        f"{url} is {offset_s:+.0f} s off the clock of this machine",
        "synchronize both clocks (chrony, systemd-timesyncd): signatures need the time",
    )


def _get(url: str) -> tuple[int, float | None, bytes]:
    """Return status, time of the Date header (Unix seconds) and body; raises OSError."""
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:  # noqa: S310 -- http(s) only
            return answer.status, _date(answer.headers.get("Date")), answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, _date(refused.headers.get("Date")), refused.read()


def _date(header: str | None) -> float | None:
    try:
        return None if header is None else parsedate_to_datetime(header).timestamp()
    except ValueError:
        return None


def read_run_files(folder: Path) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """Return the run file and the endpoints of the service that runs on a folder, or None."""
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        details = json.loads((folder / "endpoints.json").read_text(encoding="utf-8"))
        os.kill(run["pid"], 0)
    except (OSError, ValueError, KeyError):
        return None
    return run, details
