"""Template sources for renders; published versions are cached in this process."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from chalicelib.core.errors import NotFound
from chalicelib.core.ids import EmailRuleId, WorkspaceId
from chalicelib.engine.templating.includes import Includes, collect_includes
from chalicelib.features.templates.model import SourceBundle, Template, TemplateType
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.templates.source_texts import parse_source

type VersionChoice = Literal["live", "draft"] | int

_CACHE_BYTES: Final = 32_000_000


@dataclass(frozen=True, slots=True)
class ResolvedSource:
    """Source that a document is made from; a draft has no version.

    `email_rules` are those of the template, in the order of sending.
    """

    version: int | None
    type: TemplateType
    source: SourceBundle
    email_rules: Sequence[EmailRuleId] = ()
    name: str = ""


class CachedTemplateSources:
    """Template sources with a cache of versions.

    Versions never change, so each is read once; the template's row is read each time (decision 20).
    """

    def __init__(self, read: ReadTemplates, *, cache_bytes: int = _CACHE_BYTES) -> None:
        """Read with `read`; cache up to `cache_bytes` of versions."""
        self._read = read
        self._cache = _TextCache(cache_bytes)

    def find(
        self, workspace_id: WorkspaceId, template_id: str, version: VersionChoice
    ) -> ResolvedSource:
        """Return a version's source.

        Raises `template_not_found`, `template_deleted` or `version_not_found`.
        """
        template = self._read.one(workspace_id, template_id)
        if version == "draft":
            _, source = self._read.draft(template)
            return ResolvedSource(None, template.type, source, template.email_rules, template.name)
        number = template.live_version if version == "live" else version
        if number is None:
            detail = f"The template {template_id} is not published; POST its /publish first."
            raise NotFound("version_not_found", detail)
        source = self._version_source(template, number)
        return ResolvedSource(number, template.type, source, template.email_rules, template.name)

    def _version_source(self, template: Template, number: int) -> SourceBundle:
        key = (template.workspace_id, template.id, number)
        text = self._cache.get(key)
        if text is None:
            text = self._read.version_text(template, number)
            self._cache.put(key, text)
        # Parsed for each caller, which may change it.
        return parse_source(text)


class _TextCache:
    """LRU cache of texts, limited in characters; safe for threads."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
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
            while self._bytes > self._max_bytes:
                _, dropped = self._texts.popitem(last=False)
                self._bytes -= len(dropped)


class SourceLookup(Protocol):
    """Lookup of a template's source by id."""

    def __call__(
        self, workspace_id: WorkspaceId, template_id: str, version: VersionChoice
    ) -> ResolvedSource:
        """Return a version's source; raises ServiceError if there is none."""
        ...


def resolve_includes(
    texts: Iterable[str],
    workspace_id: WorkspaceId,
    find: SourceLookup,
) -> Includes:
    """Return the templates that the texts include, of which the caller's own are checked before.

    The problem of a missing template, or of a canvas, is its error.
    """

    def load_html(template_id: str) -> str:
        resolved = find(workspace_id, template_id, "live")
        if resolved.type != "html":
            detail = f"The template {template_id} is a canvas, which has no HTML to include."
            raise NotFound("template_not_found", detail)
        return str(resolved.source.content.get("html") or "")

    return collect_includes(texts, load_html)
