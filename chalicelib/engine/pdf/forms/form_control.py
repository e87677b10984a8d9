"""Control of an HTML page, which becomes a field of the form."""

from typing import Annotated, Final

import msgspec

_MAX_LENGTH: Final = (1 << 31) - 1


class FormControl(msgspec.Struct, frozen=True):
    """Control of a page, as form_fields.js tells it; `form` is the number of its form, or -1.

    A page can tell of controls in the same way, so that any may be a text or number of its choice.
    """

    index: Annotated[int, msgspec.Meta(ge=0)]
    kind: str
    name: str
    form: int
    value: str
    is_on: bool
    options: tuple[tuple[str, str, bool], ...]
    is_list: bool
    is_multiple: bool
    is_password: bool
    is_read_only: bool
    is_required: bool
    max_length: Annotated[int, msgspec.Meta(ge=0, le=_MAX_LENGTH)]
    label: str
    size: float
    color: str
    align: str
    family: str
    is_bold: bool
    is_italic: bool
