"""Assets of a job: their bytes and types by path."""

from base64 import b64decode
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.contract.options.assets import (
    PageAsset,
    PathRefusedError,
    checked_path,
    plain_path,
)

if TYPE_CHECKING:
    from mimetypes import MimeTypes

    from chalicelib.engine.context import JobContext

# What the table of Python does not know.
_MORE_TYPES: Final = {
    ".otf": "font/otf",
    ".ttf": "font/ttf",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}
_CONCURRENCY: Final = 4
_UNKNOWN_TYPE: Final = "application/octet-stream"


class AssetFile(NamedTuple):
    """Bytes of an asset and their media type."""

    content: bytes
    content_type: str


type AssetFiles = Mapping[str, AssetFile]
NO_ASSETS: Final[AssetFiles] = {}


def load_assets(assets: tuple[PageAsset, ...], context: "JobContext") -> AssetFiles:
    """Return the assets by their plain paths; raises RenderFailure `upload_not_found`."""
    ids = list({asset.upload_id for asset in assets if asset.upload_id is not None})
    with ThreadPoolExecutor(_CONCURRENCY, thread_name_prefix="assets") as pool:
        uploads = dict(zip(ids, pool.map(context.uploads, ids), strict=True))

    def content(asset: PageAsset) -> bytes:
        return uploads[asset.upload_id] if asset.upload_id else b64decode(asset.content or "")

    return {
        plain_path(asset.path): AssetFile(
            content(asset), asset.content_type or _type_by_extension(asset.path)
        )
        for asset in assets
    }


def missing_asset_reason(path: str, assets: AssetFiles) -> str:
    """Return why no asset has the path of an address, and the remedy."""
    reason = "no asset of the request has this path"
    if not assets:
        reason = "a document that came as text has no address of its own to add this to"
    try:
        sent_as = f" with the path {checked_path(path)}"
    except PathRefusedError:  # No asset can have it.
        sent_as = ""
    name = _file_name(path)
    similar = next((each for each in assets if _file_name(each) == name), None)
    found = "" if similar is None else f"; the request has one with the path {similar}"
    return f"{reason}: send it in input.assets{sent_as}{found}"


def _file_name(path: str) -> str:
    return path.rpartition("/")[2].casefold()


def _type_by_extension(path: str) -> str:
    guessed, encoding = _types().guess_file_type(plain_path(path))
    kind = guessed if guessed and encoding is None else _UNKNOWN_TYPE
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


@cache
def _types() -> "MimeTypes":
    import mimetypes  # noqa: PLC0415 -- few jobs have assets

    types = mimetypes.MimeTypes()
    for extension, kind in _MORE_TYPES.items():
        types.add_type(kind, extension)
    return types
