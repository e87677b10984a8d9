"""Templates as a render needs them; what was published is kept in this process."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.contents import source_of
from chalicelib.features.templates.model import Kind, Source, Template
from chalicelib.features.templates.read import ReadTemplates

type Choice = Literal["live", "draft"] | int

_CACHED_BYTES: Final = 32_000_000


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """What a template's document is made from; a draft has no version."""

    version: int | None
    type: Kind
    source: Source


class StoredTemplates:
    """The templates of all workspaces; a version is read once, its template's row each time."""

    def __init__(self, read: ReadTemplates, *, cached_bytes: int = _CACHED_BYTES) -> None:
        """Read through this, and keep so many bytes of versions."""
        self._read = read
        self._cache = _Cache(cached_bytes)

    def find(self, workspace_id: WorkspaceId, template_id: str, version: Choice) -> TemplateSource:
        """Return a version's source.

        Raises `template_not_found`, `template_deleted` or `version_not_found`.
        """
        template = self._read.one(workspace_id, template_id)
        if version == "draft":
            _, source = self._read.draft(template)
            return TemplateSource(None, template.type, source)
        number = template.live_version if version == "live" else version
        if number is None:
            detail = f"The template {template_id} is not published; POST its /publish first."
            raise NotFound("version_not_found", detail)
        return TemplateSource(number, template.type, self._published(template, number))

    def _published(self, template: Template, number: int) -> Source:
        key = (template.workspace_id, template.id, number)
        text = self._cache.get(key)
        if text is None:
            text = self._read.version_text(template, number)
            self._cache.put(key, text)
        # Read anew: who gets it may change it.
        return source_of(text)


class _Cache:
    """What was used last, up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._texts: OrderedDict[tuple[str, str, int], str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, str, int]) -> str | None:
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
            return self._texts.get(key)

    def put(self, key: tuple[str, str, int], text: str) -> None:
        with self._lock:
            if key in self._texts:
                return
            self._texts[key] = text
            self._bytes += len(text)
            while self._bytes > self._most_bytes:
                _, dropped = self._texts.popitem(last=False)
                self._bytes -= len(dropped)
