"""All rows of a query."""

from collections.abc import Iterator, Mapping

from chalicelib.adapters.aws.table import Row, RowValue, Tables


def query_all(  # noqa: PLR0913 -- the parts of one DynamoDB query
    tables: Tables,
    table: str,
    condition: str,
    values: Mapping[str, RowValue],
    *,
    index: str | None = None,
    consistent: bool = False,
    newest_first: bool = False,
    limit: int = 100,
) -> Iterator[Row]:
    """Yield all rows of a query, in pages of `limit` rows."""
    start: Row | None = None
    while True:
        page = tables.query(
            table,
            condition,
            values,
            index=index,
            consistent=consistent,
            newest_first=newest_first,
            limit=limit,
            start=start,
        )
        yield from page.items
        start = page.last_evaluated_key
        if start is None:
            return


def listed_ids(tables: Tables, table: str, partition: str) -> Iterator[str]:
    """Yield the ids of all objects of a partition of the `lists` index."""
    rows = query_all(tables, table, "LPK = :list", {":list": partition}, index="lists")
    return (row["LSK"] for row in rows)
