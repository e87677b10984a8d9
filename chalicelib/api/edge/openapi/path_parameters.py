"""Parameters of paths, and their descriptions."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chalicelib.api.edge.openapi import objects as oas
from chalicelib.api.edge.openapi.forms import parameter_schema

_PLACEHOLDER: Final = re.compile(r"\{(\w+)\+?\}")
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
        "file": "Name and format of the file, such as `badge.png`.",
        "file_id": "Id of the file, `file_…`.",
        "filename": "Name of the file, as the signed URL has it.",
        "link_id": "Id of the signed link, `lnk_…`.",
    }
)
_TAIL: Final = (
    "The rest of the path: one or more segments with `/` between them, each percent-encoded. Empty "
    "and dot segments and an encoded slash are `not_found`."
)


def path_parameters(path: str) -> list[oas.Parameter]:
    """Return the parameters of a path in their order."""
    return [_parameter(path, name) for name in _PLACEHOLDER.findall(path)]


def _parameter(path: str, name: str) -> oas.Parameter:
    parameter: oas.Parameter
    parameter = {
        "name": name,
        "in": "path",
        "required": True,
        "schema": parameter_schema(path, name),
    }
    text = _text(path, name)
    return parameter | {"description": text} if text else parameter


def _text(path: str, name: str) -> str:
    """Return the description of a parameter, or nothing for an unknown one."""
    if f"{{{name}+}}" in path:
        return _TAIL
    if name in _NAMES:
        return _NAMES[name]
    before, _, _ = path.partition(f"/{{{name}}}")
    return _IDS.get(before.rpartition("/")[2], "")
