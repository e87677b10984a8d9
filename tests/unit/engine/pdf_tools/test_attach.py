"""The tool `attach`: files in the name tree and as associated files."""

import base64
import io

import pikepdf
import pypdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.contract.options.pdf_tools import AttachOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.document_claims import read_pdf_claims
from tests.builders.pdfs.content import blank, opened, run_tool, saved, tool_run

CSV, TXT = b"a;b\n", b"t" * 5000
FILES = {"/attachments/0": CSV, "/attachments/1": TXT}


def attach(*names: str) -> AttachOptions:
    return AttachOptions.from_json(
        {
            "attachments": [
                {
                    "content": base64.b64encode(name.encode()).decode(),
                    "filename": name,
                    "content_type": "text/csv",
                    "relationship": "Data",
                }
                for name in names
            ]
        }
    )


def claiming(part: str, level: str) -> pikepdf.Pdf:
    document = blank()
    with document.open_metadata(set_pikepdf_as_editor=False) as xmp:
        xmp["pdfaid:part"], xmp["pdfaid:conformance"] = part, level
    return document


def test_files_are_embedded_and_associated() -> None:
    attached = run_tool(attach("ü.csv", "b.txt"), blank(), resources=FILES)

    document = opened(attached)
    embedded = {name: file.get_file().read_bytes() for name, file in document.attachments.items()}
    assert embedded == {"ü.csv": CSV, "b.txt": TXT}
    assert [str(file.UF) for file in document.Root.AF] == ["ü.csv", "b.txt"]
    assert document.Root.AF[0].AFRelationship == Name.Data
    assert pypdf.PdfReader(io.BytesIO(attached)).attachments["b.txt"] == [TXT]


def test_names_that_are_there_get_a_number() -> None:
    once = run_tool(attach("a.csv", "b"), blank(), resources=FILES)

    twice = opened(run_tool(attach("A.csv", "b"), once, resources=FILES))

    assert set(twice.attachments) == {"a.csv", "b", "A-2.csv", "b-2"}
    assert [str(file.UF) for file in twice.Root.AF] == ["a.csv", "b", "A-2.csv", "b-2"]


def test_a_single_associated_file_stays() -> None:
    document = blank()
    document.Root.AF = Dictionary(Type=Name.Filespec, F="x", UF="x")

    attached = opened(run_tool(attach("a"), document, resources=FILES))

    assert [str(file.UF) for file in attached.Root.AF] == ["x", "a"]


@pytest.mark.parametrize(
    ("part", "level", "warned"), [("1", "B", 1), ("2", "U", 1), ("3", "B", 0), ("9", "X", 0)]
)
def test_a_claim_that_embedded_files_break_is_warned_of(part: str, level: str, warned: int) -> None:
    output, tool_input = tool_run(attach("a"), claiming(part, level), resources=FILES)

    assert [each.code for each in tool_input.warnings] == ["feature_unavailable"] * warned
    assert read_pdf_claims(output.files[0].content).pdfa == f"{part}{level}".lower()


def test_a_name_tree_that_contains_itself_is_refused() -> None:
    document = blank()
    node = document.make_indirect(Dictionary(Limits=Array([String("a"), String("z")])))
    node.Kids = Array([node])
    document.Root.Names = Dictionary(EmbeddedFiles=Dictionary(Kids=Array([node])))

    with pytest.raises(RenderFailure) as refused:
        run_tool(attach("a"), document, resources=FILES)

    assert refused.value.code == "invalid_pdf_source"


def test_same_request_gives_same_bytes() -> None:
    source = saved(blank())

    assert len({run_tool(attach("a"), source, resources=FILES) for _ in range(3)}) == 1
