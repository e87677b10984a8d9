"""Request models of typed options: a struct declares their members."""

from collections.abc import Callable, Iterable, Mapping
from types import UnionType
from typing import (
    Annotated,
    ClassVar,
    Final,
    Self,
    TypeAliasType,
    Union,
    cast,
    get_args,
    get_origin,
    override,
)

import msgspec
from pydantic import Field, model_validator

from chalicelib.contract import field_types
from chalicelib.contract.base import Model
from chalicelib.contract.options.base import Bounds, Options

# What stands in a request model in place of a generic type of a struct.
_GENERICS: Final[Mapping[object, object]] = {tuple: list, UnionType: Union}


class OptionsModel(Model):
    """Model of the struct `of`: its members, with their bounds, texts and defaults.

    A member that the class declares itself keeps the type it has there. `check` gets the struct,
    and raises ValueError for members that do not go together.
    """

    struct: ClassVar[type[Options]]
    check: ClassVar[Callable[[Options], None] | None]

    @override
    def __init_subclass__[O: Options](
        cls, *, of: type[O], check: Callable[[O], None] | None = None
    ) -> None:
        """Declare the members, before pydantic collects them."""
        for field in msgspec.structs.fields(of):
            hint = cls.__annotations__.pop(field.name, None) or _request_type(field.type)
            if field.encode_name != field.name:
                hint = Annotated[hint, Field(alias=field.encode_name)]
            cls.__annotations__[field.name] = hint
            if not field.required:
                setattr(cls, field.name, _request_default(field.default))
        cls.struct, cls.check = of, cast("Callable[[Options], None] | None", check)
        of.request_model = cls

    @override
    @classmethod
    def sources_of_texts(cls) -> Iterable[type]:
        """Return the structs, whose texts describe the members, and then the models."""
        structs = cls.struct.__mro__[: cls.struct.__mro__.index(Options)]
        return [*reversed(structs), *super().sources_of_texts()]

    @model_validator(mode="after")
    def _check_struct(self) -> Self:
        check = type(self).check
        if check is not None:
            check(to_struct(self))
        return self


def to_struct(model: OptionsModel) -> Options:
    """Return the struct of a model, whose members that are no options stay as they are.

    Faster than by JSON, which needs the serializer of each model (decision 7).
    """
    names = model.struct.__struct_fields__
    return model.struct(**{name: _to_value(getattr(model, name)) for name in names})


def _to_value(member: object) -> object:
    if isinstance(member, OptionsModel):
        return to_struct(member)
    return tuple(map(_to_value, member)) if isinstance(member, list) else member


def _request_type(hint: object) -> object:
    """Return the type of a member in requests: models of structs, lists, checked texts."""
    if isinstance(hint, TypeAliasType):
        return getattr(field_types, hint.__name__)
    if isinstance(hint, type) and issubclass(hint, Options):
        return hint.request_model
    if isinstance(hint, Bounds):
        return Field(ge=hint.ge, le=hint.le, min_length=hint.min_length, max_length=hint.max_length)
    origin = get_origin(hint)
    arguments = [_request_type(each) for each in get_args(hint) if each is not ...]
    generic = cast("Mapping[object, object]", _GENERICS.get(origin, origin))
    return generic[tuple(arguments)] if arguments else hint


def _request_default(default: object) -> object:
    if isinstance(default, Options):
        return type(default).request_model()
    return list(default) if isinstance(default, tuple) else default
