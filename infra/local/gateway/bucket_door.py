"""Door of the bucket at the gateway: clients get files and send uploads at the API's own port."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from infra.local.access.wsgi import Application, StartResponse


class BucketDoor:
    """WSGI application that lets requests for a bucket through to its store."""

    def __init__(self, api: Application, store: Application, bucket: str, url: str) -> None:
        """Let all other requests through to `api`; `url` is what addresses are signed for."""
        self._api = api
        self._store = store
        self._bucket = bucket
        self._host = urlsplit(url).netloc

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        path = str(environ["REQUEST_URI"]).partition("?")[0]
        if path.split("/", 2)[1:2] != [self._bucket]:
            return self._api(environ, start)
        # A proxy may have put its own name here; the names are checked before.
        return self._store({**environ, "HTTP_HOST": self._host}, start)
