"""Use of the client that openapi-python-client has generated as `platen_client`."""

import json
import os
import sys
import time
from io import BytesIO
from pathlib import Path

import httpx
from platen_client import AuthenticatedClient
from platen_client.api.batches import create_batch, list_batch_items, retrieve_batch
from platen_client.api.pdf_tools import merge_pdfs
from platen_client.api.renders import create_pdf_from_html, create_render, retrieve_render
from platen_client.api.templates import create_template, publish_template_version
from platen_client.api.uploads import create_upload, retrieve_upload
from platen_client.models import (
    AnnouncedUpload,
    Batch,
    BatchItemList,
    BatchItemSpec,
    BatchItemSpecDataType0,
    BatchRequestItems,
    HtmlInputText,
    MergeRequest,
    PdfFromHtmlText,
    PdfSourceUpload,
    ProblemDetails,
    PublishRequest,
    Render,
    RenderRequest,
    RenderRequestDataType0,
    Template,
    TemplateInput,
    TemplateRequest,
    TemplateVersion,
    Upload,
    UploadFile,
    UploadRequest,
)
from platen_client.types import File

HTML = "<!doctype html><html lang='en'><title>A page</title><h1>Hello"


def use(client: AuthenticatedClient, target: Path) -> dict[str, object]:
    """Call the operations and return what they have answered."""
    html = PdfFromHtmlText(html=HTML, delivery="binary")
    file = create_pdf_from_html.sync(client=client, body=html)
    assert isinstance(file, File)
    document = file.payload.read()
    target.write_bytes(document)

    page = HtmlInputText(type_="html", html=HTML)
    render = create_render.sync(client=client, body=RenderRequest(input_=page))
    assert isinstance(render, Render)

    template = create_template.sync(
        client=client, body=TemplateRequest(name="Letter", html="<h1>Dear {{ name }}")
    )
    assert isinstance(template, Template)
    version = publish_template_version.sync(template.id, client=client, body=PublishRequest())
    assert isinstance(version, TemplateVersion)
    data = RenderRequestDataType0.from_dict({"name": "Ada"})
    letter = create_render.sync(
        client=client,
        body=RenderRequest(
            input_=TemplateInput(type_="template", template_id=template.id), data=data
        ),
    )
    assert isinstance(letter, Render)

    sources = [_upload(client, document), _announce(client, document)]
    merged = merge_pdfs.sync(
        client=client, body=MergeRequest(sources=[PdfSourceUpload(upload_id=i) for i in sources])
    )
    assert isinstance(merged, Render)

    problem = retrieve_render.sync("rnd_unknown", client=client)
    assert isinstance(problem, ProblemDetails)
    return {
        "render": render.status,
        "version": version.number,
        "letter": letter.status,
        "merged_pages": merged.pages,
        "items": _batch(client, template.id),
        "problem": problem.code,
    }


def _upload(client: AuthenticatedClient, document: bytes) -> str:
    file = File(payload=BytesIO(document), file_name="a.pdf", mime_type="application/pdf")
    upload = create_upload.sync(client=client, body=UploadFile(file=file))
    assert isinstance(upload, Upload)
    return upload.id


def _announce(client: AuthenticatedClient, document: bytes) -> str:
    announced = create_upload.sync(
        client=client,
        body=UploadRequest(filename="b.pdf", content_type="application/pdf", bytes_=len(document)),
    )
    assert isinstance(announced, AnnouncedUpload)
    fields = announced.upload.fields.additional_properties
    httpx.post(announced.upload.url, data=fields, files={"file": document}).raise_for_status()
    arrived = retrieve_upload.sync(announced.id, client=client)
    assert isinstance(arrived, Upload)
    assert arrived.status == "ready"
    return announced.id


def _batch(client: AuthenticatedClient, template: str) -> list[str]:
    data = [BatchItemSpecDataType0.from_dict({"name": name}) for name in ("Ada", "Bea", "Cy")]
    items = [BatchItemSpec(data=each) for each in data]
    batch = create_batch.sync(
        client=client, body=BatchRequestItems(template_id=template, items=items)
    )
    assert isinstance(batch, Batch)
    while batch.status in {"queued", "processing"}:
        time.sleep(0.2)
        batch = retrieve_batch.sync(batch.id, client=client)
        assert isinstance(batch, Batch)
    listed = list_batch_items.sync(batch.id, client=client)
    assert isinstance(listed, BatchItemList)
    return [item.status for item in listed.data]


if __name__ == "__main__":
    access = AuthenticatedClient(
        os.environ["PLATEN_URL"], token=os.environ["PLATEN_KEY"], timeout=httpx.Timeout(120)
    )
    sys.stdout.write(json.dumps(use(access, Path(os.environ["TARGET"]))))
