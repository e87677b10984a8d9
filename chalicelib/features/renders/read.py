"""Read renders: one by id, or a page of a workspace's renders, newest first."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import epoch_ms
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import RenderId, WorkspaceId, is_id, lowest_id
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import lists_partition
from chalicelib.features.workspaces.model import Mode

# Bounds the work of one request: a filter with few matches gets a short page and a cursor.
_MAX_ROWS_READ: Final = 500
_EQUALITY_FILTERS: Final = ("status", "template_id", "batch_id", "reference", "test")


@dataclass(frozen=True, slots=True)
class RenderFilter:
    """Filter of a list; None does not restrict it."""

    equals: Mapping[str, Any]
    created_after: dt.datetime | None = None
    created_before: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class RenderPage:
    """Page of renders, newest first; the next page has ids below `next_after`."""

    renders: list[Render]
    next_after: RenderId | None


class ReadRenders:
    """Reader of renders; test keys see test renders only."""

    def __init__(self, *, tables: Tables, table: str, renders: Renders) -> None:
        """Query `table` and read the rows from `renders`."""
        self._tables = tables
        self._table = table
        self._renders = renders

    def one(self, workspace_id: WorkspaceId, render_id: str, mode: Mode) -> Render:
        """Return one render; raises `render_not_found`."""
        render = None
        if is_id("rnd", render_id):
            render = self._renders.get(workspace_id, RenderId(render_id))
        if render is None or (mode == "test" and not render.test):
            raise NotFound("render_not_found", f"There is no render {render_id[:64]}.")
        return render

    def page(
        self,
        workspace_id: WorkspaceId,
        mode: Mode,
        criteria: RenderFilter,
        *,
        limit: int,
        after: RenderId | None,
    ) -> RenderPage:
        """Return up to `limit` renders below the id `after`."""
        equal = {
            name: criteria.equals[name]
            for name in _EQUALITY_FILTERS
            if criteria.equals.get(name) is not None
        }
        if mode == "test":
            if equal.get("test") is False:
                return RenderPage([], None)
            equal["test"] = True
        newest, oldest = _bounds(criteria, after)
        matches: list[RenderId] = []
        rows_read = 0
        while newest > oldest:
            rows = self._tables.query(
                self._table,
                "LPK = :list AND LSK BETWEEN :oldest AND :newest",
                {
                    ":list": lists_partition(workspace_id),
                    ":oldest": oldest,
                    ":newest": newest,
                }
                | {f":{name}": value for name, value in equal.items()},
                index="lists",
                filter_expression=" AND ".join(f"#{name} = :{name}" for name in equal) or None,
                names={f"#{name}": name for name in equal},
                limit=min(_MAX_ROWS_READ - rows_read, limit + 1 if not equal else _MAX_ROWS_READ),
                newest_first=True,
            )
            rows_read += rows.scanned_count
            ids = [RenderId(row["LSK"]) for row in rows.items]
            matches += ids[: limit + 1 - len(matches)]
            if len(matches) > limit:
                return self._page(workspace_id, equal, matches[:limit], matches[limit - 1])
            if rows.last_evaluated_key is None:
                break
            newest = _text_below(rows.last_evaluated_key["LSK"])
            if rows_read >= _MAX_ROWS_READ:
                return self._page(
                    workspace_id, equal, matches, RenderId(rows.last_evaluated_key["LSK"])
                )
        return self._page(workspace_id, equal, matches, None)

    def _page(
        self,
        workspace_id: WorkspaceId,
        equal: Mapping[str, Any],
        ids: list[RenderId],
        next_after: RenderId | None,
    ) -> RenderPage:
        # The index is eventually consistent: renders that no longer match are left out.
        renders = [
            render
            for render in self._renders.get_many(workspace_id, ids)
            if all(getattr(render, name) == value for name, value in equal.items())
        ]
        return RenderPage(renders, next_after)


def _bounds(criteria: RenderFilter, after: RenderId | None) -> tuple[str, str]:
    """Return the highest and the lowest id of a list; ids sort by creation time."""
    newest, oldest = "rnd_~", "rnd_"
    if criteria.created_before is not None:
        newest = _text_below(lowest_id("rnd", epoch_ms(criteria.created_before)))
    if criteria.created_after is not None:
        oldest = lowest_id("rnd", epoch_ms(criteria.created_after) + 1)
    if after is not None:
        newest = min(newest, _text_below(after))
    return newest, oldest


def _text_below(render_id: str) -> str:
    """Return a text that sorts right below `render_id` and above every lower id."""
    return render_id[:-1] + chr(ord(render_id[-1]) - 1) + "~"
