"""Renders with more files than the row of a render has receipts of."""

from collections import Counter
from typing import Any, Final

from chalicelib.engine.context import RenderedFile
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.storage_uploads import (
    receipts,
    render_to,
)

COUNT: Final = 70


def parts(count: int = COUNT) -> tuple[RenderedFile, ...]:
    return tuple(
        RenderedFile("pdf", b"%%PDF %d" % n, "application/pdf", pages=1, part=n)
        for n in range(1, count + 1)
    )


def render_many(service: Service, *targets: str | dict[str, Any], **fields: Any) -> ApiAnswer:
    """Render more files than the row of a render has receipts of."""
    service.engine.files = parts()
    return render_to(service, *targets, output={"filename": "x"}, **fields)


def statuses(service: Service, rendered: ApiAnswer) -> Counter[str]:
    return Counter(each["status"] for each in receipts(service, rendered))


def rows(service: Service, rendered: ApiAnswer, prefix: str) -> list[dict[str, Any]]:
    return [row for row in service.rows(rendered.json["id"]) if row["SK"].startswith(prefix)]
