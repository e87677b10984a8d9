"""Check that the texts of an email rule are templates."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from chalicelib.core.errors import FieldError, RenderFailure, ServiceError
from chalicelib.engine.emails.condition import condition_failure, condition_source
from chalicelib.features.templates.compile_texts import PLACE, CompileTexts, text_error
from chalicelib.features.workspaces.model import Workspace

_CODE: Final = "email_template_error"
# The JSON Pointers of texts that are not a field of their own.
_POINTERS: Final = {"params": "/provider_template/params"}


class CheckRuleTexts(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Check of texts by the engine."""

    compile_texts: CompileTexts

    def __call__(self, workspace: Workspace, texts: Mapping[str, str]) -> None:
        """Raise `email_template_error` for the texts, by field, that cannot be compiled.

        Raises `concurrency_limited`, and `region_degraded` if no answer comes.
        """
        sources = {name: text for name, text in texts.items() if text.strip()}
        condition = sources.get("condition", "")
        if condition:
            sources["condition"] = condition_source(condition)
        failures = [
            condition_failure(each, condition) if each.members["text"] == "condition" else each
            for each in (self.compile_texts(workspace, sources) if sources else ())
        ]
        if failures:
            raise _refusal(failures)


def _refusal(failures: Sequence[RenderFailure]) -> ServiceError:
    """Return the error of all texts; its members are the place of the first failure."""
    errors = [_field_error(each) for each in failures]
    first = failures[0]
    return ServiceError(
        _CODE,
        f"{errors[0].path}: {first.detail}",
        errors=errors,
        field=first.members["text"],
        **{name: first.members.get(name) for name in PLACE},
    )


def _field_error(failure: RenderFailure) -> FieldError:
    name = str(failure.members["text"])
    return text_error(failure, _POINTERS.get(name, f"/{name}"), _CODE)
