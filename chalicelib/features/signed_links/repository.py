"""Repository of signed links: `LNK#<id>`, `META` and one row `URL#<digest>` for each URL.

A request knows the id of a link, not its workspace. The row of a URL names its last render, which
is its cache; it ends by its `ttl`. Links are listed by id in the `lists` index.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.messages import PoisonMessageError
from chalicelib.adapters.aws.query_all import listed_ids
from chalicelib.adapters.aws.table import ConditionFailed, Row, RowValue, Table, Write
from chalicelib.core import json
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import LinkId, RenderId, WorkspaceId, is_id
from chalicelib.features.signed_links.model import LinkUrl, SignedLink

DUE_LINK: Final = DueKind("signed_link")
# Longer than the files of any render of a link are kept: 30 days after its end.
_URL_KEPT: Final = dt.timedelta(days=32)
_HAS_RENDER: Final = "render_id = :seen"
_HAS_NO_RENDER: Final = "attribute_not_exists(render_id)"
_IS_THERE: Final = "attribute_exists(PK) AND attribute_not_exists(deleted_at)"


class LinkPage(NamedTuple):
    """Page of links, newest first; the next page has ids below `next_after`."""

    links: list[SignedLink]
    next_after: str | None


class SignedLinks(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Links of all workspaces, and their URLs."""

    table: Table

    def find(self, link_id: str) -> SignedLink | None:
        """Return a link that is not deleted, or None."""
        if not is_id("lnk", link_id):
            return None
        return _present_link(self.table.get(_partition(link_id)))

    def find_with_url(self, link_id: str, digest: str) -> tuple[SignedLink, LinkUrl] | None:
        """Return a link that is not deleted, and one of its URLs; both in one read."""
        if not is_id("lnk", link_id):
            return None
        keys = [(_partition(link_id), sk) for sk in ("META", _url_key(digest))]
        rows = {row["SK"]: row for row in self.table.get_many(keys)}
        link = _present_link(rows.get("META"))
        if link is None:
            return None
        return link, _url_of(link.id, digest, rows.get(_url_key(digest)))

    def url(self, link_id: LinkId, digest: str) -> LinkUrl:
        """Return a URL as it is now."""
        row = self.table.get(_partition(link_id), _url_key(digest))
        return _url_of(link_id, digest, row)

    def get_many(self, link_ids: Sequence[str]) -> list[SignedLink]:
        """Return those of up to 100 links that are not deleted."""
        keys = [(_partition(link_id), "META") for link_id in link_ids]
        links = map(_present_link, self.table.get_many(keys))
        return [link for link in links if link is not None]

    def page(self, workspace_id: WorkspaceId, *, limit: int, below: str) -> LinkPage:
        """Return up to `limit` links below an id."""
        page = self.table.query(
            "LPK = :list AND LSK < :below",
            {":list": lists_partition(workspace_id), ":below": below},
            index="lists",
            limit=limit,
            newest_first=True,
        )
        last = page.last_evaluated_key
        return LinkPage(
            self.get_many([row["LSK"] for row in page.items]), last["LSK"] if last else None
        )

    def create(self, link: SignedLink) -> None:
        """Store a new link."""
        write = Write(self.table, item=_row(link), condition="attribute_not_exists(PK)")
        self.table.write(write)

    def change(self, link: SignedLink, sets: Mapping[str, RowValue]) -> SignedLink | None:
        """Change attributes of a link's row and return the link, or None if it is deleted."""
        write = Write(
            self.table,
            key=_key(link.id),
            update="SET " + ", ".join(f"#{name} = :{name}" for name in sets),
            condition=_IS_THERE,
            names={f"#{name}": name for name in sets},
            values={f":{name}": value for name, value in sets.items()},
        )
        try:
            item = self.table.write(write)
        except ConditionFailed:
            return None
        assert item is not None
        return _link_of(item)

    def delete(self, link: SignedLink, at: str) -> bool:
        """Delete a link: its URLs end at once, and maintenance erases it; False: it was deleted."""
        write = Write(
            self.table,
            key=_key(link.id),
            update="SET deleted_at = :at, due_at = :at, DPK = :dpk",
            condition=_IS_THERE,
            values={":at": at, ":dpk": DUE_LINK.partition(link.id)},
        )
        try:
            self.table.write(write)
        except ConditionFailed:
            return False
        crash_if_armed(CrashPoint.LINK_DELETED)
        return True

    def claim(self, url: LinkUrl, token: str, now: dt.datetime, until: dt.datetime) -> bool:
        """Claim a URL for the one who makes its render; False: another one is first.

        The render that the URL had before must be of no use any more.
        """
        write = Write(
            self.table,
            key=_url_row_key(url),
            update="SET claim = :token, claimed_until = :until, #ttl = :ttl",
            condition="attribute_not_exists(PK) OR ("
            f"{_HAS_RENDER if url.render_id else _HAS_NO_RENDER} AND "
            "(attribute_not_exists(claimed_until) OR claimed_until <= :now))",
            names={"#ttl": "ttl"},
            values={
                ":token": token,
                ":until": format_rfc3339(until),
                ":now": format_rfc3339(now),
                ":ttl": _ttl(now),
                **({":seen": url.render_id} if url.render_id else {}),
            },
        )
        try:
            self.table.write(write)
        except ConditionFailed as refused:
            # A repeated call finds its own claim.
            return refused.item is not None and refused.item.get("claim") == token
        return True

    def keep(self, url: LinkUrl, token: str, render_id: RenderId, now: dt.datetime) -> Write:
        """Return the write that ends a claim with the render of the URL; refused if it was lost."""
        return Write(
            self.table,
            item={**_url_row_key(url), "render_id": render_id, "ttl": _ttl(now)},
            condition="claim = :token",
            values={":token": token},
        )

    def release(self, url: LinkUrl, token: str) -> None:
        """End a claim that has made no render."""
        write = Write(
            self.table,
            key=_url_row_key(url),
            update="REMOVE claim, claimed_until",
            condition="claim = :token",
            values={":token": token},
        )
        with suppress(ConditionFailed):
            self.table.write(write)

    def take_quota(self, link: SignedLink) -> Write:
        """Return the write that takes a render of a link's quota; refused if none is left.

        It is refused as well if the link is off or deleted.
        """
        return Write(
            self.table,
            key=_key(link.id),
            update="SET quota_used = quota_used + :one",
            condition=f"{_IS_THERE} AND enabled = :on "
            "AND (quota_total = :unlimited OR quota_used < quota_total)",
            values={":one": 1, ":on": True, ":unlimited": None},
        )

    def give_back(self, link_id: LinkId, renders: int) -> Write:
        """Return the write that gives renders back to a link that exists."""
        return Write(
            self.table,
            key=_key(link_id),
            update="SET quota_used = quota_used - :renders",
            condition="attribute_exists(PK)",
            values={":renders": renders},
        )

    def found_used_up(self, refused: ConditionFailed) -> bool:
        """Tell whether `take_quota` was refused because the link has no render left."""
        link = _present_link(refused.item)
        return link is not None and link.enabled and link.is_used_up

    def erase_deleted(self, link_id: str) -> None:
        """Erase a deleted link with its URLs, its own row last; idempotent.

        Raises PoisonMessageError for a text that is no id of a link.
        """
        if not is_id("lnk", link_id):
            reason = f"there is no link {link_id}"
            raise PoisonMessageError(reason)
        row = self.table.get(_partition(link_id))
        if row is None or "deleted_at" not in row:
            return
        for _ in self.table.delete_partition_in_steps(_partition(link_id)):
            crash_if_armed(CrashPoint.LINK_ERASED)

    def erase(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase all links of a workspace; yield after each step."""
        for link_id in listed_ids(self.table, lists_partition(workspace_id)):
            yield from self.table.delete_partition_in_steps(_partition(link_id))


def lists_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of the `lists` index that holds a workspace's links."""
    return f"WS#{workspace_id}#LNK"


def _partition(link_id: str) -> str:
    return f"LNK#{link_id}"


def _url_key(digest: str) -> str:
    return f"URL#{digest}"


def _url_row_key(url: LinkUrl) -> dict[str, str]:
    return {"PK": _partition(url.link_id), "SK": _url_key(url.digest)}


def _url_of(link_id: LinkId, digest: str, row: Row | None) -> LinkUrl:
    known = row or {}
    return LinkUrl(link_id, digest, known.get("render_id"), known.get("claimed_until"))


def _ttl(now: dt.datetime) -> int:
    return int((now + _URL_KEPT).timestamp())


def _key(link_id: LinkId) -> dict[str, str]:
    return {"PK": _partition(link_id), "SK": "META"}


def _row(link: SignedLink) -> Row:
    row = link._asdict() | {"output": json.dumps(link.output)}
    # Conditions ask whether it is there.
    del row["deleted_at"]
    lists = {"LPK": lists_partition(link.workspace_id), "LSK": link.id}
    return _key(link.id) | lists | row


def _present_link(row: Row | None) -> SignedLink | None:
    return None if row is None or "deleted_at" in row else _link_of(row)


def _link_of(row: Row) -> SignedLink:
    fields = {name: row[name] for name in SignedLink._fields if name in row}
    return SignedLink(**fields | {"output": json.loads_own(row["output"])})
