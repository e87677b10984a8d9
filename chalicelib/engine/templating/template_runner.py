"""Port of what runs templates."""

from collections.abc import Callable
from typing import Protocol, Required, TypedDict, Unpack

from chalicelib.core.json import JsonObject
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.undefined_value import UndefinedValue


class TemplateRunOptions(TypedDict, total=False):
    """Options of a run; `escape`, True by default, makes inserted values safe in HTML.

    `deadline` is in seconds since 1970.
    """

    strict: Required[bool]
    deadline: Required[float]
    escape: bool
    includes: Includes
    locale_defaults: LocaleDefaults
    on_undefined: Callable[[UndefinedValue], None]


class TemplateRunner(Protocol):
    """Runner of templates."""

    def render(self, source: str, data: JsonObject, **options: Unpack[TemplateRunOptions]) -> str:
        """Return the text of a template.

        Raises RenderFailure `template_…` or `render_timeout`.
        """
        ...
