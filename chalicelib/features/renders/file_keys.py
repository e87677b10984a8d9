"""Object keys of the files of a render's attempts."""

from collections.abc import Iterator

from chalicelib.engine.delivery.emails import contents_key
from chalicelib.features.renders.model import Render


def file_key(render: Render, attempt: int, index: int, extension: str) -> str:
    """Return the object key of an attempt's file; keys of two attempts never collide."""
    return f"{files_folder(render)}{attempt}-{index}.{extension}"


def files_folder(render: Render) -> str:
    """Return the common prefix of the object keys of a render's files."""
    return f"ws/{render.workspace_id}/files/{render.id}/"


def attempt_object_keys(render: Render) -> Iterator[str]:
    """Yield the object keys at which a render may have files, of any attempt, and what has them."""
    for attempt in range(1, render.attempt + 1):
        formats = render.announced.get(str(attempt), render.requested_formats)
        for n, format_ in enumerate(formats):
            yield file_key(render, attempt, n, format_)
    if render.email_count:
        yield contents_key(render.workspace_id, render.id)
    if render.delivery == "base64":
        yield answer_key(render)


def answer_key(render: Render) -> str:
    """Return the object key of an answer with files in base64 that is fetched by its address."""
    return f"tmp/answers/{render.workspace_id}/{render.id}"
