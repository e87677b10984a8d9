"""Results of the attacks, and their tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import pytest

from tests.integration.attacks.case import Attack

_LINE: Final = "{:<20} {:>5} {:>8} {:>11} {:>7} {:>7} {:>12}"
_HEAD: Final = ("class", "cases", "refused", "never asked", "reached", "proxy", "unprotected")


@dataclass(frozen=True)
class Result:
    """Result of one attack: `refused` or `never asked`, and how often it reached the canary.

    `hits` with all protection, `behind_proxy` with the proxy alone, None if not tried;
    `unprotected` without any.
    """

    attack: Attack
    verdict: str
    hits: int
    behind_proxy: int | None
    unprotected: int
    leaked: bool
    right: bool


RESULTS: Final = pytest.StashKey[Sequence[Result]]()


def summary(results: Sequence[Result]) -> list[str]:
    """Return a line for each class of attacks, and the total."""
    kinds = [
        list(group)
        for _, group in groupby(
            sorted(results, key=lambda each: each.attack.case.kind),
            lambda each: each.attack.case.kind,
        )
    ]
    return [
        _LINE.format(*_HEAD),
        *(_LINE.format(kind[0].attack.case.kind, *_counts(kind)) for kind in kinds),
        _LINE.format("all", *_counts(results)),
    ]


def table(results: Sequence[Result]) -> list[str]:
    """Return a line for each attack."""
    line = "{:<18} {:<36} {:<12} {:>7} {:>7} {:>12}"
    return [
        line.format("class", "attack", "verdict", "reached", "proxy", "unprotected"),
        *(
            line.format(
                each.attack.case.kind,
                each.attack.case.name,
                each.verdict,
                each.hits,
                "-" if each.behind_proxy is None else each.behind_proxy,
                each.unprotected,
            )
            for each in results
        ),
    ]


def total(results: Sequence[Result]) -> str:
    """Return the totals in a sentence."""
    reached = sum(each.hits > 0 for each in results)
    tried = [each for each in results if each.behind_proxy is not None]
    proxied = sum(bool(each.behind_proxy) for each in tried)
    unprotected = sum(each.unprotected > 0 for each in results)
    return (
        f"{reached} of {len(results)} attacks reach the canary; "
        f"{proxied} of {len(tried)} with the proxy alone; "
        f"{unprotected} of {len(results)} with protection off"
    )


def _counts(results: Sequence[Result]) -> tuple[int | str, ...]:
    tried = [each for each in results if each.behind_proxy is not None]
    return (
        len(results),
        sum(each.verdict == "refused" for each in results),
        sum(each.verdict == "never asked" for each in results),
        sum(each.hits > 0 for each in results),
        sum(bool(each.behind_proxy) for each in tried) if tried else "-",
        sum(each.unprotected > 0 for each in results),
    )
