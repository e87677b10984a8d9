"""`/v1/provider-events`: what providers report of emails, at the address that they were given."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge.auth import PUBLIC
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.features.emails.providers.brevo_reports import read_reports

blueprint: Final = Blueprint(__name__)


def _require_connection(call: Call) -> None:
    call.services.emails.take_reports.connection(call.params["connection_id"], call.params["token"])


@blueprint.route("/v1/provider-events/{connection_id}/{token}", methods=["POST"])
@endpoint(
    auth=PUBLIC,
    body="chalicelib.contract.emails.provider_event:ProviderEvents",
    validates_body_itself=True,
    check_path=_require_connection,
    tag="Emails",
    is_published=False,
    answers={204: None},
    problems=("not_found",),
)
def take_provider_events(call: Call) -> Reply:
    """Take delivery events of `brevo`.

    Brevo calls it; the address is registered there and needs no key. Its token changes with the
    credentials of the connection: any other is `not_found`. The body is one event or a list of up
    to 500, at most 1 MB, in any order. Repeated events, events of other kinds, and those of other
    emails of the account change nothing.
    """
    reports = call.services.emails.take_reports
    connection = reports.connection(call.params["connection_id"], call.params["token"])
    reports(connection, read_reports(call.json), call.request_id)
    return Reply(204)
