"""Base classes of the contract models."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast, override

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from chalicelib.contract.aliases import Alias, aliases_of, read_aliases
from chalicelib.contract.member_texts import describe_members, texts_of, without_defaults

if TYPE_CHECKING:
    from chalicelib.core.json import JsonObject

_VALIDATORS: Final = ("function-before", "function-after", "function-wrap")


class Model(BaseModel):
    """A JSON object: unknown properties are refused, and `"1"` is not accepted for `1`.

    Null of a member that has a default is as if the member were absent. Other names of members are
    read as ours (`contract/aliases.py`). The text below a member is its description.
    """

    null_is_default: ClassVar[bool] = True
    aliases_are_read: ClassVar[bool] = True
    defaults_are_read: ClassVar[bool] = True

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        # Cold starts do not build validators of models that the request does not need (decision 7).
        defer_build=True,
        serialize_by_alias=True,
    )

    @override
    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler, /
    ) -> CoreSchema:
        schema = handler(source)
        names = cls.names_with_default() if cls.null_is_default else frozenset()
        aliases = aliases_of(cls) if cls.aliases_are_read else ()
        if names or aliases:
            model = _model_schema(handler.resolve_ref_schema(schema))
            # The schema of a model that another one uses comes back as it was made.
            if model["schema"]["type"] == "model-fields":
                prepare = partial(_members_to_read, names, aliases)
                # Inside the model: one around it would hide the references of recursive models.
                model["schema"] = core_schema.no_info_before_validator_function(
                    prepare, model["schema"]
                )
        return schema

    @override
    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        made = handler(schema)
        of_object = handler.resolve_ref_schema(made)
        describe_members(of_object, cls.model_fields, texts_of(cls.sources_of_texts()))
        if not cls.defaults_are_read:
            without_defaults(of_object)
        return made

    @classmethod
    def sources_of_texts(cls) -> Iterable[type]:
        """Return the classes whose members have texts below them, bases first.

        Only the description of the API reads the texts: no start does (decision 7).
        """
        return reversed(cls.__mro__[: cls.__mro__.index(Model)])

    @classmethod
    def names_with_default(cls) -> frozenset[str]:
        """Return the members, as they are sent, whose default is a value."""
        return frozenset(
            field.alias or name
            for name, field in cls.model_fields.items()
            if not field.is_required() and field.get_default(call_default_factory=True) is not None
        )


class Query(Model):
    """Query parameters: texts, which are never null.

    The texts of a `repeatable` one are joined by commas; a `keyed` one is an object, whose members
    are sent as `name[key]`.
    """

    repeatable: ClassVar[tuple[str, ...]] = ()
    keyed: ClassVar[tuple[str, ...]] = ()

    null_is_default = False
    # `read_query` reads them, because pydantic reads texts only as they came.
    aliases_are_read = False


class Change(Model):
    """A change of something: absent members stay as they are, null is refused if it is no value.

    Other defaults are never read: a change has the members that are set.
    """

    null_is_default = False
    defaults_are_read = False


def _model_schema(schema: CoreSchema) -> core_schema.ModelSchema:
    """Return the schema of a model inside those of its validators."""
    if schema["type"] in _VALIDATORS:
        return _model_schema(cast("core_schema.AfterValidatorFunctionSchema", schema)["schema"])
    assert schema["type"] == "model", schema["type"]
    return cast("core_schema.ModelSchema", schema)


def _members_to_read(names: frozenset[str], aliases: Sequence[Alias], members: object) -> object:
    """Return an object under our names, without the members of `names` that are null."""
    if not isinstance(members, dict):
        return members
    read: JsonObject = read_aliases(aliases, members) if aliases else members
    if None not in read.values():
        return read
    return {name: value for name, value in read.items() if value is not None or name not in names}
