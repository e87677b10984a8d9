"""Use cases of the API function for email delivery."""

from typing import Literal

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.bootstrap.api_state import ApiState
from chalicelib.core.destinations import DestinationRules
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.emails.connections import EmailConnections
from chalicelib.features.emails.manage import ManageConnections
from chalicelib.features.emails.request_trial import RequestTrial
from chalicelib.features.emails.sends.counts import SendCounts
from chalicelib.features.emails.sends.read import ReadSends
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.emails.sends.resend import ResendEmail
from chalicelib.features.workspaces.people.members import Members


class EmailUseCases:
    """Use cases for email; `egress_ips` are the addresses that emails leave from."""

    def __init__(self, state: ApiState, sealer: SecretSealer, rules: DestinationRules) -> None:
        """Seal credentials with `sealer`; SMTP hosts are checked by `rules`."""
        settings = state.settings
        self.connections = EmailConnections(state.tables, settings.main_table)
        members = Members(state.tables, settings.main_table)
        self.request_trial = RequestTrial(
            connections=self.connections,
            members=members,
            function=LambdaFunction(state.clients, settings.send_email_function),
            clock=state.clock,
        )
        self.manage = ManageConnections(
            connections=self.connections,
            members=members,
            read_part=_read_part,
            sealer=sealer,
            rules=rules,
            clock=state.clock,
            ids=state.ids,
        )
        sends = Sends(state.tables, settings.main_table)
        counts = SendCounts(state.tables, settings.main_table)
        self.sends = ReadSends(
            tables=state.tables,
            table=settings.main_table,
            sends=sends,
            counts=counts,
            clock=state.clock,
        )
        self.resend = ResendEmail(
            tables=state.tables,
            sends=sends,
            counts=counts,
            renders=state.renders,
            objects=state.objects,
            queue=Queue(state.clients, settings.emails_queue_url),
            clock=state.clock,
        )
        self.egress_ips = [each.strip() for each in settings.egress_ips.split(",") if each.strip()]


def _read_part(
    provider: str, part: Literal["config", "credentials"], value: JsonObject
) -> dict[str, Json]:
    from chalicelib.contract.emails.providers import read_provider_part  # noqa: PLC0415 -- pydantic

    return read_provider_part(provider, part, value)
