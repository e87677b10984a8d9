"""Descriptions of tags and of path parameters in the OpenAPI document."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

TAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Renders": "Make documents from HTML, web pages and templates, and read what became of "
        "them.",
        "Uploads": "Send files before the request that names them, such as assets and PDFs.",
        "Batches": "Render a template for many items of data, from a list or a CSV file.",
        "E-invoices": "Write the XML of e-invoices, and validate documents of others.",
        "PDF tools": "Merge, split, mark, protect, fill in, convert and check PDFs.",
        "Templates": "Keep templates with drafts, versions and sample data.",
        "Storage": "Send files to a store of yours: S3, Azure Blob Storage, Google Cloud Storage "
        "or SFTP.",
        "Emails": "Send files by email: connections to providers, rules of templates, and sends.",
        "Signed links": "Make pictures and PDFs at URLs that need no key.",
        "Webhooks": "Choose the addresses that get events, and read their deliveries.",
        "Files": "Fetch files by their signed URLs.",
        "Account": "Read the plan, the allowance and the usage of the workspace.",
        "Service": "Read about the service itself: its health, this description, its errors.",
        "Events": "What is sent to webhook endpoints: one operation for each type of event, which "
        "your server implements.",
    }
)
# By the segment of the path that stands before the parameter.
_IDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "batches": "Id of the batch, `bat_…`.",
        "datasets": "Id of the dataset, `ds_…`.",
        "email-connections": "Id of the email connection, `emc_…`.",
        "email-rules": "Id of the email rule, `emr_…`.",
        "email-sends": "Id of the email send, `ems_…`.",
        "renders": "Id of the render, `rnd_…`.",
        "signed-links": "Id of the signed link, `lnk_…`.",
        "storage-destinations": "Id of the storage destination, `dst_…`.",
        "templates": "Id of the template, `tpl_…`.",
        "uploads": "Id of the upload, `upl_…`.",
        "versions": "Number of the version, from 1.",
        "webhook-deliveries": "Id of the delivery, `whd_…`.",
        "webhook-endpoints": "Id of the webhook endpoint, `whe_…`.",
    }
)
_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "code": "Code of the error, such as `validation_error`.",
        "connection_id": "Id of the email connection, `emc_…`.",
        "file": "Name and format of the file, such as `badge.png`.",
        "file_id": "Id of the file, `file_…`.",
        "filename": "Name of the file, as the signed URL has it.",
        "link_id": "Id of the signed link, `lnk_…`.",
        "token": "The secret of the address that the provider was given.",
    }
)
_TAIL: Final = (
    "The rest of the path: one or more segments with `/` between them, each percent-encoded. Empty "
    "and dot segments and an encoded slash are `not_found`."
)


def parameter_text(path: str, name: str) -> str:
    """Return the description of a parameter of a path, or nothing for an unknown one."""
    if f"{{{name}+}}" in path:
        return _TAIL
    if name in _NAMES:
        return _NAMES[name]
    before, _, _ = path.partition(f"{{{name}}}")
    return _IDS.get(before.rstrip("/").rpartition("/")[2], "")
