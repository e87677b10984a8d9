"""Attacks by tenants: none reaches a server that must not be reached."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from tests.integration.attacks import play
from tests.integration.attacks.all_cases import CASES
from tests.integration.attacks.case import Attack
from tests.integration.attacks.fake_internet import World, world_of
from tests.integration.attacks.play import Act
from tests.integration.attacks.results import RESULTS, Result, table, total

pytestmark = pytest.mark.integration

_REACHED = 0.6
_TITLES = [f"{case.kind}: {case.name}" for case in CASES]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_of(CASES, tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture(scope="module")
def results(world: World, request: pytest.FixtureRequest) -> Mapping[str, Result]:
    """Play everything once in each way, and return the results for the tests below."""
    unprotected = _unprotected_hits(world)
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


def _unprotected_hits(world: World) -> dict[int, int]:
    """Count the hits without protection; where too few come, look longer: the machine is busy."""
    hits: dict[int, int] = {}
    for longer in (1, 3, 9):
        missing = [attack for attack in world.attacks if not hits.get(attack.number)]
        if len(missing) > (1 - _REACHED) * len(world.attacks):
            hits |= _hits(world, play.unprotected(world, missing, longer))
    return hits


def _hits(world: World, acts: Sequence[Act]) -> dict[int, int]:
    return {attack.number: len(world.hits(attack)) for act in acts for attack in act.attacks}


def _verdict(attack: Attack, act: Act) -> str:
    """Return `refused` if the warnings or the egress name the attack, otherwise `never asked`."""
    targets = (attack.ip, attack.slug, attack.filled("$dashes"))
    reported = any(target in act.reported for target in targets)
    asked = any(target in host for target in targets for host in act.refused)
    return "refused" if reported or asked or act.failed else "never asked"


@pytest.mark.parametrize("title", _TITLES)
def test_attack_does_not_reach_the_canary(results: Mapping[str, Result], title: str) -> None:
    result = results[title]

    assert result.hits == 0, "the canary was reached"
    assert not result.behind_proxy, "the canary was reached through the proxy"
    assert not result.leaked, "the canary's secret is in the output"
    assert result.right, "the document, or the next one, is not right"


def test_attacks_reach_the_canary_without_protection(results: Mapping[str, Result]) -> None:
    reached = sum(result.unprotected > 0 for result in results.values())

    assert len(results) == len(CASES) >= 100
    # Usually three quarters.
    assert reached >= _REACHED * len(results), "\n".join(
        [*table(list(results.values())), total(list(results.values()))]
    )


def test_canary_was_reached_by_nothing_else(world: World, results: Mapping[str, Result]) -> None:
    assert results
    assert world.canary.hits == []
