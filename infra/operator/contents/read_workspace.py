"""Reading of what a workspace has, for a file."""

from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from chalicelib.core.clock import format_rfc3339
from chalicelib.features.emails.rules.model import StoredRule
from chalicelib.features.templates.model import SourceBundle, Template
from chalicelib.features.templates.read import TemplateFilter
from chalicelib.features.workspaces.model import Workspace
from infra.operator.contents.model import (
    FileAbout,
    FileConnection,
    FileDataset,
    FileDestination,
    FileEndpoint,
    FileRule,
    FileSource,
    FileTemplate,
    FileVersion,
    WorkspaceFile,
)

if TYPE_CHECKING:
    from chalicelib.bootstrap.operator_contents import ContentsService

_PAGE = 100


def read_workspace(service: "ContentsService", workspace: Workspace) -> WorkspaceFile:
    """Return the contents of a workspace; templates in the trash are left out."""
    # The oldest first: an import makes them in this order.
    templates = [_template(service, each) for each in reversed(list(_all(service, workspace)))]
    about = FileAbout(
        release=version("platen"),
        workspace=workspace.id,
        name=workspace.name,
        exported_at=format_rfc3339(service.clock.now()),
        templates=[each.id for each in templates],
        email_connections=_connections(service, workspace),
        storage_destinations=_destinations(service, workspace),
        webhook_endpoints=_endpoints(service, workspace),
    )
    return WorkspaceFile(about, templates)


def _all(service: "ContentsService", workspace: Workspace) -> Iterator[Template]:
    after: str | None = None
    while True:
        page = service.read_templates.page(workspace.id, TemplateFilter(), limit=_PAGE, after=after)
        yield from page.templates
        after = page.next_after
        if after is None:
            return


def _template(service: "ContentsService", listed: Template) -> FileTemplate:
    template = service.templates.one(listed.workspace_id, listed.id)
    draft, source = service.read_templates.draft(template)
    versions = [
        service.read_templates.version(template, number)
        for number in range(1, (template.live_version or 0) + 1)
    ]
    return FileTemplate(
        id=template.id,
        name=template.name,
        description=template.description,
        type=template.type,
        locked=template.locked,
        draft=_source(source),
        draft_is_live=bool(versions) and versions[-1][0].stored.sha256 == draft.stored.sha256,
        versions=[
            FileVersion(
                **_members(source),
                number=each.number,
                published_at=each.published_at,
                note=each.note,
                rollback_of=each.rollback_of,
            )
            for each, source in versions
        ],
        datasets=[
            FileDataset(
                id=each.id,
                name=each.name,
                data=data,
                is_default=each.id == template.default_dataset,
            )
            for each, data in service.read_datasets.each(template)
        ],
        email_rules=[
            FileRule(id=each.id, fields=_rule_fields(each))
            for each in service.rules.many(template.workspace_id, template.email_rules)
        ],
    )


def _source(source: SourceBundle) -> FileSource:
    return FileSource(**_members(source))


def _members(source: SourceBundle) -> dict[str, Any]:
    return dict(source.to_json())


def _rule_fields(rule: StoredRule) -> dict[str, Any]:
    texts = dict(rule.texts)
    params = texts.pop("params")
    provider_template = None
    if rule.provider_template_id is not None:
        provider_template = {"id": rule.provider_template_id, "params": params}
    return {
        "name": rule.name,
        "connection_id": rule.connection_id,
        "enabled": rule.enabled,
        "attachments": rule.attachments,
        "attach_formats": list(rule.attach_formats),
        "from_email": rule.from_email,
        "provider_template": provider_template,
        **texts,
    }


def _connections(service: "ContentsService", workspace: Workspace) -> list[FileConnection]:
    return [
        FileConnection(
            id=each.id,
            name=each.name,
            provider=each.provider,
            default_from=dict(each.default_from),
            reply_to=each.reply_to,
            test_mode=each.test_mode,
            test_recipient=each.test_recipient,
            config=dict(each.config),
            had_credentials=each.sealed_credentials is not None,
        )
        for each in service.connections.all(workspace.id)
    ]


def _destinations(service: "ContentsService", workspace: Workspace) -> list[FileDestination]:
    return [
        FileDestination(
            id=each.id,
            name=each.name,
            provider=each.provider,
            path_template=each.path_template,
            keep_hosted_copy=each.keep_hosted_copy,
            is_default=each.is_default,
            config=dict(each.config),
            had_credentials=each.sealed_credentials is not None,
        )
        for each in service.destinations.all(workspace.id)
    ]


def _endpoints(service: "ContentsService", workspace: Workspace) -> list[FileEndpoint]:
    defaults = service.endpoints.default_ids(workspace.id)
    return [
        FileEndpoint(
            id=each.id,
            mode=each.mode,
            url=each.url,
            description=each.description,
            events=list(each.events),
            template_ids=list(each.template_ids),
            header_names=sorted(each.headers),
            enabled=each.enabled,
            test_only=each.test_only,
            is_default=each.id in defaults.values(),
            is_of_restricted_key=each.is_of_restricted_key,
        )
        for each in service.endpoints.all(workspace.id)
    ]
