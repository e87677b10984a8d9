"""Colours as CSS writes them: names, `#` and hexadecimal digits, `rgb()` and `hsl()`."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from chalicelib.contract.css_colors import is_color


def _color(text: str) -> str:
    if not is_color(text):
        message = "must be a CSS color: a name, #rgb, #rrggbb, rgb(r, g, b) or hsl(h, s%, l%)"
        raise ValueError(message)
    return text


Color = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(_color),
    Field(description="A CSS color: a name, #rgb, #rrggbb, rgb(r, g, b) or hsl(h, s%, l%)."),
]
