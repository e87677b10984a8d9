"""Read renders: one by id, or a page of a workspace's renders, newest first."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec

from chalicelib.core.clock import epoch_ms
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import RenderId, WorkspaceId, is_id, lowest_id
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import ListCriteria, Renders
from chalicelib.features.renders.rows import facet, metadata_facet, metadata_of, metadata_text
from chalicelib.features.workspaces.model import Mode

# Bounds the work of one request: a filter with few matches gets a short page and a cursor.
_MAX_ROWS_READ: Final = 500
# Receipts in rows of their own, which are read for each render of a page. A page has 4 MB.
_MAX_RECEIPT_BYTES: Final = 4_000_000
_EQUALITY_FILTERS: Final = ("template_id", "batch_id", "reference", "test")
_FACETS: Final = ("input_type", "output_format", "source")


class Viewer(NamedTuple):
    """Caller that reads renders.

    A test key sees test renders only. With `templates`, the allowlist of its key, the caller sees
    renders of those templates only.
    """

    workspace_id: WorkspaceId
    mode: Mode
    templates: tuple[str, ...] = ()

    def is_template_visible(self, template_id: str | None) -> bool:
        """Tell whether the caller may see renders of a template, or those without one."""
        return not self.templates or template_id in self.templates

    def may_see(self, render: Render) -> bool:
        """Tell whether the caller may see a render of its workspace."""
        is_of_mode = self.mode == "live" or render.test
        return is_of_mode and self.is_template_visible(render.template_id)


@dataclass(frozen=True, slots=True)
class RenderFilter:
    """Filter of a list; None does not restrict it, nor does an empty collection."""

    equals: Mapping[str, str | bool | None]
    statuses: Sequence[str] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    created_after: dt.datetime | None = None
    created_before: dt.datetime | None = None

    def criteria(self, viewer: Viewer) -> ListCriteria | None:
        """Return the attributes that renders of the list must have, or None if none can match."""
        equal = self._equalities(_EQUALITY_FILTERS)
        if "template_id" in equal and not viewer.is_template_visible(str(equal["template_id"])):
            return None
        if viewer.mode == "test" and equal.get("test") is False:
            return None
        facets = [facet(name, str(value)) for name, value in self._equalities(_FACETS).items()]
        facets += [metadata_facet(key, text) for key, text in self.metadata.items()]
        of_mode = {"test": True} if viewer.mode == "test" else {}
        return ListCriteria({**equal, **of_mode}, self.statuses, facets)

    def has_metadata(self, render: Render) -> bool:
        """Tell whether a render has the metadata, whose facets others may share."""
        found = {key: metadata_text(value) for key, value in metadata_of(render).items()}
        return self.metadata.items() <= found.items()

    def _equalities(self, names: Sequence[str]) -> dict[str, str | bool]:
        return {name: value for name in names if (value := self.equals.get(name)) is not None}


@dataclass(frozen=True, slots=True)
class RenderPage:
    """Page of renders, newest first; the next page has ids below `next_after`."""

    renders: list[Render]
    next_after: RenderId | None


class ReadRenders(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of renders; a render that the viewer may not see is not found."""

    renders: Renders

    def one(self, viewer: Viewer, render_id: str) -> Render:
        """Return one render; raises `render_not_found`."""
        render = None
        if is_id("rnd", render_id):
            render = self.renders.get(viewer.workspace_id, RenderId(render_id))
        if render is None or not viewer.may_see(render):
            raise NotFound("render_not_found", f"There is no render {render_id[:64]}.")
        return render

    def page(
        self, viewer: Viewer, wanted: RenderFilter, *, limit: int, after: RenderId | None
    ) -> RenderPage:
        """Return up to `limit` renders below the id `after`."""
        criteria = wanted.criteria(viewer)
        if criteria is None:
            return RenderPage([], None)
        all_match = not any(criteria) and not viewer.templates
        newest, oldest = _bounds(wanted, after)
        matches: list[RenderId] = []
        rows_read = 0
        while newest > oldest:
            max_rows = min(_MAX_ROWS_READ - rows_read, limit + 1 if all_match else _MAX_ROWS_READ)
            rows = self.renders.newest_page(
                viewer.workspace_id, (oldest, newest), criteria, max_rows
            )
            rows_read += rows.scanned_count
            matches += [
                RenderId(row["LSK"])
                for row in rows.items
                if viewer.is_template_visible(row.get("template_id"))
            ]
            if len(matches) > limit:
                return self._page(viewer, wanted, matches[:limit], matches[limit - 1])
            if rows.last_evaluated_key is None:
                break
            last_read = RenderId(rows.last_evaluated_key["LSK"])
            newest = _text_below(last_read)
            if rows_read >= _MAX_ROWS_READ:
                return self._page(viewer, wanted, matches, last_read)
        return self._page(viewer, wanted, matches, None)

    def _page(
        self,
        viewer: Viewer,
        wanted: RenderFilter,
        ids: list[RenderId],
        next_after: RenderId | None,
    ) -> RenderPage:
        # The index is eventually consistent: renders that no longer match are left out.
        criteria = wanted.criteria(viewer)
        renders = [
            render
            for render in self.renders.get_many(viewer.workspace_id, ids)
            if criteria is not None and criteria.are_met(render) and wanted.has_metadata(render)
        ]
        receipt_bytes = 0
        for n, render in enumerate(renders):
            if render.upload_targets is not None:
                receipt_bytes += render.upload_targets.receipt_bytes
            if n and receipt_bytes > _MAX_RECEIPT_BYTES:
                return RenderPage(renders[:n], renders[n - 1].id)
        return RenderPage(renders, next_after)


def _bounds(wanted: RenderFilter, after: RenderId | None) -> tuple[str, str]:
    """Return the highest and the lowest id of a list; ids sort by creation time."""
    newest, oldest = "rnd_~", "rnd_"
    if wanted.created_before is not None:
        newest = _text_below(lowest_id("rnd", epoch_ms(wanted.created_before)))
    if wanted.created_after is not None:
        oldest = lowest_id("rnd", epoch_ms(wanted.created_after) + 1)
    if after is not None:
        newest = min(newest, _text_below(after))
    return newest, oldest


def _text_below(render_id: str) -> str:
    """Return a text that sorts right below `render_id` and above every lower id."""
    return render_id[:-1] + chr(ord(render_id[-1]) - 1) + "~"
