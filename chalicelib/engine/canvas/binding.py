"""What a layer shows: from the data, else its fallback, else its own."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from chalicelib.contract.layer_values import BOUND, MAX_TEXT, TEMPLATED, is_usable
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.canvas.scene import Layer

# Runs a template over the data; its text is plain.
type Run = Callable[[str], str]
type Warn = Callable[[str, str, str], None]

_ABSENT: Final = object()
_MOST_DIGITS: Final = 9


class Binding:
    """Looks up what layers are bound to."""

    def __init__(self, data: Mapping[str, Any], run: Run, warn: Warn) -> None:
        """Bind to these data; `warn` is told a code, a message and a place."""
        self._data = data
        self._run = run
        self._warn = warn

    def values(self, layer: Layer) -> Iterator[Any]:
        """Yield what the layer can show, the best first, its own last.

        Raises RenderFailure `data_invalid`, or that of its template.
        """
        if layer["bind"] is not None:
            value = self._value(layer)
            if value is None:
                self._insist(layer)
            elif is_usable(layer.type, value):
                yield value
            else:
                yield from self._coerced(layer, value)
            if layer["fallback"] is not None:
                yield layer["fallback"]
        yield layer[BOUND[layer.type]]

    def refuse(self, layer: Layer, why: str) -> None:
        """Tell that a value from the data could not be used."""
        message = f"{_named(layer)}: {why}; the layer's fallback or its own value was used."
        self._warn("data_coerced", message, layer.path)

    def _value(self, layer: Layer) -> Any:
        bind = layer["bind"]
        if layer.type not in TEMPLATED or "{" not in bind:
            return found(self._data, bind)
        try:
            text = self._run(bind)
        except RenderFailure as failure:
            message = f"{layer.path}.bind: {failure.detail}"
            raise RenderFailure(failure.code, message, **failure.members) from failure
        return text if text.strip() else None

    def _insist(self, layer: Layer) -> None:
        if layer["required"]:
            message = f"data: {layer['bind'][:200]} is missing and {layer.path} requires it"
            raise RenderFailure("data_invalid", message)

    def _coerced(self, layer: Layer, value: Any) -> Iterator[str]:
        """Tell what cannot be used; a boolean can be written as text."""
        if isinstance(value, bool) and layer.type in TEMPLATED:
            text = str(value).lower()
            message = f"{_named(layer)} is a boolean; it was written as {text}."
            self._warn("data_coerced", message, layer.path)
            yield text
        else:
            self.refuse(layer, _why(layer.type, value))


def found(data: Any, path: str) -> Any:
    """Return what stands at a dotted path, in which numbers count the entries of arrays."""
    value = data
    for step in path.split("."):
        value = _inside(value, step)
        if value is _ABSENT:
            return None
    return value


def _inside(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step, _ABSENT)
    if isinstance(value, list) and step.isascii() and step.isdecimal():
        # No array has as many entries as more digits could count.
        index = int(step) if len(step) <= _MOST_DIGITS else len(value)
        return value[index] if index < len(value) else _ABSENT
    return _ABSENT


def _named(layer: Layer) -> str:
    return f"data.{layer['bind'][:200]} for {layer.path}"


def _why(type_: str, value: Any) -> str:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return f"a text of {len(value)} characters is too long"
    kinds = {dict: "an object", list: "an array", str: "a text", bool: "a boolean"}
    kind = kinds.get(type(value), "a number")
    return f"{kind} that cannot be the {BOUND[type_]} of a layer of type {type_}"
