"""Untagged content becomes an artifact, and tagged content is unchanged."""

import pytest

from chalicelib.engine.pdf.tagging.untagged_content import mark_untagged_as_artifact

COVER = b"\n/Artifact BMC\n%s\nEMC\n"


def as_named(name: bytes) -> bytes:
    return name


@pytest.mark.parametrize(
    "painted",
    [
        b"0 0 720 1048 re\nf",
        b"1 2 m\n3 4 l\n5 6 7 8 9 10 c\nh\nf*",
        b"0 0 1 1 re\n2 2 1 1 re\nS",
        b"/X5 Do",
        b"/P3 sh",
        b"BT\n/F4 16 Tf\n1 0 0 -1 8 50 Tm\n<0028> Tj\n(a \\) Do) '\nET",
        b"BT\n/Span <</ActualText <FEFF0629> >> BDC\n<01> Tj\nEMC\nET",
    ],
)
def test_untagged_content_becomes_one_artifact(painted: bytes) -> None:
    before, after = b"q\n1 0 0 1 0 0 cm\n/G3 gs", b"\nQ\n"

    content = mark_untagged_as_artifact(before + b"\n" + painted + after, as_named)

    assert content.split() == (before + COVER % painted + after).split()


@pytest.mark.parametrize(
    "content",
    [
        b"/P <</MCID 0 >>BDC\n0 0 1 1 re\nf\nBT\n<01> Tj\nET\n/X1 Do\nEMC\n",
        b"/P <</MCID 0 >>BDC\n/Span <</ActualText <FEFF0629> >> BDC\nBT\n<01> Tj\nET\nEMC\nf\nEMC",
        b"/Artifact <</Type /Pagination /Subtype /Header>> BDC q\n/X1 Do\nQ EMC",
        b"0 0 1 1 re\nW* n\n",
        b"BT\n/P <</MCID 0 >>BDC\n<01> Tj\nEMC\nET",
        b"",
    ],
)
def test_tagged_or_unpainted_content_is_unchanged(content: bytes) -> None:
    assert mark_untagged_as_artifact(content, as_named) == content


def test_only_untagged_parts_of_a_text_become_artifacts() -> None:
    content = b"BT\n<01> Tj\n/P <</MCID 0 >>BDC\n<02> Tj\nEMC\n1 0 Td <03> Tj\nET"

    assert (
        mark_untagged_as_artifact(content, as_named).split()
        == (
            b"BT /Artifact BMC <01> Tj EMC /P <</MCID 0 >>BDC <02> Tj EMC 1 0 Td"
            b" /Artifact BMC <03> Tj EMC ET"
        ).split()
    )


def test_tag_may_end_after_its_text_object() -> None:
    content = b"BT\n/P <</MCID 0 >>BDC\n<02> Tj\nET\nEMC\n0 0 1 1 re\nf"

    assert mark_untagged_as_artifact(content, as_named).endswith(COVER % b"0 0 1 1 re\nf")


def test_named_xobject_may_be_kept_or_renamed() -> None:
    content = b"/X1 Do\n/X2 Do"

    other = mark_untagged_as_artifact(
        content, lambda name: None if name == b"X1" else b"X2Artifact"
    )

    assert other == b"/X1 Do" + COVER % b"/X2Artifact Do"
