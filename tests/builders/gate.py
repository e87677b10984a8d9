"""Gate at which invocations wait in their worker processes until the test lets them go on."""

from pathlib import Path
from typing import Any

from tests.builders.waiting import eventually


class Gate:
    """A gate for `tests.fakes.functions.act`: it stays open once it is."""

    def __init__(self, folder: Path) -> None:
        """Keep in a new folder who has come, and whether it is open."""
        self._folder = folder
        folder.mkdir()

    @property
    def event(self) -> dict[str, Any]:
        """Return the event of an invocation that waits here."""
        return {"do": "hold", "gate": str(self._folder)}

    def count(self) -> int:
        """Return how many invocations have come."""
        return len(list(self._folder.glob("came-*")))

    def wait_for(self, count: int) -> None:
        """Wait until so many invocations have come."""
        eventually(lambda: self.count() >= count)

    def open(self) -> None:
        """Let all of them go on."""
        (self._folder / "open").touch()
