"""How large a picture may be: what would not fit is refused before any memory is taken for it."""

from typing import Final

from chalicelib.core.errors import RenderFailure

MOST_SIDE_PIXELS: Final = 16_384
MOST_PIXELS: Final = 64_000_000


def check_size(width: float, height: float, scale: float) -> None:
    """Refuse what is too large, sides in CSS pixels; raises RenderFailure `render_failed`."""
    across, down = round(width * scale), round(height * scale)
    if max(across, down) > MOST_SIDE_PIXELS:
        limit = f"{MOST_SIDE_PIXELS} pixels a side"
    elif across * down > MOST_PIXELS:
        limit = f"{MOST_PIXELS} pixels in all"
    else:
        return
    message = f"A picture may have at most {limit}; this one would be {across} x {down} pixels."
    raise RenderFailure("render_failed", message)
