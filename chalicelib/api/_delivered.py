"""The answer that a finished render is delivered with: the render, or the file itself."""

import base64
from collections.abc import Mapping
from typing import Final

from chalicelib.api._endpoint import Call, Reply
from chalicelib.core.errors import ServiceError
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.clear import keys_of_file
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.protocol import MAX_RETURNED_BYTES
from chalicelib.features.renders.run_now import Ran

# What is no document of its own, but one in base64.
_BASE64: Final = "text/plain"


def delivered(call: Call, ran: Ran, headers: Mapping[str, str]) -> Reply:
    """Answer with a render that succeeded, in the way that its delivery asks for.

    A repeat of a request with zero retention gets the render: the file was nowhere kept.
    """
    render = ran.render
    if render.answers_file and not (render.zero_retention and ran.content is None):
        return _file(call, ran, {**headers, "X-Render-Id": render.id})
    shown = call.services.present_render(render, addressed=render.delivery == "url")
    return Reply(200, shown, headers=headers)


def _file(call: Call, ran: Ran, headers: Mapping[str, str]) -> Reply:
    render = ran.render
    if ran.content is not None:
        return _body(render, render.files[0], ran.content, headers)
    if not render.files or render.files_purged_at is not None:
        raise _gone()
    file = render.files[0]
    if file.bytes > MAX_RETURNED_BYTES:
        return Reply(303, headers={**headers, "Location": _location(call, render, file)})
    content = call.services.objects.get(file.key)
    if content is None:
        raise _gone()
    return _body(render, file, base64.b64encode(content).decode(), headers)


def _location(call: Call, render: Render, file: StoredFile) -> str:
    if render.delivery == "base64":
        key = keys_of_file(render, file.key)[-1]
        return call.services.addresses.direct_to(key, _BASE64, "inline")
    return call.services.addresses.direct(file)


def _body(render: Render, file: StoredFile, content: str, headers: Mapping[str, str]) -> Reply:
    if render.delivery == "base64":
        return Reply(200, content, _BASE64, headers)
    shown_as = {**headers, "Content-Disposition": file.disposition}
    return Reply(200, content, file.content_type, shown_as, in_base64=True)


def _gone() -> ServiceError:
    return ServiceError("file_expired", "The file of this render is no longer kept.")
