"""Condition of an email rule: an expression of the template language, as a template."""

import re
from typing import Final

from chalicelib.core.errors import RenderFailure

# A string of the template language, or the end of a tag, which no expression has. A string without
# an end is an error of syntax; it is matched, as else each quote in it would look for one.
_STRING_OR_TAG_END: Final = re.compile(
    r"""('[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+"|["'].*)|%\}""", re.DOTALL
)
_MAX_EXCERPT_CHARACTERS: Final = 160
# Line breaks before the expression keep its columns as the caller counts them.
_BEFORE: Final = "{% set __is_true =\n"
_AFTER: Final = " %}{% if __is_true %}1{% endif %}"


def condition_source(expression: str) -> str:
    """Return a template that gives `1` where the expression is true, and else nothing.

    The tag around the expression cannot be left: its end within the expression is an error of
    syntax.
    """
    inside = _STRING_OR_TAG_END.sub(lambda match: match[1] or "% }", expression)
    return f"{_BEFORE}{inside}{_AFTER}"


def condition_failure(failure: RenderFailure, expression: str) -> RenderFailure:
    """Return a failure of this template with its place in the expression.

    A failure while it runs has the place where the expression begins.
    """
    members = dict(failure.members)
    if members.get("line") is not None:
        members["line"] -= _BEFORE.count("\n")
        members["excerpt"] = members["excerpt"].removesuffix(_AFTER)
        if members["line"] < 1:
            first_line = expression.partition("\n")[0][:_MAX_EXCERPT_CHARACTERS]
            members |= {"line": 1, "column": 1, "excerpt": first_line}
    return RenderFailure(failure.code, failure.detail, **members)
