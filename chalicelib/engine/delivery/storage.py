"""Storage targets of a render, and the keys that their templates gave."""

from typing import Final, Literal

import msgspec

from chalicelib.core.json import OpaqueObject

# Why no file goes to the workspace's default destination.
type StorageOmission = Literal["plan"]

DEFAULT_KEY: Final = "{{ filename }}"


class StorageTarget(msgspec.Struct, frozen=True, kw_only=True):
    """Destination of the files of a render, as it stood when the render was accepted.

    `prefix` is that of the destination, `key` that of the request. Both are template sources.
    """

    destination_id: str
    prefix: str = ""
    key: str = DEFAULT_KEY


class StorageTargets(msgspec.Struct, frozen=True):
    """Targets of a render; `context` has its `render_id` and `reference`.

    With an `omission` there are none, because the default destination gets no file.
    """

    context: OpaqueObject
    targets: tuple[StorageTarget, ...]
    omission: StorageOmission | None = None

    @property
    def has_templates(self) -> bool:
        """Tell whether a prefix or a key may use data."""
        texts = (text for each in self.targets for text in (each.prefix, each.key))
        return any("{" in text and text != DEFAULT_KEY for text in texts)


class RenderedKey(msgspec.Struct, frozen=True):
    """Texts of a prefix and a key, not cleaned yet.

    With a `fault` they could not be made: it says why, as the error of a template does.
    """

    prefix: str = ""
    key: str = ""
    fault: str | None = None
