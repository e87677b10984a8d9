"""Names of files in emails."""

from chalicelib.core.text import safe_filename


def attachment_name(
    filename: str, stem: str, render_id: str, extension: str, part: int | None = None
) -> str:
    """Return how a file of an email is called: as it is, unless its name is the render's id."""
    if not filename.startswith(render_id):
        return filename
    return safe_filename(stem, fallback=render_id, extension=extension, part=part)
