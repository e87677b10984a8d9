"""Examples of the right shape, for a value that should be an object or an array."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from chalicelib.contract.member_tree import Models, member_names
from chalicelib.core.egress_policy import WEB_PREFIXES

_MAX_VALUE_CHARACTERS: Final = 40
# Values that are not repeated in an answer.
_SECRETS: Final = ("password", "secret", "token", "key", "value", "credential", "authorization")
_MAX_MEMBERS: Final = 1
_VALUES: Final[Mapping[str, object]] = {
    "url": "https://example.com/",
    "html": "<p>Hello</p>",
    "template_id": "tpl_…",
    "upload_id": "upl_…",
}


def object_example(models: Models, value: object) -> str:
    """Return the end of a message: an example of an object, with the given value if one has it."""
    if not models:
        return ', such as {"name": "value"}'
    is_url = isinstance(value, str) and value.startswith(WEB_PREFIXES)
    # User, password and query of an address may be secrets.
    is_given = not (is_url and {"@", "?"} & {*str(value)})
    for model in sorted(models, key=lambda each: is_url and "url" not in member_names(each)):
        for name in _value_members(model) if is_given else ():
            example = _required_samples(model) | {name: value}
            if isinstance(value, str | int | float) and _is_valid(model, example):
                return _example(example, has_more=len(member_names(model)) > len(example))
    model = models[0]
    example = _required_samples(model) or _optional(model)
    return _example(example, has_more=len(member_names(model)) > len(example)) if example else ""


def array_example(models: Models, value: object) -> str:
    """Return the end of a message: the given value as the entry of an array."""
    if models:
        # A text is none of its objects, and may be all of a secret, as that of a cookie is.
        return ", such as [{…}]"
    if isinstance(value, str | int | float) and len(str(value)) <= _MAX_VALUE_CHARACTERS:
        return f", such as [{_json(value)}]"
    return ", such as [{…}]" if isinstance(value, dict) else ""


def is_secret(name: str | int) -> bool:
    """Tell whether the value of a member is not repeated in an answer."""
    return any(secret in str(name) for secret in _SECRETS)


def _value_members(model: type[BaseModel]) -> Sequence[str]:
    """Return members that a value alone may be meant for: those that are required, or first.

    There are none in an object that requires a secret: the value may hold it too, as in `a:b`.
    """
    names = member_names(model)
    required = [
        name
        for name, field in names.items()
        if field.is_required() and get_origin(field.annotation) is not Literal
    ]
    if any(map(is_secret, required)):
        return ()
    return [each for each in required or names if not is_secret(each)]


def _is_valid(model: type[BaseModel], example: Mapping[str, object]) -> bool:
    if any(len(str(each)) > _MAX_VALUE_CHARACTERS for each in example.values()):
        return False
    try:
        model.model_validate(example)
    except ValidationError:
        return False
    return True


def _required_samples(model: type[BaseModel]) -> dict[str, object]:
    return {
        name: _sample(name, field)
        for name, field in member_names(model).items()
        if field.is_required()
    }


def _optional(model: type[BaseModel]) -> dict[str, object]:
    samples = {name: _sample(name, field) for name, field in member_names(model).items()}
    plain = {name: each for name, each in samples.items() if not isinstance(each, dict | list)}
    return dict(list(plain.items())[:_MAX_MEMBERS])


def _sample(name: str, field: FieldInfo) -> object:
    default = field.get_default(call_default_factory=True) if not field.is_required() else None
    if isinstance(default, str | bool | int | float):
        return default
    return _VALUES.get(name, _sample_of(field.annotation))


def _sample_of(hint: object) -> object:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return arguments[0]
    if hint in {int, float, bool}:
        return 1 if hint is not bool else True
    if origin is list:
        return [_sample_of(arguments[0])]
    if hint is dict or origin is dict or (isinstance(hint, type) and issubclass(hint, BaseModel)):
        return {}
    if origin is Annotated or arguments:
        return _sample_of(arguments[0])
    return "…"


def _example(example: Mapping[str, object], *, has_more: bool) -> str:
    members = ", ".join(f'"{name}": {_json(each)}' for name, each in example.items())
    return f", such as {{{members}{', …' if has_more else ''}}}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
