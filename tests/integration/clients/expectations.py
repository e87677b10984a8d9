"""What the service does not take or answer as the published client has it, and why.

Each reason is a sentence of the contract, or names what the service does not have.
"""

from typing import Final

# Numbers that the test asserts; of both clients.
ACCEPTED: Final = 86
TYPED: Final = 60
README_CALLS: Final = 28

_PARAMETERS: Final = "a link takes all data of its URL: lists of parameters and formats are missing"
_SIGNATURE: Final = "a signature covers the exact path and query (interface, Signed links)"
_MARKDOWN: Final = "Markdown is no input of a render; templates have the filter `markdown`"

# Methods whose request is refused.
REFUSED: Final = {
    "pdf.from_markdown": _MARKDOWN,
    "signed_links.create": _PARAMETERS,
    "signed_links.sign": _SIGNATURE,
}

_TEMPLATE: Final = "a template of HTML has the type `html`, and its own members"
_SEND: Final = "an address has `email` and `name` (interface, Email send)"
_LINK: Final = _PARAMETERS
_RENDER: Final = "a render has the members of the interface, and the client's copies beside them"

# Methods whose answer has another type than the client declares.
MISTYPED: Final = {
    "account.retrieve": _RENDER,
    "signed_links.list": _LINK,
    "signed_links.retrieve": _LINK,
    "signed_links.update": _LINK,
    "templates.list": _TEMPLATE,
    "templates.publish": "publishing ends within its request: there is no run to follow",
    "usage.retrieve": "usage is told by day, template and format (interface, Account)",
}

# Calls of the README that fail.
README_REFUSED: Final = {
    "dda.pdf.from_markdown": _MARKDOWN,
    "dda.signed_links.create": _PARAMETERS,
    "dda.signed_links.sign": _PARAMETERS,
}
