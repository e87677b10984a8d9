"""Canvas templates, and hands that draw them."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.integration.console.person import Person
from tests.integration.console.scene.hands import Hands

DATA: Final = {"name": "Ada Lovelace", "order": {"total": 12.5, "items": [{"title": "Tea"}]}}

type Scene = dict[str, Any]


def box(type_: str, x: float, y: float, width: float, height: float, **fields: Any) -> Scene:
    """Return a layer."""
    return {"type": type_, "x": x, "y": y, "width": width, "height": height, **fields}


def scene_of(*layers: Scene, size: tuple[int, int] = (800, 500)) -> Scene:
    """Return a scene on a white page."""
    return {
        "width": size[0],
        "height": size[1],
        "background": "#ffffff",
        "layers": list(layers),
    }


class Canvas:
    """A canvas template, and the view of its scene."""

    def __init__(self, person: Person, client: ApiClient, template_id: str) -> None:
        """Take a template that a client has made."""
        self.person, self.client, self.id = person, client, template_id
        self.hands = Hands(person)

    @property
    def path(self) -> str:
        """Return the path of its scene in the console."""
        return f"/templates/{self.id}/scene"

    def open(self, query: str = "", **how: Any) -> Hands:
        """Open its scene, and return the hands before it."""
        self.person.enter(f"{self.path}{query}", **how)
        self.hands.box_of(".surface-layers")
        return self.hands

    def draft(self) -> dict[str, Any]:
        """Return its draft as the API has it."""
        answer = self.client.http.get(f"/templates/{self.id}/draft")
        answer.raise_for_status()
        draft: dict[str, Any] = answer.json()
        return draft

    def layers(self) -> list[Scene]:
        """Return the layers that the API has."""
        layers: list[Scene] = self.draft()["content"]["scene"]["layers"]
        return layers

    def put(self, scene: Scene, **fields: Any) -> None:
        """Replace its draft, as somebody else would."""
        body = {"content": {"scene": scene}, **fields}
        answer = self.client.http.put(f"/templates/{self.id}/draft", json=body)
        answer.raise_for_status()

    def save(self) -> None:
        """Save by the keyboard, and wait until it is done."""
        before = self.draft()["revision"]
        self.hands.key("s", "ctrl")
        eventually(lambda: self.draft()["revision"] > before)
        self.person.reads(f"draft r{before + 1}", within=".scene-state")

    def select(self, *indexes: int) -> None:
        """Choose a layer in the list, by its indexes from the bottom."""
        rows = "document.querySelectorAll('.layer-name')"
        self.person.browser.wait_for(f"{rows}.length > 0")
        name = (
            f"(() => {{ let list = document.querySelector('.layer-rows'), row;"
            f" for (const index of {json.dumps(indexes)}) {{"
            " row = [...list.children].at(-1 - index); list = row.querySelector('.layer-rows'); }"
            " return row.querySelector('.layer-name'); })()"
        )

        def is_chosen() -> bool:
            # Rows move to their places, and a click right after a drag is the end of that.
            self.person.browser.wait_for("document.getAnimations().length === 0")
            place = self.person.browser.value(
                f"(() => {{ const {{ left, top, height }} = {name}.getBoundingClientRect();"
                " return [left + 8, top + height / 2]; })()"
            )
            self.hands.click((place[0], place[1]))
            return bool(self.person.browser.value(f"{name}.ariaPressed === 'true'"))

        eventually(is_chosen, pause_s=0.1)

    def focus(self) -> None:
        """Put the focus on the surface."""
        self.person.browser.value("document.querySelector('.surface').focus()")


@pytest.fixture
def make(person: Person, stack: RunningStack) -> Iterator[Callable[..., Canvas]]:
    """Give what makes a canvas template with a scene and a dataset."""
    with ApiClient(stack, stack.test_key) as client:

        def create(scene: Scene | None, *, name: str = "Badge", data: Any = DATA) -> Canvas:
            datasets = [{"name": "Ada", "data": data}] if data is not None else []
            body = {"type": "image_canvas", "name": name, "scene": scene, "datasets": datasets}
            answer = client.http.post("/templates", json=body)
            assert answer.status_code == 201, answer.text
            return Canvas(person, client, answer.json()["id"])

        yield create
