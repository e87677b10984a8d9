"""Options of single tools, from the request to the file."""

import io
from typing import Any, cast
from zipfile import ZipFile

import pikepdf
import pytest

from tests.builders.pdfs.plain import as_source, pdf
from tests.builders.pdfs.requests import tool_request
from tests.builders.pdfs.tool_runs import outline_titles, page_texts
from tests.builders.service import Service
from tests.builders.uploads import post_upload


def run(service: Service, tool: str, **more: Any) -> Any:
    return service.call("POST", f"/v1/pdf-tools/{tool}", json_body=tool_request(tool, **more))


def file(service: Service, tool: str, **more: Any) -> bytes:
    answer = run(service, tool, delivery={"type": "binary"}, **more)
    assert answer.status == 200, answer.json
    content: bytes = answer.body
    return content


@pytest.mark.parametrize(
    ("degrees", "turned"), [(90, 90), (-90, 270), (-450, 270), (0, 0), (360, 0), (540, 180)]
)
def test_pages_are_turned_by_any_multiple_of_ninety(
    service: Service, degrees: int, turned: int
) -> None:
    content = file(service, "rotate", degrees=degrees)

    with pikepdf.open(io.BytesIO(content)) as document:
        assert [page.get("/Rotate", 0) for page in document.pages] == [turned] * 3


def test_every_few_pages_become_a_file(service: Service) -> None:
    render = run(service, "split", every=2, filename="Report").json

    assert [(each["filename"], each["pages"]) for each in render["files"]] == [
        ("Report-1.pdf", 2),
        ("Report-2.pdf", 1),
    ]


def test_more_pages_than_there_are_become_one_file(service: Service) -> None:
    render = run(service, "split", every=100_000).json

    assert [each["pages"] for each in render["files"]] == [3]


def test_too_many_files_are_refused_at_the_option_that_makes_them(service: Service) -> None:
    source = as_source(pdf(502))
    refused = [run(service, "split", source=source, **more) for more in ({"every": 1}, {})]

    assert [(each.status, each.pointers) for each in refused] == [
        (400, ["/every"]),
        (400, ["/ranges"]),
    ]


@pytest.mark.parametrize(("filename", "stem"), [(None, "document"), ("Ü ber.pdf", "Ü ber")])
def test_the_files_of_a_split_may_stand_in_a_zip(
    service: Service, filename: str | None, stem: str
) -> None:
    answer = run(service, "split", zip=True, filename=filename, delivery={"type": "binary"})

    assert answer.headers["Content-Type"] == "application/zip"
    with ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [f"{stem}-{n}.pdf" for n in (1, 2, 3)]
        texts = [page_texts(archive.read(name)) for name in archive.namelist()]
    assert texts == [["page 1"], ["page 2"], ["page 3"]]


def test_the_zip_of_a_split_is_its_only_file(service: Service) -> None:
    render = run(service, "split", zip=True, filename="Report").json

    assert [(each["format"], each["filename"]) for each in render["files"]] == [
        ("zip", "Report.zip")
    ]
    assert render["output"]["format"] == "zip"


def test_bookmarks_have_the_names_of_the_files(service: Service) -> None:
    made = service.call(
        "POST",
        "/v1/pdf-tools/unlock",
        json_body={"source": as_source(pdf(1)), "filename": "Year 2026"},
    ).json
    sources = [
        {"file_id": made["files"][0]["id"]},
        {"render_id": made["id"]},
        as_source(pdf(1)),
    ]
    content = file(service, "merge", sources=sources, bookmarks=True)

    assert outline_titles(content) == ["Year 2026", "Year 2026", "Document 3"]


def test_bookmarks_of_uploads_have_their_names(service: Service) -> None:
    uploaded = post_upload(service, pdf(1), name="Bill.PDF", kind="application/pdf").json
    sources = [{"upload_id": uploaded["id"]}, as_source(pdf(1))]
    content = file(service, "merge", sources=sources, bookmarks=True)

    assert outline_titles(content) == ["Bill", "Document 2"]


def test_bookmarks_of_addresses_have_the_last_part_of_their_path(service: Service) -> None:
    sources = [
        {"url": "https://example.com/a/Terms%20of%20use.pdf?sig=secret"},
        {"url": "https://example.com/?sig=secret"},
    ]
    run(service, "merge", sources=sources, bookmarks=True)

    names = service.tool_calls[-1].event["job"]["names"]
    assert names == {"/sources/0": "Terms of use"}


def test_without_bookmarks_there_is_no_outline(service: Service) -> None:
    assert outline_titles(file(service, "merge")) == []


def test_bookmarks_stand_above_the_outlines_of_the_sources(service: Service) -> None:
    target = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf(2))) as document:
        with document.open_outline() as outline:
            outline.root += [pikepdf.OutlineItem("One", 0), pikepdf.OutlineItem("Two", 1)]
        document.save(target)
    source = as_source(target.getvalue())
    content = file(service, "merge", sources=[source, source], bookmarks=True)

    below = ["- One", "- Two"]
    assert outline_titles(content) == ["Document 1", *below, "Document 2", *below]
    with pikepdf.open(io.BytesIO(content)) as merged, merged.open_outline() as outline:
        places = [cast("pikepdf.Array", each.destination) for each in outline.root]
        pages = [merged.pages.index(pikepdf.Page(place[0])) for place in places]
    assert pages == [0, 2]


def test_metadata_are_read_without_set(service: Service) -> None:
    named = file(
        service,
        "metadata",
        set={"title": "A title", "author": "Ada", "keywords": ["a", "b"], "language": "de-AT"},
    )
    answer = run(service, "metadata", source=as_source(named), set=None)

    render = answer.json
    assert (answer.status, render["files"], render["billed"]) == (200, [], True)
    assert render["output"]["format"] is None
    assert render["result"] == {
        "metadata": {
            "title": "A title",
            "author": "Ada",
            "subject": None,
            "keywords": ["a", "b"],
            "language": "de-AT",
            "creator": None,
            "producer": None,
            "created_at": None,
            "modified_at": None,
        },
        "pages": 3,
        "encrypted": False,
    }
    assert service.call("GET", f"/v1/renders/{render['id']}").json["result"] == render["result"]


def test_hostile_metadata_are_cut(service: Service) -> None:
    target = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf(1))) as document:
        document.docinfo["/Title"] = "x\u202e" * 50_000
        document.docinfo["/Keywords"] = ",".join(["y" * 500] * 200)
        document.docinfo["/CreationDate"] = "D:99999999999999"
        document.docinfo["/ModDate"] = "D:20200102030405+01'00'"
        document.docinfo["/Author"] = pikepdf.Array([1])
        document.save(target)
    found = run(service, "metadata", source=as_source(target.getvalue()), set=None).json["result"]

    metadata = found["metadata"]
    assert len(metadata["title"]) == 1_000
    assert (len(metadata["keywords"]), len(metadata["keywords"][0])) == (100, 200)
    assert (metadata["created_at"], metadata["author"]) == (None, None)
    assert metadata["modified_at"] == "2020-01-02T02:04:05.000Z"


def test_zero_retention_keeps_no_metadata(service: Service) -> None:
    named = file(service, "metadata")
    answer = run(
        service,
        "metadata",
        source=as_source(named),
        set=None,
        delivery={"type": "binary", "retention": "none"},
    )

    assert answer.json["result"]["metadata"]["title"] == "A title"
    assert "A title" not in str(service.rows(answer.json["id"]))


@pytest.mark.parametrize("place", ["password", "source"])
def test_a_password_of_either_place_unlocks(service: Service, place: str) -> None:
    locked = as_source(pdf(password="right"))
    more: Any = {"password": "right"} if place == "password" else {}
    if place == "source":
        locked["password"] = "right"
    content = file(service, "unlock", source=locked, **more)

    with pikepdf.open(io.BytesIO(content)) as document:
        assert not document.is_encrypted


def test_two_passwords_are_refused_at_the_second(service: Service) -> None:
    source = as_source(pdf(password="right"), password="right")
    refused = run(service, "unlock", source=source, password="right")

    assert (refused.code, refused.pointers) == ("validation_error", ["/password"])


def test_a_password_of_unlock_is_kept_nowhere(service: Service) -> None:
    refused = run(service, "unlock", source=as_source(pdf(password="a")), password="wrong-secret")

    assert refused.code == "pdf_password_required"
    (render,) = service.call("GET", "/v1/renders").json["data"]
    assert "wrong-secret" not in str((refused.json, service.rows(render["id"])))
