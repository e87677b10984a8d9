"""The tool `metadata`: Info and XMP say the same, and all else stays."""

import io
import warnings
from typing import Any

import pikepdf
import pypdf
import pytest
from pikepdf import Array, Dictionary, Name

from chalicelib.contract.options.pdf_tools import MetadataOptions
from chalicelib.engine.conformance.document_claims import read_pdf_claims
from tests.builders.pdfs.content import blank, opened, run_tool, saved

DATES = {"/CreationDate": "D:20200102030405+01'00'", "/ModDate": "D:20210102030405Z"}
ALL = {
    "title": "Zwölf <Monate> & 東京",
    "author": "Ada",
    "subject": "s",
    "keywords": ["b", "a", "b"],
    "language": "de-CH",
}


def metadata(**info: Any) -> MetadataOptions:
    return MetadataOptions.from_json({"set": info})


def archive() -> pikepdf.Pdf:
    """Return a document that claims PDF/A-3b and has a property of an own schema."""
    document = blank()
    document.docinfo.update(DATES)
    document.docinfo["/Title"] = "Old"
    document.docinfo["/Odd"] = "kept"
    with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as xmp:
        xmp.register_xml_namespace("urn:example:", "ex")
        xmp["dc:title"] = "Old"
        xmp["pdfaid:part"], xmp["pdfaid:conformance"] = "3", "B"
        xmp["ex:number"] = "17"
    return document


def test_info_and_xmp_say_the_same() -> None:
    changed = run_tool(metadata(**ALL), archive())

    document = opened(changed)
    xmp = document.open_metadata()
    assert str(document.docinfo["/Title"]) == xmp["dc:title"] == ALL["title"]
    assert str(document.docinfo["/Author"]) == "Ada"
    assert xmp["dc:creator"] == ["Ada"]
    assert str(document.docinfo["/Subject"]) == xmp["dc:description"] == "s"
    assert str(document.docinfo["/Keywords"]) == xmp["pdf:Keywords"] == "b, a, b"
    assert xmp["dc:subject"] == {"a", "b"}
    assert (str(document.Root.Lang), xmp["dc:language"]) == ("de-CH", {"de-CH"})
    assert bool(document.Root.ViewerPreferences.DisplayDocTitle)


def test_another_reader_finds_them() -> None:
    reader = pypdf.PdfReader(io.BytesIO(run_tool(metadata(**ALL), archive())))

    assert reader.metadata is not None
    assert reader.metadata.title == ALL["title"]
    assert reader.xmp_metadata is not None
    assert reader.xmp_metadata.dc_title == {"x-default": ALL["title"]}


def test_what_is_not_named_stays() -> None:
    document = opened(run_tool(metadata(author="Ada"), archive()))

    xmp = document.open_metadata()
    assert str(document.docinfo["/Title"]) == xmp["dc:title"] == "Old"
    assert {name: str(document.docinfo[name]) for name in DATES} == DATES
    assert str(document.docinfo["/Odd"]) == "kept"
    assert xmp["{urn:example:}number"] == "17"
    assert "xmp:MetadataDate" not in xmp
    assert read_pdf_claims(saved(document)).pdfa == "3b"


def test_empty_values_remove() -> None:
    full = run_tool(metadata(**ALL), archive())

    document = opened(
        run_tool(metadata(title="", author="", subject="", keywords=[], language=""), full)
    )

    assert set(document.docinfo.keys()) == {*DATES, "/Odd"}
    xmp = document.open_metadata()
    gone = ("dc:title", "dc:creator", "dc:description", "dc:subject", "pdf:Keywords", "dc:language")
    assert [name for name in gone if name in xmp] == []
    assert "/Lang" not in document.Root


def test_a_document_without_xmp_gets_all_of_its_info() -> None:
    document = blank()
    document.docinfo.update({**DATES, "/Title": "Old", "/Odd": "x"})

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        changed = opened(run_tool(metadata(subject="s"), document))

    xmp = changed.open_metadata()
    assert (xmp["dc:title"], xmp["dc:description"]) == ("Old", "s")
    assert xmp["xmp:CreateDate"] == "2020-01-02T03:04:05+01:00"


@pytest.mark.parametrize(
    "packet",
    [
        b"no xml <",
        b"",
        b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>',
        b"\xff\xfe\x00",
    ],
)
def test_damaged_xmp_is_replaced(packet: bytes) -> None:
    document = blank()
    document.Root.Metadata = document.make_stream(packet, Type=Name.Metadata, Subtype=Name.XML)

    changed = opened(run_tool(metadata(title="New"), document))

    assert changed.open_metadata()["dc:title"] == "New"


def test_the_language_of_the_only_root_element_follows() -> None:
    document = blank()
    document.Root.StructTreeRoot = document.make_indirect(
        Dictionary(K=Array([Dictionary(S=Name.Document, Lang="en")]))
    )

    changed = opened(run_tool(metadata(language="fr"), document))

    assert str(changed.Root.StructTreeRoot.K[0].Lang) == "fr"


def test_same_request_gives_same_bytes() -> None:
    source = saved(archive())

    assert len({run_tool(metadata(**ALL), source) for _ in range(3)}) == 1
