"""What Python's compiler refuses of a compiled template, as errors of the template."""

import re
from collections.abc import Mapping
from typing import Final

from jinja2.exceptions import TemplateSyntaxError

_DEBUG_INFO: Final = re.compile(r"^debug_info = '([^']*)'", re.MULTILINE)
# By what Python says; groups of the pattern are filled in. Compiled code has `l_1_name` for `name`.
_MESSAGES: Final[Mapping[str, str]] = {
    r"keyword argument repeated: (\w+)": r"The argument '\1' is given twice.",
    r"duplicate (?:argument|parameter) '(?:l_\d+_)?(\w+)'.*": r"The parameter '\1' is given twice.",
    r"'(break|continue)' .*": r"The tag '\1' stands outside of a loop.",
    r"cannot assign to (__debug__)": r"The name '\1' cannot be used.",
    r"too many statically nested blocks": "Loops and includes are nested more than 20 deep.",
    r"too many nested parentheses|too many levels of indentation": (
        "The template is nested too deeply."
    ),
}


def python_refusal(refusal: SyntaxError, code: str) -> TemplateSyntaxError:
    """Return the error of a template whose compiled `code` Python refuses, with its position."""
    lines = _DEBUG_INFO.findall(code)
    position = 1
    for pair in lines[-1].split("&") if lines and lines[-1] else ():
        template_position, _, code_line = pair.partition("=")
        if int(code_line) > (refusal.lineno or 0):
            break
        position = int(template_position)
    return TemplateSyntaxError(_message(refusal.msg), position)


def _message(python_message: str) -> str:
    for pattern, message in _MESSAGES.items():
        if match := re.fullmatch(pattern, python_message):
            return match.expand(message)
    return f"This cannot be compiled: {python_message}."
