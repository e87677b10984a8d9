"""File of a workspace: a ZIP archive of JSON documents, without any secret.

`workspace.json` is what the workspace has; `templates/<id>.json` is a template with all its
versions. Names of fields are those of the API.
"""

import zipfile
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from chalicelib.features.templates.model import TemplateType
from chalicelib.features.workspaces.model import Mode
from infra.operator.output import CommandError

# A release that changes the form reads the forms before, too.
FORMAT: Final = 1
_ABOUT: Final = "workspace.json"


class FileSource(msgspec.Struct, kw_only=True):
    """Source of a draft or a version."""

    content: dict[str, Any]
    options: dict[str, Any] = {}
    schema: dict[str, Any] | None = None


class FileVersion(FileSource, kw_only=True):
    """Published version."""

    number: int
    published_at: str
    note: str | None = None
    rollback_of: int | None = None


class FileDataset(msgspec.Struct, kw_only=True):
    """Dataset of a template."""

    id: str
    name: str
    data: dict[str, Any]
    is_default: bool


class FileRule(msgspec.Struct, kw_only=True):
    """Email rule of a template; `fields` are those of a request that makes it."""

    id: str
    fields: dict[str, Any]


class FileTemplate(msgspec.Struct, kw_only=True):
    """Template; `draft_is_live` where the newest version is the draft as it is."""

    id: str
    name: str
    description: str | None
    type: TemplateType
    locked: bool
    draft: FileSource
    draft_is_live: bool
    versions: list[FileVersion]
    datasets: list[FileDataset]
    email_rules: list[FileRule]


class FileConnection(msgspec.Struct, kw_only=True):
    """Email connection without its credentials."""

    id: str
    name: str
    provider: str
    default_from: dict[str, Any]
    reply_to: str | None
    test_mode: str
    test_recipient: str | None
    config: dict[str, Any]
    had_credentials: bool


class FileDestination(msgspec.Struct, kw_only=True):
    """Storage destination without its credentials."""

    id: str
    name: str
    provider: Literal["s3", "azure_blob", "gcs", "sftp"]
    path_template: str
    keep_hosted_copy: bool
    is_default: bool
    config: dict[str, Any]
    had_credentials: bool


class FileEndpoint(msgspec.Struct, kw_only=True):
    """Webhook endpoint without its secret, and without the values of its headers."""

    id: str
    mode: Mode
    url: str
    description: str | None
    events: list[str]
    template_ids: list[str]
    header_names: list[str]
    enabled: bool
    test_only: bool
    is_default: bool
    is_of_restricted_key: bool = False


class FileAbout(msgspec.Struct, kw_only=True):
    """Workspace of a file, and what it has besides templates."""

    object: Literal["platen_workspace"] = "platen_workspace"
    format: int = FORMAT
    release: str
    workspace: str
    name: str
    exported_at: str
    templates: list[str]
    email_connections: list[FileConnection]
    storage_destinations: list[FileDestination]
    webhook_endpoints: list[FileEndpoint]


class WorkspaceFile(msgspec.Struct):
    """Content of a file."""

    about: FileAbout
    templates: list[FileTemplate]

    def write(self, path: Path) -> None:
        """Write the archive, under its name when it is whole."""
        partial = path.with_name(f"{path.name}.partial")
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_ABOUT, msgspec.json.format(msgspec.json.encode(self.about)))
            for each in self.templates:
                text = msgspec.json.format(msgspec.json.encode(each))
                archive.writestr(_template_name(each.id), text)
        partial.rename(path)


class _Header(msgspec.Struct):
    """Fields that files of all formats have."""

    object: Literal["platen_workspace"]
    format: int
    release: str


def read_file(path: Path) -> WorkspaceFile:
    """Read an archive; raises CommandError for anything else, and for a newer format."""
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read(_ABOUT)
            header = msgspec.json.decode(text, type=_Header)
            if header.format > FORMAT:
                message = (
                    f"{path} was written by release {header.release}, which is newer than this "
                    "one: install that release or a later one"
                )
                raise CommandError("file_newer", message)
            about = msgspec.json.decode(text, type=FileAbout)
            templates = [
                msgspec.json.decode(archive.read(_template_name(each)), type=FileTemplate)
                for each in about.templates
            ]
    except (OSError, KeyError, zipfile.BadZipFile, msgspec.MsgspecError) as fault:
        message = f"{path} is no file of `platen export`, or it is damaged: {fault}"
        raise CommandError("file_unusable", message) from fault
    return WorkspaceFile(about, templates)


def _template_name(template_id: str) -> str:
    return f"templates/{template_id}.json"
