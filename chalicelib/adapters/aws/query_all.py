"""All rows of a query, and entries of the `lists` index."""

from collections.abc import Iterator, Mapping, Sequence

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


def newest_listed(  # noqa: PLR0913 -- the parts of one query
    table: Table,
    partition: str,
    sort_keys: tuple[str, str],
    equal: Mapping[str, RowValue],
    limit: int,
    *,
    statuses: Sequence[str] = (),
    facets: Sequence[str] = (),
) -> QueryPage:
    """Return a page of a partition of the `lists` index, newest first.

    `sort_keys` are the lowest and the highest one, `equal` attributes that the entries must have,
    and `facets` those that they must have all. With `statuses` they have one of these.
    """
    oldest, newest = sort_keys
    values: dict[str, RowValue] = {f":{name}": value for name, value in equal.items()}
    statuses_by_name = {f":status{n}": status for n, status in enumerate(statuses)}
    facets_by_name = {f":facet{n}": each for n, each in enumerate(facets)}
    conditions = [f"#{name} = :{name}" for name in equal]
    conditions += [f"contains(#facets, {name})" for name in facets_by_name]
    names = dict.fromkeys(equal) | dict.fromkeys(["facets"] if facets else [])
    if statuses:
        conditions.append(f"#status IN ({', '.join(statuses_by_name)})")
        names["status"] = None
    return table.query(
        "LPK = :list AND LSK BETWEEN :oldest AND :newest",
        {":list": partition, ":oldest": oldest, ":newest": newest}
        | values
        | statuses_by_name
        | facets_by_name,
        index="lists",
        filter_expression=" AND ".join(conditions) or None,
        names={f"#{name}": name for name in names},
        limit=limit,
        newest_first=True,
    )
