"""Cache of opened secrets: calls of KMS that it spares, for how long, and that it shows nothing."""

import datetime as dt
import logging
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.sealing import (
    CACHE_TIME,
    MAX_CACHED_SECRETS,
    KeyUnavailableError,
    SealBrokenError,
    SealContext,
    SecretSealer,
)
from chalicelib.core.ids import WorkspaceId
from tests.fakes.api_services import FixedClock
from tests.fakes.kms import FakeKms, kms_error, sealer_over

SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PLACE: Final = SealContext(WorkspaceId("ws_1"), "whe_1", "signing_secret")


@pytest.fixture
def kms() -> FakeKms:
    return FakeKms()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def sealer(kms: FakeKms, clock: FixedClock) -> SecretSealer:
    return sealer_over(kms, clock)


def test_kms_is_called_once_for_a_seal_and_once_for_many_openings(
    sealer: SecretSealer, kms: FakeKms, clock: FixedClock
) -> None:
    sealed = sealer.seal(SECRET, PLACE)
    assert kms.calls == ["GenerateDataKey"]

    for _ in range(100):
        sealer.open(sealed, PLACE)
    assert kms.calls == ["GenerateDataKey", "Decrypt"]

    clock.moment += CACHE_TIME - dt.timedelta(microseconds=1)
    sealer.open(sealed, PLACE)
    assert len(kms.calls) == 2

    # Counted from the call, not from the last opening.
    clock.moment += dt.timedelta(microseconds=1)
    sealer.open(sealed, PLACE)
    assert kms.calls == ["GenerateDataKey", "Decrypt", "Decrypt"]


def test_new_version_counts_at_once(sealer: SecretSealer) -> None:
    old = sealer.seal("old", PLACE)
    assert sealer.open(old, PLACE) == b"old"

    new = sealer.seal("new", PLACE)

    assert sealer.open(new, PLACE) == b"new"
    assert sealer.open(old, PLACE) == b"old"


def test_lost_key_counts_within_minutes(
    sealer: SecretSealer, kms: FakeKms, clock: FixedClock
) -> None:
    sealed = sealer.seal(SECRET, PLACE)
    sealer.open(sealed, PLACE)
    kms.error = kms_error("DisabledException")

    assert sealer.open(sealed, PLACE) == SECRET.encode()
    clock.moment += CACHE_TIME
    with pytest.raises(KeyUnavailableError):
        sealer.open(sealed, PLACE)


def test_clock_that_is_set_back_does_not_lengthen_the_cache(
    sealer: SecretSealer, kms: FakeKms, clock: FixedClock
) -> None:
    sealed = sealer.seal(SECRET, PLACE)
    sealer.open(sealed, PLACE)

    clock.moment -= dt.timedelta(days=1)
    sealer.open(sealed, PLACE)

    assert kms.calls.count("Decrypt") == 2


def test_cache_keeps_the_latest_openings_only(sealer: SecretSealer, kms: FakeKms) -> None:
    places = [PLACE._replace(object=f"whe_{n}") for n in range(MAX_CACHED_SECRETS + 1)]
    sealed = [sealer.seal(SECRET, place) for place in places]
    kms.calls.clear()

    for text, place in zip(sealed[:-1], places[:-1], strict=True):
        sealer.open(text, place)
    sealer.open(sealed[0], places[0])
    sealer.open(sealed[-1], places[-1])
    assert len(kms.calls) == MAX_CACHED_SECRETS + 1

    sealer.open(sealed[0], places[0])
    assert len(kms.calls) == MAX_CACHED_SECRETS + 1
    sealer.open(sealed[1], places[1])
    assert len(kms.calls) == MAX_CACHED_SECRETS + 2


def test_failed_opening_is_not_cached(sealer: SecretSealer, kms: FakeKms) -> None:
    sealed = sealer.seal(SECRET, PLACE)
    kms.error = kms_error("DisabledException")
    with pytest.raises(KeyUnavailableError):
        sealer.open(sealed, PLACE)

    kms.error = None

    assert sealer.open(sealed, PLACE) == SECRET.encode()


def test_no_secret_is_shown_or_logged(
    sealer: SecretSealer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    sealed = sealer.seal(SECRET, PLACE)
    sealer.open(sealed, PLACE)
    with pytest.raises(SealBrokenError) as broken_seal:
        sealer.open(sealed, PLACE._replace(object="other"))

    assert SECRET not in sealed
    assert SECRET not in "".join(representations(sealer)) + caplog.text
    assert not {SECRET, sealed} & {*map(str, broken_seal.value.args)}
    assert "opened_at" in "".join(representations(sealer)), "the cached entries were not reached"


def representations(thing: Any, depth: int = 6) -> list[str]:
    """Return the repr of an object and of what it holds."""
    held = [*getattr(thing, "__dict__", {}).values()]
    if isinstance(thing, dict):
        held += [*thing.values()]
    slots = [f"opened_at {thing.opened_at!r}"] if hasattr(thing, "opened_at") else []
    inner = [text for each in held for text in representations(each, depth - 1)] if depth else []
    return [repr(thing), *slots, *inner]
