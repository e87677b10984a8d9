"""Expectations of the published client that the service does not meet, with their reasons.

Each reason is a sentence of the contract, or names what the service does not have.
"""

from typing import Final

# The least that both clients reach.
ACCEPTED: Final = 91
TYPED: Final = 59
README_CALLS: Final = 31

_PARAMETERS: Final = "a link takes all data of its URL: lists of parameters and formats are missing"
_SIGNATURE: Final = "the signature is over the exact path and query (interface, invalid_signature)"
_MARKDOWN: Final = "Markdown is no input of a render; templates have the filter `markdown`"
_TEMPLATE: Final = "a template of HTML has the type `html`, and members of its own"
_SEND: Final = "`to` has addresses with `email` and `name`; null where an error has no place"
_PREVIEW: Final = "a preview answers an EmailPreview (interface, Email delivery), and no render"
_TEST: Final = "the last test is told by `last_test_at`, `last_test_status` and `last_error`"
_RETRYING: Final = "a delivery that goes on after a failure is `retrying`"
_ENDPOINT: Final = "an old secret is told by `previous_secret_expires_at`; no description is null"

# Methods whose request is refused.
REFUSED: Final = {
    "pdf.from_markdown": _MARKDOWN,
    "signed_links.create": _PARAMETERS,
    "signed_links.sign": _SIGNATURE,
}

# Methods whose answer has another type than the client declares.
MISTYPED: Final = {
    "einvoices.create_binary": "XML has no pages, so there is no `X-Pages`",
    "email_rules.preview": _PREVIEW,
    "email_rules.preview_unsaved": _PREVIEW,
    "email_sends.events": "no provider has reported on it yet",
    "email_sends.list": _SEND,
    "email_sends.retrieve": _SEND,
    "pdf_tools.metadata": "it makes no file, so the format of its output is null",
    "pdf_tools.pdfa": "the level of PDF/A is `level` (was `profile`)",
    "renders.download_file": "the file comes from its signed URL, which says nothing of its render",
    "renders.wait_for_render": _SEND,
    "signed_links.list": _PARAMETERS,
    "signed_links.retrieve": _PARAMETERS,
    "signed_links.update": _PARAMETERS,
    "storage_destinations.create": _TEST,
    "storage_destinations.list": _TEST,
    "storage_destinations.retrieve": _TEST,
    "storage_destinations.test": _TEST,
    "storage_destinations.update": _TEST,
    "templates.create": _TEMPLATE,
    "templates.list": _TEMPLATE,
    "templates.publish": "publishing ends within its request: there is no run to follow",
    "templates.retrieve": _TEMPLATE,
    "templates.rollback": _TEMPLATE,
    "webhook_deliveries.list": _RETRYING,
    "webhook_deliveries.replay": _RETRYING,
    "webhook_deliveries.retrieve": _RETRYING,
    "webhook_endpoints.create": _ENDPOINT,
    "webhook_endpoints.list": _ENDPOINT,
    "webhook_endpoints.retrieve": _ENDPOINT,
    "webhook_endpoints.roll_secret": _ENDPOINT,
    "webhook_endpoints.test": "the answer says what the receiver answered: there is no delivery",
    "webhook_endpoints.update": _ENDPOINT,
}

# Those that depend on how soon a render runs and a receiver is tried.
BY_CHANCE: Final = frozenset(
    {
        "renders.cancel",
        "webhook_deliveries.list",
        "webhook_deliveries.replay",
        "webhook_deliveries.retrieve",
    }
)

# Calls of the README that fail.
README_REFUSED: Final = {
    "dda.signed_links.create": _PARAMETERS,
    "dda.signed_links.sign": _PARAMETERS,
}
