"""Storage destination of a workspace."""

import re
from typing import Final, Literal, NamedTuple

from chalicelib.adapters.aws.sealing import SealContext
from chalicelib.core.ids import DestinationId, WorkspaceId
from chalicelib.core.json import JsonObject

type StorageProvider = Literal["s3", "azure_blob", "gcs", "sftp"]

CREDENTIALS_FIELD: Final = "storage_credentials"
_TAG: Final = re.compile(r"\{[{%#]")


class StorageDestination(NamedTuple):
    """Store of a customer; `changes` counts its changes.

    `path_template` is the template source of whole paths. `config` and the sealed credentials are
    those of its provider. `sealed_credentials` is None where there are none. `last_error` has `at`,
    `code`, `message` and `status`, and makes the destination failing; a good test or upload removes
    it.
    """

    id: DestinationId
    workspace_id: WorkspaceId
    name: str
    provider: StorageProvider
    path_template: str
    keep_hosted_copy: bool
    is_default: bool
    config: JsonObject
    sealed_credentials: str | None
    created_at: str
    updated_at: str
    last_error: JsonObject | None = None
    last_test_at: str | None = None
    last_test_status: str | None = None
    changes: int = 0

    @property
    def credentials_place(self) -> SealContext:
        """Return the place in which its credentials are sealed."""
        return SealContext(self.workspace_id, self.id, CREDENTIALS_FIELD)


def literal_part(template: str) -> str:
    """Return a template up to its first tag: all of it if it has none."""
    return _TAG.split(template, maxsplit=1)[0]
