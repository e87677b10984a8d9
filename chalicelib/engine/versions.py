"""Engine versions that renders can name: `<year>.<number>`, the newest last."""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """Engine version: its Chromium, and whether new renders should name it."""

    id: str
    chromium_version: str
    state: Literal["current", "deprecated"]


ENGINE_VERSIONS: Final = (EngineVersion("2026.1", "153.0.8010.0", "current"),)
NEWEST_ENGINE: Final = ENGINE_VERSIONS[-1].id
