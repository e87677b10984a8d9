"""Version of the service, equal to that of pyproject.toml."""

from typing import Final

VERSION: Final = "0.2.0"
