"""Sealing: what opens, what does not, and which error says so."""

import base64
from typing import Final

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from hypothesis import assume, example, given
from hypothesis import strategies as st

from chalicelib.adapters.aws.sealing import (
    KeyUnavailableError,
    SealBrokenError,
    SealContext,
    SecretSealer,
)
from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.core.ids import WorkspaceId
from tests.fakes.kms import FakeKms, kms_error, sealer_over

SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PLACE: Final = SealContext(WorkspaceId("ws_1"), "whe_1", "signing_secret")
URL_SAFE: Final = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
# Where KMS ignores the context, only the cipher of the secret binds it to its place.
IGNORES_CONTEXT: Final = pytest.mark.parametrize("ignores_context", [False, True])


@pytest.fixture
def kms() -> FakeKms:
    return FakeKms()


@pytest.fixture
def sealer(kms: FakeKms) -> SecretSealer:
    return sealer_over(kms)


ids = st.text('abc_1é"\0', min_size=1, max_size=30)
places = st.builds(SealContext, ids.map(WorkspaceId), ids, ids)


@given(secret=st.binary(max_size=5_000), place=places)
@example(secret=b"", place=PLACE)
def test_opens_what_was_sealed(secret: bytes, place: SealContext) -> None:
    kms = FakeKms()
    sealed = sealer_over(kms).seal(secret, place)

    assert sealer_over(kms).open(sealed, place) == secret
    assert set(sealed) <= URL_SAFE


@IGNORES_CONTEXT
@given(sealed_in=places, opened_in=places)
@example(
    SealContext(WorkspaceId("a"), "bc", "d"),
    SealContext(WorkspaceId("ab"), "c", "d"),
)
def test_opens_in_no_other_place(
    sealed_in: SealContext, opened_in: SealContext, *, ignores_context: bool
) -> None:
    assume(sealed_in != opened_in)
    sealer = sealer_over(FakeKms(ignores_context=ignores_context))
    sealed = sealer.seal(SECRET, sealed_in)

    with pytest.raises(SealBrokenError):
        sealer.open(sealed, opened_in)


@IGNORES_CONTEXT
@pytest.mark.parametrize("at", range(3), ids=SealContext._fields)
def test_cached_secret_does_not_open_in_another_place(at: int, *, ignores_context: bool) -> None:
    sealer = sealer_over(FakeKms(ignores_context=ignores_context))
    sealed = sealer.seal(SECRET, PLACE)
    assert sealer.open(sealed, PLACE) == SECRET.encode()

    with pytest.raises(SealBrokenError):
        sealer.open(sealed, SealContext._make([*PLACE[:at], "other", *PLACE[at + 1 :]]))


@pytest.mark.parametrize("at", range(3), ids=SealContext._fields)
def test_place_without_an_id_is_refused(sealer: SecretSealer, at: int) -> None:
    with pytest.raises(AssertionError):
        sealer.seal(SECRET, SealContext._make([*PLACE[:at], "", *PLACE[at + 1 :]]))


def test_every_altered_character_breaks_the_seal(sealer: SecretSealer) -> None:
    # Three lengths, so that the last character has 0, 2 and 4 unused bits.
    for secret in ("x", "xy", "xyz"):
        sealed = sealer.seal(secret, PLACE)
        for at, character in enumerate(sealed):
            for other in {"A", "B", "a", "_", ".", "+", "=", " ", "\n", "é"} - {character}:
                altered = sealed[:at] + other + sealed[at + 1 :]
                with pytest.raises(SealBrokenError):
                    sealer.open(altered, PLACE)


def test_every_bit_of_a_sealed_value_counts(sealer: SecretSealer) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    sealed = sealer.seal("x", PLACE)

    for other in alphabet.replace(sealed[-1], ""):
        with pytest.raises(SealBrokenError):
            sealer.open(sealed[:-1] + other, PLACE)


@given(data=st.data())
def test_cut_and_lengthened_values_are_broken(data: st.DataObject) -> None:
    sealer = sealer_over(FakeKms())
    sealed = sealer.seal(SECRET, PLACE)
    start = data.draw(st.integers(0, len(sealed)))
    end = data.draw(st.integers(start, len(sealed)))
    put_in = data.draw(st.text(max_size=10))
    altered = sealed[:start] + put_in + sealed[end:]
    assume(altered != sealed)

    with pytest.raises(SealBrokenError):
        sealer.open(altered, PLACE)


@pytest.mark.parametrize(
    "text",
    ["", ".", "v1", "v1.", "v1.AA", "v1.AAA", "v1.AAAA", "v1.____", "v2.AAAA", "V1.AAAA", SECRET],
)
def test_other_texts_are_broken_without_a_call(
    sealer: SecretSealer, kms: FakeKms, text: str
) -> None:
    with pytest.raises(SealBrokenError):
        sealer.open(text, PLACE)

    assert kms.calls == []


def test_unknown_version_is_broken(sealer: SecretSealer) -> None:
    sealed = sealer.seal(SECRET, PLACE)

    with pytest.raises(SealBrokenError, match="version"):
        sealer.open(f"v2{sealed[2:]}", PLACE)


def test_parts_of_two_values_do_not_combine(sealer: SecretSealer) -> None:
    one, two = (base64.urlsafe_b64decode(sealer.seal(SECRET, PLACE)[3:] + "==") for _ in range(2))
    differing = [at for at in range(1, len(one)) if one[at:] != two[at:] and one[:at] != two[:at]]
    assert len(differing) > len(SECRET)

    for at in differing:
        mixed = base64.urlsafe_b64encode(one[:at] + two[at:]).decode().rstrip("=")
        with pytest.raises(SealBrokenError):
            sealer.open(f"v1.{mixed}", PLACE)


@pytest.mark.parametrize(
    "code",
    ["AccessDeniedException", "DisabledException", "KMSInvalidStateException", "NotFoundException"],
)
def test_unusable_key_is_told_apart(sealer: SecretSealer, kms: FakeKms, code: str) -> None:
    sealed = sealer.seal(SECRET, PLACE)
    kms.error = kms_error(code)

    with pytest.raises(KeyUnavailableError) as opened:
        sealer.open(sealed, PLACE)
    with pytest.raises(KeyUnavailableError):
        sealer.seal(SECRET, PLACE)
    assert not is_transient(opened.value)


@pytest.mark.parametrize(
    "error",
    [
        kms_error("ThrottlingException"),
        kms_error("KeyUnavailableException", 500),
        kms_error("KMSInternalException", 500),
        kms_error("DependencyTimeoutException", 503),
        ReadTimeoutError(endpoint_url="https://kms"),
    ],
    ids=repr,
)
def test_transient_error_is_raised_as_it_is(
    sealer: SecretSealer, kms: FakeKms, error: Exception
) -> None:
    sealed = sealer.seal(SECRET, PLACE)
    kms.error = error

    with pytest.raises(type(error)) as opened:
        sealer.open(sealed, PLACE)
    assert opened.value is error
    assert is_transient(opened.value)

    kms.error = None
    assert sealer.open(sealed, PLACE) == SECRET.encode()


def test_error_of_ours_is_no_statement_about_the_value(sealer: SecretSealer, kms: FakeKms) -> None:
    sealed = sealer.seal(SECRET, PLACE)
    kms.error = kms_error("InvalidKeyUsageException")

    with pytest.raises(ClientError):
        sealer.open(sealed, PLACE)
