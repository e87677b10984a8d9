"""Jobs of renders: their JSON in invocations and the bucket, and the uploads that they name."""

from collections.abc import Mapping
from copy import replace
from typing import Final

import msgspec

from chalicelib.contract.options.pdf_tools import PdfSource
from chalicelib.core.ids import UploadId, WorkspaceId
from chalicelib.core.json import Json, JsonObject, OpaqueObject
from chalicelib.core.message_version import check_version
from chalicelib.engine.job import InvoiceJob, Job, PageJob, PdfToolJob
from chalicelib.engine.sources.url import UrlSource
from chalicelib.features.renders.model import Render
from chalicelib.features.uploads.model import upload_key

_VERSION: Final = 5
# A body of the previous version may wait in a queue during a deployment.
_PREVIOUS_VERSION: Final = 4


class _PreviousBody(msgspec.Struct, frozen=True):
    """Body of version 4; its `input` also has the stored template's additions to the request."""

    input: OpaqueObject
    output: OpaqueObject
    includes: Mapping[str, Mapping[str, str]]
    data: OpaqueObject | None
    data_url: str | None

    def to_json(self) -> JsonObject:
        """Return the JSON of the present version."""
        source: JsonObject = self.input
        if source["type"] == "einvoice":
            return {**source, "kind": "einvoice", "filename": self.output["filename"]}
        default, schema = source.get("einvoice"), source.get("schema")
        if source["type"] == "template":
            content = {**source, "type": "canvas" if "scene" in source else "html"}
            source = {**source, "content": content}
        omission = default["left_out"] if isinstance(default, Mapping) else None
        return {
            "kind": "page",
            "source": source,
            "output": self.output,
            "data": self.data,
            "data_url": self.data_url,
            "schema": schema,
            "includes": [self.includes["sources"], self.includes["problems"]],
            "einvoice_default": omission and {"einvoice": default, "omission": omission},
        }


def job_to_json(job: Job) -> dict[str, Json]:
    """Return a job as JSON, for an invocation or an object."""
    return {"v": _VERSION, **msgspec.to_builtins(job)}


def job_from_json(value: JsonObject) -> Job:
    """Return the job of JSON that `job_to_json` returned; raises UnknownVersion."""
    if value.get("v") == _PREVIOUS_VERSION:
        value = {"v": _VERSION, **msgspec.convert(value, _PreviousBody).to_json()}
    check_version(value, _VERSION, "a body")
    job: Job = msgspec.convert(value, Job)
    return job


def job_with_context(job: Job, render: Render) -> Job:
    """Return the job of a render whose email rules and storage paths know it.

    Items of a batch share one job.
    """
    if job.storage is not None:
        known: JsonObject = {"render_id": render.id, "reference": render.reference}
        storage = msgspec.structs.replace(job.storage, context=known)
        job = msgspec.structs.replace(job, storage=storage)
    if not isinstance(job, PageJob) or job.emails is None:
        return job
    context: JsonObject = {
        "id": render.id,
        "reference": render.reference,
        "metadata": render.metadata,
        "test": render.test,
        "template_id": render.template_id,
        "template_version": render.template_version,
    }
    emails = msgspec.structs.replace(job.emails, context=context)
    return msgspec.structs.replace(job, emails=emails)


def referenced_uploads(job: Job) -> dict[str, str]:
    """Return the ids of a job's uploads, by JSON Pointer into the request."""
    if isinstance(job, PdfToolJob):
        return {
            f"{pointer}/upload_id": source.upload_id
            for pointer, source in job.named_contents().items()
            if source.upload_id is not None
        }
    if isinstance(job, InvoiceJob):
        return _embedded_documents(job.invoice, "/invoice")
    einvoice = job.output.einvoice
    return {
        **job.source.referenced_uploads(),
        **_embedded_documents(einvoice.invoice if einvoice else None, "/output/einvoice/invoice"),
        **{
            f"/input/assets/{number}/upload_id": asset.upload_id
            for number, asset in enumerate(job.assets)
            if asset.upload_id is not None
        },
        **{
            f"{pointer}/upload_id": source.upload_id
            for pointer, source in job.output.pdf.content_sources()
            if source.upload_id is not None
        },
    }


def _embedded_documents(invoice: JsonObject | None, pointer: str) -> dict[str, str]:
    """Return the uploads that an invoice embeds (BT-125); its contents are not checked yet."""
    documents = (invoice or {}).get("supporting_documents")
    return {
        f"{pointer}/supporting_documents/{n}/upload_id": upload_id
        for n, document in enumerate(documents if isinstance(documents, list) else ())
        if isinstance(document, Mapping) and isinstance(upload_id := document.get("upload_id"), str)
    }


def referenced_files(job: Job) -> dict[str, str]:
    """Return the ids of the files of renders that a job reads, by JSON Pointer into the request."""
    if not isinstance(job, PdfToolJob):
        return {}
    return {
        f"{pointer}/file_id": source.file_id
        for pointer, source in job.contents().items()
        if isinstance(source, PdfSource) and source.file_id is not None
    }


def referenced_renders(job: Job) -> dict[str, str]:
    """Return the ids of the renders whose PDFs a job reads, by JSON Pointer into the request."""
    if not isinstance(job, PdfToolJob):
        return {}
    return {
        f"{pointer}/render_id": source.render_id
        for pointer, source in job.pdf_sources().items()
        if source.render_id is not None
    }


def fetched_urls(job: Job) -> dict[str, str]:
    """Return the URLs that a job gets by itself, by JSON Pointer into the request."""
    urls: dict[str, str | None] = {}
    if isinstance(job, PageJob):
        urls["/input/url"] = job.source.url if isinstance(job.source, UrlSource) else None
        urls["/data_url"] = job.data_url if job.uses_data else None
        contents = job.output.pdf.content_sources()
        urls |= {f"{pointer}/url": source.url for pointer, source in contents}
    elif isinstance(job, PdfToolJob):
        urls |= {f"{pointer}/url": each.url for pointer, each in job.named_contents().items()}
    return {pointer: url for pointer, url in urls.items() if url is not None}


def upload_keys(job: Job, workspace_id: WorkspaceId) -> dict[str, str]:
    """Return the object keys of a job's uploads, and of files that it reads, by their ids."""
    uploads = {
        upload_id: upload_key(workspace_id, UploadId(upload_id))
        for upload_id in referenced_uploads(job).values()
    }
    return {**uploads, **job.file_keys} if isinstance(job, PdfToolJob) else uploads


def with_trace_header(job: Job, traceparent: str | None) -> Job:
    """Return a job whose URL is fetched with `traceparent`, as the caller's headers are.

    The caller's own header of this name stays.
    """
    if traceparent is None or not isinstance(job, PageJob) or not isinstance(job.source, UrlSource):
        return job
    headers = job.output.http.headers or {}
    if any(name.lower() == "traceparent" for name in headers):
        return job
    http = replace(job.output.http, headers={**headers, "traceparent": traceparent})
    return replace(job, output=replace(job.output, http=http))
