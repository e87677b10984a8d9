"""The fonts that are there, and what stands in for others."""

from typing import Final

# As layers/fonts/build.py bundles and aliases them.
_GENERIC: Final = ("sans-serif", "serif", "monospace", "system-ui", "emoji")
BUNDLED: Final = (
    "Arimo",
    "Tinos",
    "Cousine",
    "Noto Sans",
    "Noto Serif",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Thai",
    "Noto Sans Devanagari",
    "Noto Sans JP",
    "Noto Sans SC",
    "Noto Sans KR",
    "Noto Sans Symbols 2",
    "Noto Sans Math",
    "Noto Color Emoji",
)
ALIASES: Final = (
    "Arial",
    "Helvetica",
    "Helvetica Neue",
    "Liberation Sans",
    "Times",
    "Times New Roman",
    "Liberation Serif",
    "Courier",
    "Courier New",
    "Liberation Mono",
)
_DEFAULT: Final = "sans-serif"
_KNOWN: Final = {name.lower(): name for name in (*_GENERIC, *BUNDLED, *ALIASES)}


def family(wanted: str) -> tuple[str, str | None]:
    """Return `font-family`, and the font that was asked for first where it is not there."""
    names = [name.strip() for name in wanted.split(",")]
    there = [_KNOWN[name.lower()] for name in names if name.lower() in _KNOWN]
    listed = ",".join(name if name in _GENERIC else f'"{name}"' for name in (*there, _DEFAULT))
    return listed, None if names[0].lower() in _KNOWN else names[0]
