"""The map of the code and the line of a render: what they name is there."""

import ast
import re
from typing import Final

import pytest

from infra.template import ROOT
from tests.architecture.test_structure import text

PAGE: Final = "docs/map.md"
ARCHITECTURE: Final = "docs/architecture.md"
PATHS: Final = re.compile(r"[a-z_]\w*(?:/\w+)*(?:/(?!\w)|\.py\b)")
# A station's module, then the class or function that does it: `deliver.py  SendWebhook: claims …`.
STATION: Final = re.compile(
    r"^[│├└─\s\d]*([a-z]\w*(?:/\w+)*\.py)\s+([A-Z]\w+|\w+_\w+): ", re.MULTILINE
)
WAYS: Final = ("A render", "An item of a batch", "A webhook", "An email", "A PDF tool")


def drawings() -> dict[str, str]:
    """Return the drawing below each heading of the map."""
    found = re.findall(r"^## (.+?)\n.*?^```text\n(.*?)^```$", text(PAGE), re.DOTALL | re.MULTILINE)
    return dict(found)


def place(path: str) -> str:
    """Return where a path of the map stands."""
    return path if path.startswith("functions/") else f"chalicelib/{path}"


def named_paths(page: str) -> set[str]:
    return {path for path in PATHS.findall(page) if not path.startswith(("docs/", "infra/"))}


def definitions(path: str) -> set[str]:
    """Return the names of a module's classes and functions."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {node.name for node in ast.parse(text(path)).body if isinstance(node, kinds)}


def test_every_path_of_the_map_exists() -> None:
    paths = named_paths("\n".join(drawings().values()))

    assert [path for path in sorted(paths) if not (ROOT / place(path)).exists()] == []


def test_every_path_of_the_line_of_a_render_exists() -> None:
    drawings = re.findall(r"^```text\n(.*?)^```$", text(ARCHITECTURE), re.DOTALL | re.MULTILINE)

    paths = named_paths("\n".join(drawings))
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not (ROOT / place(path)).exists()] == []


def test_every_path_beside_the_drawings_exists() -> None:
    words = re.findall(r"`([\w/]+(?:\.py|/))`", text(PAGE))
    paths = {word for word in words if word not in {"functions/", "chalicelib/", "bootstrap/"}}

    assert paths
    assert [path for path in sorted(paths) if not (ROOT / place(path)).exists()] == []


@pytest.mark.parametrize("way", WAYS)
def test_a_way_has_ten_to_twelve_stations(way: str) -> None:
    numbers = re.findall(r"^[│├└─\s]*[├└]─ (\d+) ", drawings()[way], re.MULTILINE)

    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    assert 10 <= len(numbers) <= 12


@pytest.mark.parametrize("way", WAYS)
def test_a_station_names_what_its_module_defines(way: str) -> None:
    stations = STATION.findall(drawings()[way])

    missing = [(path, name) for path, name in stations if name not in definitions(place(path))]
    assert stations
    assert missing == []


def test_a_module_that_is_gone_is_seen() -> None:
    assert named_paths("├─ 3  features/nothing/there.py   and engine/gone/") == {
        "features/nothing/there.py",
        "engine/gone/",
    }
