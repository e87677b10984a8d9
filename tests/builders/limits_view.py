"""View of a workspace's limits: the holds in the limits item and in the rows of renders."""

from collections.abc import Iterable
from typing import Any

type Row = dict[str, Any]

_UNFINISHED = {"queued", "processing"}


def limits_with_rows(item: Row, renders: Iterable[Row]) -> Row:
    """Return the limits item with the holds that rows have, and without entries of such rows."""
    rows = {row["id"]: row for row in renders if row["relay_settles"]}
    holds = {holder: hold for holder, hold in item["holds"].items() if holder not in rows}
    unfinished = {name: row["hold"] for name, row in rows.items() if row["status"] in _UNFINISHED}
    return item | {"holds": holds | unfinished}
