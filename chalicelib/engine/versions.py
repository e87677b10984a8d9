"""The engines that renders can name: `<year>.<number>`, the newest last."""

from typing import Final

NEWEST_ENGINE: Final = "2026.1"
