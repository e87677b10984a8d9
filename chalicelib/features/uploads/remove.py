"""Remove an upload before it ends by itself."""

from chalicelib.adapters.aws.objects import Objects
from chalicelib.features.uploads.model import Upload
from chalicelib.features.uploads.repository import Uploads


class RemoveUpload:
    """Repeatable; a render that names the upload and has not begun fails."""

    def __init__(self, *, uploads: Uploads, objects: Objects) -> None:
        """Remove from the stores."""
        self._uploads = uploads
        self._objects = objects

    def __call__(self, upload: Upload) -> None:
        """Remove an upload and its bytes."""
        self._uploads.delete(upload)
        for key in (upload.key, upload.form_key):
            self._objects.delete(key)
