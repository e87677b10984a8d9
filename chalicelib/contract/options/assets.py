"""Assets: files of the request that its document names by relative addresses."""

import re
from typing import Final
from urllib.parse import unquote

from chalicelib.contract.options import values
from chalicelib.contract.options.base import Options

MAX_ASSETS: Final = 50
MAX_ASSET_BYTES: Final = 20_000_000
MAX_ASSET_PATH_CHARS: Final = 255
# Compiled at their first use, which is none in a cold start (decision 7).
_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.-]*:"
_CONTROL: Final = r"[\x00-\x1f\x7f]"


class PageAsset(Options, frozen=True, kw_only=True):
    """File beside the document: an upload, or `content` in base64."""

    path: values.AssetPath
    """The relative address by which the document, its header, its footer or another asset names
    the file: `logo.png`, `fonts/a.woff2`. `./a` equals `a`, percent-encoding is decoded; an
    address finds the file without its query and fragment."""
    upload_id: values.UploadId | None = None
    """Id of an upload, `upl_…`, in place of `content`; not with zero retention."""
    content: values.AssetContent | None = None
    """The bytes in base64, in place of `upload_id`."""
    content_type: values.MediaType | None = None
    """Media type of the file, such as `text/css`. Null: that of the path's extension."""


class PathRefusedError(ValueError):
    """The text is no relative path of a file."""


def plain_path(address: str) -> str:
    """Return the path of a relative address without `.` and escapes, as a web server reads it."""
    steps = unquote(address).replace("\\", "/").split("/")
    return "/".join(step for step in steps if step != ".")


def checked_path(path: str) -> str:
    """Return the plain path of an asset; raises PathRefusedError if no document can name it."""
    plain = plain_path(path)
    if "?" in path or "#" in path:
        message = "must have no ? and #: an address finds its asset without query and fragment"
    elif re.match(_SCHEME, path):
        message = "must be relative to the document, without a scheme"
    elif plain.startswith("/"):
        message = "must be relative to the document: leave out the first /"
    elif ".." in plain.split("/"):
        message = "must not lead out of the document's folder: leave out .."
    elif "" in plain.split("/"):
        message = "must name a file, with no empty part"
    elif re.search(_CONTROL, plain):
        message = "must have no control characters"
    else:
        return plain
    raise PathRefusedError(message)


def decoded_bytes(content: str) -> int:
    """Return the number of bytes of base64 that may have line breaks."""
    characters = sum(map(len, content.split()))
    return characters * 3 // 4 - content.rstrip()[-2:].count("=")
