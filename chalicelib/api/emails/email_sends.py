"""`/v1/email-sends` and its `/stats`: what became of emails, and their repeats."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import IdSeed
from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.emails.sends.present import send_json
from chalicelib.features.emails.sends.read import SendFilter
from chalicelib.features.renders.read import Viewer

blueprint: Final = Blueprint(__name__)

_READ: Final = "renders:read"
_CONTRACT: Final = "chalicelib.contract.emails.send"
_SEND: Final = f"{_CONTRACT}:EmailSend"


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    """Return the answer of the repeat that an earlier attempt of this request has made."""
    repeat_id = _named_send(call).resent_as
    if repeat_id is None:
        return None
    again = call.services.emails.sends.one(_viewer(call), repeat_id)
    is_later = again.created_at >= format_rfc3339(seed.moment)
    return Reply(202, send_json(again)) if is_later else None


@blueprint.route("/v1/email-sends", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:EmailSendQuery",
    tag="Emails",
    answers={200: f"{_CONTRACT}:EmailSendList"},
)
def list_email_sends(call: Call) -> Reply:
    """List email sends, those of the newest renders first.

    Test keys see sends of test renders only. A page may hold fewer than `limit` sends while
    `has_more` is true.
    """
    query, position = call.query, paging.start_position(call)
    page = call.services.emails.sends.page(
        _viewer(call),
        SendFilter(query.render_id, query.batch_id, query.status, query.rule_id),
        limit=query.limit,
        after=position["after"] if position else None,
    )
    rows = [send_json(send) for send in page.sends]
    next_position = {"after": page.next_after} if page.next_after else None
    return Reply(200, paging.list_envelope(call, rows, next_position))


@blueprint.route("/v1/email-sends/{id}", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Emails", answers={200: _SEND}, problems=("not_found",))
def retrieve_email_send(call: Call) -> Reply:
    """Retrieve an email send."""
    return Reply(200, send_json(_named_send(call)))


@blueprint.route("/v1/email-sends/{id}/events", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:EmailReportQuery",
    tag="Emails",
    answers={200: f"{_CONTRACT}:EmailReportList"},
    problems=("not_found",),
)
def list_email_send_events(call: Call) -> Reply:
    """List what the provider has reported of an email, the oldest first; `brevo` alone does."""
    position = paging.start_position(call)
    page = call.services.emails.sends.reports(
        _named_send(call), limit=call.query.limit, after=position["after"] if position else None
    )
    next_position = {"after": page.next_after} if page.next_after else None
    return Reply(200, paging.list_envelope(call, page.reports, next_position))


@blueprint.route("/v1/email-sends/{id}/resend", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
    creates=Creation(_made_before),
    tag="Emails",
    answers={202: _SEND},
    problems=("not_found", "conflict", "email_not_resendable", "email_file_expired"),
)
def resend_email(call: Call) -> Reply:
    """Send an email again, with the same content, by its connection as it is now.

    The answer is a new send, which takes the place of the old one in the counts of render and
    batch. A send is repeated once: repeat the new one after that.
    """
    again = call.services.emails.resend(_named_send(call), call.request_id)
    return Reply(202, send_json(again))


@blueprint.route("/v1/email-sends/stats", methods=["GET"])
@endpoint(auth=KeyAuth("email:read"), tag="Emails", answers={200: f"{_CONTRACT}:EmailStats"})
def retrieve_email_statistics(call: Call) -> Reply:
    """Retrieve the recipients of today against the daily cap, and the sends of 30 days by state."""
    return Reply(200, call.services.emails.sends.statistics(call.caller.workspace))


def _named_send(call: Call) -> EmailSend:
    return call.services.emails.sends.one(_viewer(call), call.params["id"])


def _viewer(call: Call) -> Viewer:
    caller = call.caller
    return Viewer(caller.workspace_id, caller.mode, caller.templates)
