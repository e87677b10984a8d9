"""Use cases of the API function for email delivery."""

from typing import Literal

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.bootstrap.api_state import ApiState
from chalicelib.bootstrap.api_templates import TemplateUseCases
from chalicelib.core.egress_policy import EgressPolicy
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.features.emails.connections.manage import ManageConnections
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.connections.request_trial import RequestTrial
from chalicelib.features.emails.registrations.repository import Registrations
from chalicelib.features.emails.rules.check_texts import CheckRuleTexts
from chalicelib.features.emails.rules.manage import ManageRules
from chalicelib.features.emails.rules.preview import PreviewEmail
from chalicelib.features.emails.rules.read import ReadRules
from chalicelib.features.emails.rules.repository import StoredRules
from chalicelib.features.emails.rules.try_rule import RuleTestCommand
from chalicelib.features.emails.sends.read import ReadSends
from chalicelib.features.emails.sends.reports.take import TakeReports
from chalicelib.features.emails.sends.resend import ResendBatchEmails, ResendEmail
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.templates.compile_texts import CompileTexts
from chalicelib.features.templates.sources import CachedTemplateSources
from chalicelib.features.workspaces.people.repository import Members


class EmailUseCases:
    """Use cases for email; `egress_ips` are the addresses that emails leave from."""

    def __init__(
        self,
        state: ApiState,
        sealer: SecretSealer,
        egress_policy: EgressPolicy,
        templates: TemplateUseCases,
    ) -> None:
        """Seal credentials with `sealer`; SMTP hosts are checked by `egress_policy`."""
        settings = state.settings
        self._state = state
        self._read_templates = templates.read
        self._sealer = sealer
        self._egress_policy = egress_policy
        self._rules = StoredRules(table=state.main_table)
        self.read_rules = ReadRules(templates=state.templates, rules=self._rules)
        self._stores = stores = EmailStores.over(state.main_table, state.outbox)
        self.connections = stores.connections
        self._members = Members(table=state.main_table)
        self.request_trial = RequestTrial(
            connections=self.connections,
            members=self._members,
            run_trial=state.make_run_trial(settings.send_email_function),
        )
        self.preview = _preview_email(state, templates, self.connections)
        self.rule_test = RuleTestCommand(preview=self.preview, members=self._members)
        self.counts = stores.counts
        self.sends = ReadSends(stores=stores, clock=state.clock)
        self.resend = ResendEmail(
            stores=stores,
            objects=state.objects,
            renders=state.renders,
            queue=Queue(state.clients, settings.emails_queue_url),
            clock=state.clock,
        )
        self.resend_batch = ResendBatchEmails(
            read=self.sends, resend=self.resend, clock=state.clock
        )
        self.egress_ips = [each.strip() for each in settings.egress_ips.split(",") if each.strip()]

    @LockedCachedProperty
    def take_reports(self) -> TakeReports:  # noqa: D102
        state = self._state
        return TakeReports(
            stores=self._stores, clock=state.clock, publish=state.settle_and_publish.publish
        )

    @LockedCachedProperty
    def manage(self) -> ManageConnections:  # noqa: D102
        state = self._state
        return ManageConnections(
            connections=self.connections,
            registrations=Registrations(table=state.main_table),
            members=self._members,
            read_part=_read_part,
            sealer=self._sealer,
            rules=self._egress_policy,
            clock=state.clock,
            ids=state.ids,
        )

    @LockedCachedProperty
    def manage_rules(self) -> ManageRules:  # noqa: D102
        state = self._state
        return ManageRules(
            table=state.main_table,
            templates=state.templates,
            read_templates=self._read_templates,
            connections=self.connections,
            rules=self._rules,
            check_texts=CheckRuleTexts(
                compile_texts=CompileTexts(
                    engine=state.engine, leases=state.leases, clock=state.clock
                )
            ),
            clock=state.clock,
            ids=state.ids,
        )


def _preview_email(
    state: ApiState, templates: TemplateUseCases, connections: EmailConnections
) -> PreviewEmail:
    return PreviewEmail(
        templates=templates.read,
        sources=CachedTemplateSources(templates.read),
        datasets=templates.read_datasets,
        resolve=templates.resolve,
        connections=connections,
        engine=state.engine,
        leases=state.leases,
        clock=state.clock,
        ids=state.ids,
    )


def _read_part(
    provider: str, part: Literal["config", "credentials"], value: JsonObject
) -> dict[str, Json]:
    from chalicelib.contract.emails.providers import read_provider_part  # noqa: PLC0415 -- pydantic

    return read_provider_part(provider, part, value)
