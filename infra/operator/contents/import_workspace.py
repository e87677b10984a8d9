"""Import of a file into a workspace; a repetition changes nothing.

Things get ids that are derived from those of the file and the workspace: so a repetition finds
them, and no other workspace has them. All mentions of ids change with them, those in sources too.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from chalicelib.core.clock import format_rfc3339
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import (
    ConnectionId,
    DestinationId,
    WorkspaceId,
    derived_id,
    id_created_at,
)
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.emails.connections.manage import require_email
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.workspaces.entitlements import require_feature
from chalicelib.features.workspaces.model import Workspace
from infra.operator.contents.import_templates import ImportTemplates
from infra.operator.contents.model import (
    FileConnection,
    FileDestination,
    FileEndpoint,
    WorkspaceFile,
)

if TYPE_CHECKING:
    from chalicelib.bootstrap.operator_contents import ContentsService

_ID: Final = re.compile(r"\b(?:tpl|ds|emr|emc|dst|whe)_[0-7][0-9A-HJKMNP-TV-Z]{25}\b")


class Imported(NamedTuple):
    """Thing that was imported: its id in the file, what became of it, and what it still needs."""

    kind: str
    name: str
    id: str
    file_id: str
    outcome: str
    needs: str = ""


class IdMap:
    """Ids of a file, each with the id of the same thing in a workspace."""

    def __init__(self, file: WorkspaceFile, workspace_id: WorkspaceId, *, keeps: bool) -> None:
        """Derive the ids of a workspace, unless it `keeps` those of the file."""
        is_same = keeps or file.about.workspace == workspace_id
        self._new = {
            each: each if is_same else derived_id(prefix, id_created_at(each), workspace_id, each)
            for each, prefix in ((each, each.partition("_")[0]) for each in _own_ids(file))
        }
        self._old = {new: old for old, new in self._new.items()}

    def apply(self, file: WorkspaceFile) -> WorkspaceFile:
        """Return the file with the ids of the workspace."""
        text = msgspec.json.encode(file).decode()
        text = _ID.sub(lambda found: self._new.get(found[0], found[0]), text)
        return msgspec.json.decode(text, type=WorkspaceFile)

    def in_file(self, new: str) -> str:
        """Return the id that a thing has in the file."""
        return self._old[new]


def _own_ids(file: WorkspaceFile) -> Iterator[str]:
    about = file.about
    yield from (each.id for each in about.email_connections)
    yield from (each.id for each in about.storage_destinations)
    yield from (each.id for each in about.webhook_endpoints)
    for template in file.templates:
        yield template.id
        yield from (each.id for each in template.datasets)
        yield from (each.id for each in template.email_rules)


class ImportWorkspace(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Import into one workspace."""

    service: "ContentsService"
    workspace: Workspace
    ids: IdMap

    def __call__(self, file: WorkspaceFile) -> list[Imported]:
        """Make the workspace what the file holds, and leave what else it has.

        Nothing is written where the plan lacks a feature, or a version is another one.
        """
        about = file.about
        templates = ImportTemplates(service=self.service, workspace=self.workspace)
        if about.email_connections or any(each.email_rules for each in file.templates):
            require_email(self.workspace)
        if about.storage_destinations:
            require_feature(self.workspace, "storage", "")
        for each in file.templates:
            templates.check(each)
        done = [self._connection(each) for each in about.email_connections]
        done += [self._destination(each) for each in about.storage_destinations]
        for each in file.templates:
            outcome = templates(each)
            templates.rules(each)
            done.append(self._row("template", each.name, each.id, outcome))
        done += [self._endpoint(each) for each in about.webhook_endpoints]
        return done

    def _row(self, kind: str, name: str, new: str, outcome: str, needs: str = "") -> Imported:
        return Imported(kind, name, new, self.ids.in_file(new), outcome, needs)

    def _connection(self, each: FileConnection) -> Imported:
        repository = self.service.connections
        there = {found.id: found for found in repository.all(self.workspace.id)}
        before = there.get(ConnectionId(each.id))
        at = format_rfc3339(self.service.clock.now())
        fields = {name: getattr(each, name) for name in _CONNECTION_FIELDS}
        if before is None:
            made = EmailConnection(
                **fields,
                id=ConnectionId(each.id),
                workspace_id=self.workspace.id,
                sealed_credentials=None,
                created_at=at,
                updated_at=at,
            )
            repository.create(made)
            return self._with_needs("email connection", each, made, "created")
        after = before._replace(**fields)
        if after == before:
            return self._with_needs("email connection", each, before, "unchanged")
        # Credentials do not go to another address.
        kept = before.sealed_credentials if after.config == before.config else None
        after = after._replace(sealed_credentials=kept, updated_at=at)
        _require(repository.replace(after))
        return self._with_needs("email connection", each, after, "updated")

    def _destination(self, each: FileDestination) -> Imported:
        repository = self.service.destinations
        there = {found.id: found for found in repository.all(self.workspace.id)}
        before = there.get(DestinationId(each.id))
        at = format_rfc3339(self.service.clock.now())
        fields = {name: getattr(each, name) for name in _DESTINATION_FIELDS}
        if before is None:
            made = StorageDestination(
                **fields,
                id=DestinationId(each.id),
                workspace_id=self.workspace.id,
                is_default=each.is_default,
                sealed_credentials=None,
                created_at=at,
                updated_at=at,
            )
            repository.create(made)
            return self._with_needs("storage destination", each, made, "created")
        after = before._replace(**fields)
        if after == before and each.is_default <= before.is_default:
            return self._with_needs("storage destination", each, before, "unchanged")
        kept = before.sealed_credentials if after.config == before.config else None
        after = after._replace(sealed_credentials=kept, updated_at=at)
        _require(repository.replace(after, is_default=each.is_default or None))
        return self._with_needs("storage destination", each, after, "updated")

    def _with_needs(
        self,
        kind: str,
        each: FileConnection | FileDestination,
        stored: EmailConnection | StorageDestination,
        outcome: str,
    ) -> Imported:
        lacks = each.had_credentials and stored.sealed_credentials is None
        return self._row(kind, each.name, each.id, outcome, "credentials" if lacks else "")

    def _endpoint(self, each: FileEndpoint) -> Imported:
        found = self.service.endpoints.find(self.workspace.id, each.id)
        # It was checked where it was made; what is sent is checked again.
        manage = self.service.manage_endpoints(each.id, lambda *_: not each.test_only)
        fields: dict[str, Any] = {
            "url": each.url,
            "description": each.description,
            "events": tuple(each.events),
            "template_ids": tuple(each.template_ids),
            "enabled": each.enabled,
        }
        if found is None:
            own = {"headers": {}, "is_of_restricted_key": each.is_of_restricted_key}
            made = manage.create(self.workspace.id, each.mode, fields | own)
            if each.is_default:
                manage.change(made.endpoint, {"is_default": True})
            needs = f"its new secret {made.secret} at the receiver"
            if each.header_names:
                needs += f"; headers {', '.join(each.header_names)}"
            return self._row("webhook endpoint", each.url, each.id, "created", needs)
        given = {name: value for name, value in fields.items() if getattr(found, name) != value}
        if given:
            stored = {n: list(v) if isinstance(v, tuple) else v for n, v in given.items()}
            manage.change(found, stored)
        lacks = [name for name in each.header_names if name not in found.headers]
        needs = f"headers {', '.join(lacks)}" if lacks else ""
        outcome = "updated" if given else "unchanged"
        return self._row("webhook endpoint", each.url, each.id, outcome, needs)


_CONNECTION_FIELDS: Final = (
    *("name", "provider", "default_from", "reply_to"),
    *("test_mode", "test_recipient", "config"),
)
_DESTINATION_FIELDS: Final = ("name", "provider", "path_template", "keep_hosted_copy", "config")


def _require(changed: object) -> None:
    if changed is None:
        message = "Somebody changes this workspace at the moment: import again."
        raise Conflict("conflict", message)
