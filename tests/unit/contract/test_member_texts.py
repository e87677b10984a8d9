"""Descriptions of members in JSON Schemas, from the texts below them and their defaults."""

from typing import Annotated, Any, Literal

import pytest
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
    is_soft: bool = False
    weight: float = 2.0
    colors: list[str] = Field(default=["red", "blue"])
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

    defaults_are_described = False

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


def descriptions(model: type[Model]) -> dict[str, str | None]:
    references, _, definitions = model_json_schemas([model], [], "{model}")
    members: dict[str, Any] = definitions[references[model]["$ref"]]["properties"]
    return {name: member.get("description") for name, member in members.items()}


def test_a_text_below_a_member_describes_it_with_its_default() -> None:
    assert descriptions(Seat) == {
        "object": "The kind of this object: always `seat`.",
        "width": "A length.",
        "depth": "From the front to the back. Default: `40cm`.",
        "legs": "Null: none.",
        "is_soft": "Default: false.",
        "weight": "Default: 2.",
        "colors": "Default: `red`, `blue`.",
        "from": "The first one. Default: 1.",
        "created_at": "When it was created.",
    }


def test_texts_are_inherited_until_the_subclass_has_its_own() -> None:
    sofa = descriptions(Sofa)

    assert sofa["depth"] == "From the front to the back. Default: `40cm`."
    assert sofa["legs"] == "Under the seat. Default: 4."
    assert sofa["width"] == "A length. Default: `2m`."


@pytest.mark.parametrize(
    ("model", "expected"),
    [(SeatChange, {"depth": "From the front to the back."}), (Answer, {"size": "In bytes."})],
)
def test_defaults_that_nobody_gets_are_not_said(
    model: type[Model], expected: dict[str, str]
) -> None:
    assert descriptions(model) == expected


def test_a_struct_describes_its_model_which_may_say_more() -> None:
    assert descriptions(LampModel) == {
        "watts": "What it takes. Default: 9.",
        "color": "Null: white.",
    }


def test_members_have_no_titles() -> None:
    _, _, definitions = model_json_schemas([Seat], [], "{model}")

    assert not any("title" in member for member in definitions["Seat"]["properties"].values())
    assert definitions["Seat"]["title"] == "Seat"
