"""Nothing that a tenant sends reaches what stands where nothing may be reached."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from tests.integration.attacks import play
from tests.integration.attacks.all_cases import CASES
from tests.integration.attacks.case import Attack
from tests.integration.attacks.fake_internet import World, world_of
from tests.integration.attacks.play import Act
from tests.integration.attacks.results import RESULTS, Result, table, total

pytestmark = pytest.mark.integration

_TITLES = [f"{case.kind}: {case.name}" for case in CASES]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_of(CASES, tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture(scope="module")
def results(world: World, request: pytest.FixtureRequest) -> Mapping[str, Result]:
    """Play everything once in each way; the tests below look at what came of it."""
    unprotected = _hits(world, play.unprotected(world))
    behind_proxy = _hits(world, play.behind_proxy(world))
    acts = play.protected(world)
    hits = _hits(world, acts)
    found = [
        Result(
            attack,
            _verdict(attack, act),
            hits[attack.number],
            behind_proxy.get(attack.number),
            unprotected[attack.number],
            leaked=world.secret in act.got,
            right=act.right,
        )
        for act in acts
        for attack in act.attacks
    ]
    request.config.stash[RESULTS] = found
    return {each.attack.title: each for each in found}


def _hits(world: World, acts: Sequence[Act]) -> dict[int, int]:
    return {attack.number: len(world.hits(attack)) for act in acts for attack in act.attacks}


def _verdict(attack: Attack, act: Act) -> str:
    """Tell whether the product was asked at all: the page's owner learns so, or the door does."""
    places = (attack.ip, attack.slug, attack.filled("$dashes"))
    told = any(place in act.said for place in places)
    asked = any(place in host for place in places for host in act.refused)
    return "refused" if told or asked or act.failed else "never asked"


@pytest.mark.parametrize("title", _TITLES)
def test_attack(results: Mapping[str, Result], title: str) -> None:
    result = results[title]

    assert result.hits == 0, "the canary was reached"
    assert not result.behind_proxy, "the canary was reached through the proxy"
    assert not result.leaked, "the canary's secret is in the output"
    assert result.right, "the document, or the next one, is not right"


def test_the_attacks_are_real(results: Mapping[str, Result]) -> None:
    reached = sum(result.unprotected > 0 for result in results.values())

    assert len(results) == len(CASES) >= 100
    # As a rule it is three quarters; a slow machine prints before some have come.
    assert reached >= 0.6 * len(results), "\n".join(
        [*table(list(results.values())), total(list(results.values()))]
    )


def test_nobody_came_who_is_not_known(world: World, results: Mapping[str, Result]) -> None:
    assert results
    assert world.canary.hits == []
