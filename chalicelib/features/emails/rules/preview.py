"""Preview of an email: its texts are run by the engine as in a render, and nothing is sent."""

import logging
from collections.abc import Mapping, Sequence
from copy import replace
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.core.clock import Clock
from chalicelib.core.errors import NotFound, RenderFailure, no_capacity_error, validation_error
from chalicelib.core.ids import IdGenerator
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import EmailFault, EmailRule, EmailRules, RenderedEmail
from chalicelib.engine.emails.evaluate import check_emails
from chalicelib.engine.job import PageJob
from chalicelib.engine.remote.calls import PreviewEmailsCall
from chalicelib.engine.remote.results import EmailsResult
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.rules.model import StoredRule
from chalicelib.features.renders.accept.resolve_template import ResolveTemplate, TemplateFinder
from chalicelib.features.renders.model import MAX_ATTEMPTS
from chalicelib.features.renders.run.bodies import engine_folder
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases
from chalicelib.features.workspaces.model import Workspace

log = logging.getLogger(__name__)

_MAX_S: Final = 15.0


class PreviewData(NamedTuple):
    """Data of a preview: `data`, or else those of a dataset, or else of the default one."""

    data: JsonObject | None
    dataset_id: str | None


class PreviewEmail(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Preview of the email that a rule, saved or not, gives for some data."""

    templates: ReadTemplates
    sources: TemplateFinder
    datasets: ReadDatasets
    resolve: ResolveTemplate
    connections: EmailConnections
    engine: RemoteEngine
    leases: ConcurrencyLeases
    clock: Clock
    ids: IdGenerator

    def __call__(
        self, workspace: Workspace, rule: StoredRule, data: PreviewData, *, test: bool
    ) -> dict[str, Json]:
        """Return the contract's EmailPreview.

        Raises `template_not_found`, `template_deleted`, `not_found` for a dataset,
        `validation_error` for the connection, `concurrency_limited` and `region_degraded`.
        """
        connection = self.connection_of(rule)
        template, values = self.template_and_data(rule, data)
        source = self.sources.find(
            workspace.id, template.id, "draft" if template.live_version is None else "live"
        )
        render_id = self.ids.new("rnd", self.clock.now())
        context: JsonObject = {
            "id": render_id,
            "reference": None,
            "metadata": {},
            "test": test,
            "template_id": template.id,
            "template_version": source.version,
        }
        emails = EmailRules(context, (rule.to_job(),), template_name=template.name)
        job = self.resolve.page_job(workspace.plan, template, source, values, emails)
        try:
            email = self._email(workspace, replace(job, schema=None), emails.rules, render_id)
        except RenderFailure as failure:
            fault = EmailFault(failure.code, failure.detail)
            email = RenderedEmail(is_wanted=True, fault=fault)
        return _preview_json(rule.to_job(), email, connection, _formats(job))

    def template_and_data(self, rule: StoredRule, data: PreviewData) -> tuple[Template, JsonObject]:
        """Return the template of a rule, and the data of its preview or test.

        Raises `template_not_found`, `template_deleted` and `not_found`.
        """
        template = self.templates.one(rule.workspace_id, rule.template_id)
        return template, self._data(template, data)

    def connection_of(self, rule: StoredRule) -> EmailConnection:
        """Return the connection of a rule; raises `validation_error` if they do not fit."""
        try:
            connection = self.connections.one(rule.workspace_id, rule.connection_id)
        except NotFound as missing:
            raise validation_error("/rule/connection_id", missing.detail, "not_found") from missing
        if rule.provider_template_id is not None and connection.provider != "brevo":
            message = f"goes with connections to brevo only, this one is to {connection.provider}"
            raise validation_error("/rule/provider_template", message, "not_allowed")
        return connection

    def _data(self, template: Template, wanted: PreviewData) -> JsonObject:
        if wanted.data is not None:
            return wanted.data
        dataset_id = wanted.dataset_id or template.default_dataset
        if dataset_id is None:
            return {}
        return self.datasets.data(template, self.datasets.one(template, dataset_id))

    def _email(
        self, workspace: Workspace, job: PageJob, rules: Sequence[EmailRule], render_id: str
    ) -> RenderedEmail:
        """Return the email; raises RenderFailure, and `region_degraded` if no answer comes."""
        ends_at = self.clock.now().timestamp() + _MAX_S
        context = EngineCallContext(
            tenant=workspace.id,
            folder=engine_folder(workspace.id, render_id),
            ends_at=ends_at,
            slot_ends_at=ends_at,
        )
        with self.leases(workspace, until=ends_at):
            for _ in range(MAX_ATTEMPTS):
                try:
                    with self.engine.job_fields(job, context) as fields:
                        call = PreviewEmailsCall(**fields)
                        result, _contents = self.engine.ask(call, EmailsResult, context)
                    return check_emails(rules, result.emails)[0]
                except FunctionBusy:
                    break
                except EngineLost:
                    log.warning("the engine was lost", exc_info=True)
        raise no_capacity_error("trying the email")


def _formats(job: PageJob) -> Sequence[str]:
    return ("zip",) if job.output.is_zipped else job.output.formats


def _preview_json(
    rule: EmailRule, email: RenderedEmail, connection: EmailConnection, formats: Sequence[str]
) -> dict[str, Json]:
    sender, template_id = connection.default_from, rule.provider_template_id
    reply_to = connection.reply_to if email.reply_to is None else email.reply_to.email
    mode = "linked" if rule.attachments == "link" else "attached"
    sent = [each for each in formats if not rule.attach_formats or each in rule.attach_formats]
    return {
        "send": email.is_wanted and email.fault is None,
        "skip_reason": None if email.is_wanted else "condition_false",
        "error": _error_json(email.fault),
        "from_email": rule.from_email or sender["email"],
        "from_name": email.from_name or sender["name"],
        "reply_to": reply_to,
        "to": _mailboxes_json(email.to),
        "cc": _mailboxes_json(email.cc),
        "bcc": _mailboxes_json(email.bcc),
        "subject": email.subject,
        "html": email.html,
        "text": email.text,
        "attachments": [
            {"format": each, "mode": mode} for each in sent if rule.attachments != "none"
        ],
        "provider_template": None
        if template_id is None
        else {"id": template_id, "params": email.params or {}},
        "recipient_errors": list(email.recipient_errors),
    }


def _mailboxes_json(mailboxes: Sequence[Mailbox]) -> list[Mapping[str, Json]]:
    return [each._asdict() for each in mailboxes]


def _error_json(fault: EmailFault | None) -> Mapping[str, Json] | None:
    if fault is None:
        return None
    return {
        "code": fault.code,
        "message": fault.message,
        "field": fault.field,
        "line": fault.line,
        "column": fault.column,
    }
