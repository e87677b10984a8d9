"""Codes about sending a finished document by email."""

from typing import Final

from chalicelib.core.problems.row import Problem

DELIVERY: Final = (
    Problem(
        "email_connection_in_use",
        409,
        "Connection is in use",
        "Email rules still send through this connection.",
        "Move the rules to another connection or delete them first.",
    ),
    Problem(
        "email_file_expired",
        409,
        "File of the email is gone",
        "A file that the email carried is no longer hosted.",
        "Render the document again; its rules send a new email.",
    ),
    Problem(
        "email_not_resendable",
        409,
        "Email cannot be sent again",
        "Its content was not kept, or it failed before it could be sent.",
        "Render the document again; its rules send a new email.",
    ),
    Problem(
        "email_template_error",
        422,
        "Field of the email rule is wrong",
        "A field of the rule cannot be parsed or did not work with the data; `field`, `line` "
        "and `column` show where.",
        "Correct that field of the rule.",
    ),
    Problem(
        "email_needs_hosted_file",
        422,
        "Email needs a kept file",
        "Email rules cannot run for a render that keeps nothing.",
        "Allow retention for this render, or send `delivery.email: false`.",
    ),
    Problem(
        "email_too_large",
        None,
        "Email is too large",
        "Text or parameters of the email are larger than allowed; `field` shows which.",
        "Shorten that field.",
    ),
    Problem(
        "email_recipient_missing",
        None,
        "No recipient",
        "The rule gave no address to send to.",
        "Check the rule's `to` and the data that it uses.",
    ),
    Problem(
        "email_address_invalid",
        None,
        "Not an email address",
        "An entry among sender or recipients is no address.",
        "Check the rule's address fields and the data that they use.",
    ),
    Problem(
        "email_too_many_recipients",
        None,
        "Too many recipients",
        "One email has more recipients than allowed.",
        "Send to fewer addresses, or through several rules.",
    ),
    Problem(
        "email_attachment_too_large",
        None,
        "Attachments are too large",
        "The files exceed what the connection may attach.",
        "Let the rule attach or link, or raise the connection's budget.",
    ),
    Problem(
        "email_attachment_type_not_allowed",
        None,
        "Attachment type is refused",
        "The provider does not carry files of this type.",
        "Link the file instead, or attach other formats.",
    ),
    Problem(
        "email_provider_rejected",
        None,
        "Provider refused the email",
        "The provider will not send this email.",
        "Read `provider_code`, and check sender and recipients with the provider.",
    ),
    Problem(
        "email_provider_auth_failed",
        None,
        "Provider refused the credentials",
        "The provider no longer accepts the connection's credentials.",
        "Store new credentials and test the connection.",
    ),
    Problem(
        "email_provider_unavailable",
        None,
        "Provider did not answer",
        "The provider could not be reached or failed, also after repeats.",
        "Send it again when the provider works.",
        retryable=True,
    ),
    Problem(
        "email_ip_not_authorized",
        None,
        "Provider refused our address",
        "The provider accepts calls from listed addresses only.",
        "Add the connection's `egress_ips` at the provider.",
    ),
    Problem(
        "email_rate_limited",
        None,
        "Provider asks to slow down",
        "The provider refused more emails for now, also after repeats.",
        "Lower the connection's `max_per_second` or send it again later.",
        retryable=True,
    ),
    Problem(
        "email_outcome_unknown",
        None,
        "Nobody knows whether it was sent",
        "The connection broke after the email was handed over, so it may or may not have been "
        "sent. It is not repeated by itself.",
        "Ask the provider or the recipient before sending it again.",
    ),
    Problem(
        "email_daily_cap_reached",
        None,
        "Day's recipients are used up",
        "The workspace has mailed all the recipients that a day (UTC) allows.",
        "Send it again tomorrow, or move to a higher plan.",
    ),
    Problem(
        "email_disabled",
        None,
        "Email is switched off",
        "Email delivery is not enabled for the workspace, or the rule was switched off.",
        "Enable it and send again.",
    ),
    Problem(
        "email_credentials_removed",
        None,
        "Connection has no credentials",
        "The connection's credentials were never stored or were removed.",
        "Store credentials in the connection and test it.",
    ),
    Problem(
        "email_send_expired",
        None,
        "Email is too old",
        "The email could not be sent within a day.",
        "Remove the cause that earlier errors name, then send it again.",
    ),
)
