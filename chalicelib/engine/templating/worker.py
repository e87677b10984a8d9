"""Parent side of the template process."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NotRequired, TypedDict, final

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.sandbox.sandboxed_worker import SandboxedWorker
from chalicelib.engine.sandbox.walls import Walls
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.undefined_value import UndefinedValue

_CHILD_MODULE: Final = "chalicelib.engine.templating.child"
_NO_INCLUDES: Final = Includes()
_NO_LOCALE_DEFAULTS: Final = LocaleDefaults()


class TemplateRequest(TypedDict):
    """Template that a child runs."""

    source: str
    data: JsonObject
    strict: bool
    escape: bool
    includes: Mapping[str, Mapping[str, str]]
    locale_defaults: Mapping[str, str | None]
    compile_only: bool


@final
class TemplateText(TypedDict):
    """Response to a template that ran."""

    text: str
    undefined: NotRequired[Sequence[UndefinedValue]]


@final
class TemplateFault(TypedDict):
    """Response to a template that failed; the position is None where it is unknown."""

    code: str
    message: str
    line: int | None
    column: int | None
    excerpt: str | None


class TemplateWorker(SandboxedWorker[TemplateText | TemplateFault]):
    """Worker that runs templates."""

    def __init__(
        self, environment: Mapping[str, str] | None = None, walls: Walls | None = None
    ) -> None:
        """Prepare without starting a process."""
        super().__init__(_CHILD_MODULE, "The template", environment, walls)

    def render(  # noqa: PLR0913 -- all that a run depends on
        self,
        source: str,
        data: JsonObject,
        *,
        strict: bool,
        deadline: float,
        escape: bool = True,
        includes: Includes = _NO_INCLUDES,
        locale_defaults: LocaleDefaults = _NO_LOCALE_DEFAULTS,
        compile_only: bool = False,
        on_undefined: Callable[[UndefinedValue], None] | None = None,
    ) -> str:
        """Return the text of a template over plain JSON data; `escape` makes the text HTML.

        With `compile_only` the template does not run, and its text is empty. `on_undefined` is told
        each undefined value that it prints, one a name.

        Raises RenderFailure `template_syntax_error`, `template_runtime_error` or
        `template_fuel_exhausted`, with `line`, `column` and `excerpt` where they are known, or
        `render_timeout` at `deadline` (seconds since 1970).
        """
        request: TemplateRequest = {
            "source": source,
            "data": data,
            "strict": strict,
            "escape": escape,
            "includes": includes.to_json(),
            "locale_defaults": locale_defaults.to_json(),
            "compile_only": compile_only,
        }
        response = self.call(request, deadline)
        if "text" in response:
            if on_undefined is not None:
                for value in response.get("undefined", ()):
                    on_undefined(UndefinedValue(*value))
            return response["text"]
        code, message = response["code"], response["message"]
        if response["line"] is None:
            raise RenderFailure(code, message)
        line, column, excerpt = response["line"], response["column"], response["excerpt"]
        raise RenderFailure(code, message, line=line, column=column, excerpt=excerpt)
