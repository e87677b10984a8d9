"""Data binding of canvas layers: a value from the data, the fallback, or the layer's own."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from chalicelib.contract.template.layer_constraints import (
    BIND_TARGETS,
    MAX_TEXT_CHARACTERS,
    TEMPLATED_TYPES,
    is_bindable,
)
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.canvas.scene import SceneLayer
from chalicelib.engine.templating.number import Number

# Runs a template over the data and returns plain text.
type RunTemplate = Callable[[str], str]
# Adds a warning: its code, its message and the path of the layer or option.
type AddWarning = Callable[[str, str, str], None]

_MAX_INDEX_DIGITS: Final = 9


class DataBinding(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Look-up of the values that layers are bound to (decision 22)."""

    data: JsonObject
    run_template: RunTemplate
    warn: AddWarning

    def candidate_values(self, layer: SceneLayer) -> Iterator[Json]:
        """Yield the values that the layer can show, the preferred one first, its own last.

        Raises RenderFailure `data_invalid`, or that of its template.
        """
        bind = layer.fields["bind"]
        if bind is not None:
            value = self._bound_value(layer, bind)
            if value is None:
                self._check_required(layer, bind)
            elif is_bindable(layer.type, value):
                # As templates print it.
                yield str(Number(repr(value))) if isinstance(value, float) else value
            else:
                yield from self._coerce(layer, value)
            if layer.fields["fallback"] is not None:
                yield layer.fields["fallback"]
        yield layer.own_value

    def warn_unusable(self, layer: SceneLayer, reason: str) -> None:
        """Warn that a value from the data could not be used."""
        message = (
            f"{_binding_label(layer)}: {reason}; the layer's fallback or its own value was used."
        )
        self.warn("data_coerced", message, layer.path)

    def _bound_value(self, layer: SceneLayer, bind: str) -> Json:
        if layer.type not in TEMPLATED_TYPES or "{" not in bind:
            return value_at(self.data, bind)
        try:
            text = self.run_template(bind)
        except RenderFailure as failure:
            raise failure.with_text_name(f"{layer.path}.bind") from failure
        return text if text.strip() else None

    def _check_required(self, layer: SceneLayer, bind: str) -> None:
        if layer.fields["required"]:
            message = f"data: {bind[:200]} is missing and {layer.path} requires it"
            raise RenderFailure("data_invalid", message)

    def _coerce(self, layer: SceneLayer, value: Json) -> Iterator[str]:
        """Yield a boolean as text; warn about any other unusable value."""
        if isinstance(value, bool) and layer.type in TEMPLATED_TYPES:
            text = str(value).lower()
            message = f"{_binding_label(layer)} is a boolean; it was written as {text}."
            self.warn("data_coerced", message, layer.path)
            yield text
        else:
            self.warn_unusable(layer, _unusable_reason(layer.type, value))


def value_at(data: Json, path: str) -> Json:
    """Return the value at a dotted path, in which numbers are array indexes; None if absent."""
    value = data
    for step in path.split("."):
        value = _step_into(value, step)
    return value


def _step_into(value: Json, step: str) -> Json:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and step.isascii() and step.isdecimal():
        # No array is long enough for an index of more digits.
        index = int(step) if len(step) <= _MAX_INDEX_DIGITS else len(value)
        return value[index] if index < len(value) else None
    return None


def _binding_label(layer: SceneLayer) -> str:
    bind = layer.fields["bind"]
    assert bind is not None
    return f"data.{bind[:200]} for {layer.path}"


def _unusable_reason(type_: str, value: Json) -> str:
    if isinstance(value, str) and len(value) > MAX_TEXT_CHARACTERS:
        return f"a text of {len(value)} characters is too long"
    kinds = {dict: "an object", list: "an array", str: "a text", bool: "a boolean"}
    kind = kinds.get(type(value), "a number")
    return f"{kind} that cannot be the {BIND_TARGETS[type_]} of a layer of type {type_}"
