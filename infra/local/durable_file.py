"""Write of a small file that is whole after any crash: the one from before, or the new one.

MiniStack's Python runs it too, so it imports nothing of this project.
"""

import os
from pathlib import Path


def write_durably(path: Path, content: bytes) -> None:
    """Replace a file, which only its owner can read; it is on the disk when this returns."""
    partial = path.with_suffix(".partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.rename(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
