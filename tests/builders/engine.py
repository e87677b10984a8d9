"""Jobs for the engine, and what it works with where a test has no use for the real thing."""

import socket
import time
from collections.abc import Mapping
from typing import Any

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import Html, Job
from chalicelib.engine.options.output import Output
from chalicelib.engine.outside import AddressRefused, Fetched


class NoTemplates:
    """Templates for documents that are none."""

    def render(
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        deadline: float,
        escape: bool = True,
    ) -> str:
        raise AssertionError(source, data, strict, deadline, escape)


class NoOutside:
    """A world in which every address is refused."""

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:  # noqa: ARG002
        raise AddressRefused(f"{host}:{port} may not be reached")

    def fetch(
        self,
        url: str,
        *,
        most_bytes: int,  # noqa: ARG002
        timeout_s: float,  # noqa: ARG002
        secure: bool = False,  # noqa: ARG002
    ) -> Fetched:
        raise AddressRefused(f"{url} may not be reached")


def no_uploads(upload_id: str) -> bytes:
    raise RenderFailure("upload_not_found", upload_id)


def job(
    html: str,
    output: Mapping[str, Any] | None = None,
    *,
    head: str | None = None,
    templating: bool = False,
    seconds: float = 20,
    **parts: Any,
) -> Job:
    """Return a job for a document with `seconds` left."""
    fields = {"uploads": no_uploads, **parts}
    return Job(
        source=Html(html, head, templating),
        output=Output.from_json(output or {}),
        deadline=time.time() + seconds,
        **fields,
    )
