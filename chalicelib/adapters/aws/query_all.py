"""All rows of a query."""

from collections.abc import Iterator, Mapping

from chalicelib.adapters.aws.table import Item, RowValue, Tables


def query_all(
    tables: Tables,
    table: str,
    condition: str,
    values: Mapping[str, RowValue],
    *,
    index: str | None = None,
    consistent: bool = False,
) -> Iterator[Item]:
    """Yield all rows of a query, page by page."""
    start: Item | None = None
    while True:
        page = tables.query(
            table, condition, values, index=index, consistent=consistent, start=start
        )
        yield from page.items
        start = page.last_evaluated_key
        if start is None:
            return
