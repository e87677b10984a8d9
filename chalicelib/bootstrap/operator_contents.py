"""Contents of a workspace for `platen export` and `platen import`."""

import datetime as dt
from collections.abc import Mapping
from typing import Final, override

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Table
from chalicelib.core.clock import Clock
from chalicelib.core.ids import IdGenerator, RandomIdGenerator
from chalicelib.features.destinations.repository import Destinations
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.rules.manage import ManageRules
from chalicelib.features.emails.rules.repository import StoredRules
from chalicelib.features.templates.change import ChangeTemplate
from chalicelib.features.templates.datasets import ChangeDatasets, ReadDatasets
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.templates.replace_draft import ReplaceDraft
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.source_texts import SourceTexts
from chalicelib.features.templates.store_source import StoreSource
from chalicelib.features.webhooks.endpoints.manage import CheckUrl, ManageEndpoints
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.settings import ContentsSettings


class ContentsService:
    """Repositories and use cases over what a workspace keeps, other than renders.

    Sources and texts that are imported were accepted where they were made: they are not checked
    again.
    """

    def __init__(self, settings: ContentsSettings, clients: AwsClients, clock: Clock) -> None:
        """Build them."""
        self.clock: Final = clock
        self.table: Final = Table(clients, settings.main_table)
        self.workspaces: Final = Workspaces(table=self.table)
        self.templates: Final = Templates(table=self.table)
        self.texts: Final = SourceTexts(objects=Objects(clients, settings.bucket))
        self.read_templates: Final = ReadTemplates(
            templates=self.templates, contents=self.texts, clock=clock
        )
        self.read_datasets: Final = ReadDatasets(templates=self.templates, contents=self.texts)
        self.store: Final = StoreSource(
            table=self.table,
            templates=self.templates,
            contents=self.texts,
            clock=clock,
            ids=RandomIdGenerator(),
        )
        self.change_template: Final = ChangeTemplate(
            table=self.table, templates=self.templates, clock=clock
        )
        self.replace_draft: Final = ReplaceDraft(
            table=self.table, templates=self.templates, store=self.store, checks=(), clock=clock
        )
        self.rules: Final = StoredRules(table=self.table)
        self.connections: Final = EmailConnections(table=self.table)
        self.destinations: Final = Destinations(table=self.table)
        self.endpoints: Final = Endpoints(table=self.table)
        self._sealer = SecretSealer(clients, settings.data_key, clock)

    def change_datasets(self, new_id: str) -> ChangeDatasets:
        """Return the changes of datasets, of which a new one gets this id."""
        return ChangeDatasets(
            table=self.table,
            templates=self.templates,
            store=self.store,
            read=self.read_datasets,
            clock=self.clock,
            ids=_OneId(new_id),
        )

    def manage_rules(self, new_id: str) -> ManageRules:
        """Return the changes of email rules, of which a new one gets this id."""
        return ManageRules(
            table=self.table,
            templates=self.templates,
            read_templates=self.read_templates,
            connections=self.connections,
            rules=self.rules,
            check_texts=_accept,
            clock=self.clock,
            ids=_OneId(new_id),
        )

    def manage_endpoints(self, new_id: str, check_url: CheckUrl) -> ManageEndpoints:
        """Return the changes of webhook endpoints, of which a new one gets this id."""
        return ManageEndpoints(
            endpoints=self.endpoints,
            sealer=self._sealer,
            check_url=check_url,
            clock=self.clock,
            ids=_OneId(new_id),
        )


def _accept(_workspace: Workspace, _texts: Mapping[str, str]) -> None:
    """Accept texts that were compiled where they were made."""


class _OneId(IdGenerator):
    """Generator of one id that is known."""

    def __init__(self, known: str) -> None:
        self._known = known

    @override
    def new(self, prefix: str, moment: dt.datetime) -> str:
        assert self._known.startswith(f"{prefix}_"), prefix
        return self._known
