"""All rows of a query, and entries of the `lists` index."""

from collections.abc import Iterator, Mapping

from chalicelib.adapters.aws.table import QueryPage, Row, RowValue, Table


def query_all(  # noqa: PLR0913 -- the parts of one DynamoDB query
    table: Table,
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
        page = table.query(
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


def listed_ids(table: Table, partition: str) -> Iterator[str]:
    """Yield the ids of all objects of a partition of the `lists` index."""
    rows = query_all(table, "LPK = :list", {":list": partition}, index="lists")
    return (row["LSK"] for row in rows)


def listed_since(
    table: Table, partition: str, oldest: str, *, newest_first: bool = False
) -> Iterator[Row]:
    """Yield the entries of a partition of the `lists` index from a sort key on."""
    return query_all(
        table,
        "LPK = :list AND LSK >= :oldest",
        {":list": partition, ":oldest": oldest},
        index="lists",
        newest_first=newest_first,
    )


def newest_listed(
    table: Table,
    partition: str,
    sort_keys: tuple[str, str],
    equal: Mapping[str, RowValue],
    limit: int,
) -> QueryPage:
    """Return a page of a partition of the `lists` index, newest first.

    `sort_keys` are the lowest and the highest one, `equal` attributes that the entries must have.
    """
    oldest, newest = sort_keys
    return table.query(
        "LPK = :list AND LSK BETWEEN :oldest AND :newest",
        {":list": partition, ":oldest": oldest, ":newest": newest}
        | {f":{name}": value for name, value in equal.items()},
        index="lists",
        filter_expression=" AND ".join(f"#{name} = :{name}" for name in equal) or None,
        names={f"#{name}": name for name in equal},
        limit=limit,
        newest_first=True,
    )
