"""Descriptions of members in JSON Schemas, from the texts below them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from chalicelib.contract.base import Change, Model
from chalicelib.contract.json_schemas import model_json_schemas
from chalicelib.contract.options.base import Options
from chalicelib.contract.options_model import OptionsModel

Length = Annotated[str, Field(description="A length.")]


class Seat(Model):
    """A seat."""

    object: Literal["seat"]
    width: Length
    depth: Length = "40cm"
    """From the front to the back."""
    legs: int | None = None
    """Null: none."""
    from_: int = Field(default=1, alias="from")
    """The first one."""
    created_at: str


class Sofa(Seat):
    """A sofa."""

    width: Length = "2m"
    legs: int = 4
    """Under the seat."""


class SeatChange(Change):
    """A change of a seat."""

    depth: Length = "40cm"
    """From the front to the back."""


class Answer(Model):
    """An answer, whose members always have values."""

    defaults_are_read = False

    size: int = 0
    """In bytes."""


class Lamp(Options, frozen=True):
    """A lamp."""

    watts: int = 9
    """What it takes."""
    color: str | None = None


class LampModel(OptionsModel, of=Lamp):
    """A lamp of a request."""

    color: Literal["red"] | None = None
    """Null: white."""


def members_of(model: type[Model]) -> dict[str, Any]:
    references, _, definitions = model_json_schemas([model], [], "{model}")
    members: dict[str, Any] = definitions[references[model]["$ref"]]["properties"]
    return members


def descriptions(model: type[Model]) -> dict[str, str | None]:
    return {name: member.get("description") for name, member in members_of(model).items()}


def test_a_text_below_a_member_describes_it() -> None:
    assert descriptions(Seat) == {
        "object": "The kind of this object: always `seat`.",
        "width": "A length.",
        "depth": "From the front to the back.",
        "legs": "Null: none.",
        "from": "The first one.",
        "created_at": "When it was created.",
    }


def test_texts_are_inherited_until_the_subclass_has_its_own() -> None:
    sofa = descriptions(Sofa)

    assert sofa["depth"] == "From the front to the back."
    assert sofa["legs"] == "Under the seat."
    assert sofa["width"] == "A length."


def test_defaults_that_nobody_gets_are_not_published() -> None:
    published = {
        model.__name__: any("default" in member for member in members_of(model).values())
        for model in (Seat, SeatChange, Answer)
    }

    assert published == {"Seat": True, "SeatChange": False, "Answer": False}


def test_a_struct_describes_its_model_which_may_say_more() -> None:
    assert descriptions(LampModel) == {
        "watts": "What it takes.",
        "color": "Null: white.",
    }
