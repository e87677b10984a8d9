"""Files that headers and footers name: assets of the request, and files of the web."""

import re
from typing import Final
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from chalicelib.contract.options.assets import MAX_ASSET_BYTES, plain_path
from chalicelib.core.egress_policy import WEB_PREFIXES
from chalicelib.core.errors import RenderFailure
from chalicelib.core.redact_url import redacted_url, without_userinfo
from chalicelib.engine.assets import AssetFiles, missing_asset_reason
from chalicelib.engine.browser.requests.assets import USERINFO_REASON, Refusal, shortened_url
from chalicelib.engine.browser.requests.log_entries import SCHEME_REASON
from chalicelib.engine.inputs.web_files import WebFile, WebFiles

# What stands where the addresses of a header begin; nobody is ever reached there.
ROOT: Final = "https://assets.invalid/"
_MAX_MENTIONS: Final = 20_000
_ADDRESS_REASON: Final = "it is no address that can be read"
_TOO_LARGE: Final = f"with their files, headers and footers may have {MAX_ASSET_BYTES} bytes"
_DATA: Final = re.compile(r"\s*data:", re.IGNORECASE)
_BREAKS: Final = re.compile(r"[\r\n\t]")


class NamedFiles:
    """Files by the addresses that one text names, with bounds on their number and bytes."""

    def __init__(self, assets: AssetFiles, web: WebFiles) -> None:
        """Find files among the assets of the request, and those of the web that are fetched."""
        self._assets = assets
        self._web = web
        self._left_bytes, self._left_mentions = MAX_ASSET_BYTES, _MAX_MENTIONS
        # Addresses without a file, in their order.
        self.missing: dict[str, Refusal] = {}
        # Addresses of the web that are not fetched yet.
        self.wanted: dict[str, None] = {}

    def find(self, address: str, base: str) -> WebFile | None:
        """Return the file of an address, with its URL; None where it has none, which is told."""
        if not address or address.startswith("#") or _DATA.match(address):
            return None
        self._left_mentions -= 1
        if self._left_mentions < 0:
            message = (
                f"output.pdf: headers and footers name more than {_MAX_MENTIONS} files; each "
                "mention counts"
            )
            raise RenderFailure("render_failed", message)
        url = joined_url(base, address)
        if url is None:
            self.tell(address, Refusal(_ADDRESS_REASON))
            return None
        found = self._own_file(url) if url.startswith(ROOT) else self._web_file(url)
        if isinstance(found, Refusal):
            # An address of the web as it is fetched, any other as it is written.
            is_own = url.startswith(ROOT) or not url.startswith(WEB_PREFIXES)
            self.tell(address if is_own else url, found)
            return None
        return found

    def tell(self, address: str, refusal: Refusal) -> None:
        """Record an address without a file."""
        if len(self.missing) < _MAX_MENTIONS:
            self.missing.setdefault(redacted_url(shortened_url(address)), refusal)

    def add_file(self, found: WebFile, address: str) -> bool:
        """Take the bytes of a file; one of the web that has no room is missing."""
        left_bytes = self._left_bytes - len(found.file.content)
        if left_bytes >= 0:
            self._left_bytes = left_bytes
        elif found.url.startswith(ROOT):
            message = (
                "output.pdf: with their assets, headers and footers have more than "
                f"{MAX_ASSET_BYTES} bytes; each mention counts"
            )
            raise RenderFailure("render_failed", message)
        else:
            self.tell(address, Refusal(_TOO_LARGE))
        return left_bytes >= 0

    def _own_file(self, url: str) -> WebFile | Refusal:
        path = plain_path(urlsplit(url).path.removeprefix("/"))
        asset = self._assets.get(path)
        if asset is None:
            return Refusal(missing_asset_reason(path, self._assets))
        return WebFile(asset, ROOT + quote(path))

    def _web_file(self, url: str) -> WebFile | Refusal | None:
        if not url.startswith(WEB_PREFIXES):
            return Refusal(SCHEME_REASON)
        if without_userinfo(url) != url:
            return Refusal(USERINFO_REASON)
        found = self._web.get(url)
        if found is None:
            self.wanted[url] = None
        return found


def joined_url(base: str, address: str) -> str | None:
    """Return an absolute URL without its fragment, as browsers read it; None if it is none."""
    # Browsers leave line breaks and tabs out.
    try:
        url = urldefrag(urljoin(base, _BREAKS.sub("", address).strip()))[0]
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    if url.startswith(WEB_PREFIXES) and not parts.hostname:
        return None
    return f"{parts.scheme.lower()}{url[len(parts.scheme) :]}"
