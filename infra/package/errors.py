"""Error of the package build."""


class PackageError(Exception):
    """The package cannot be built or deployed; the message says why."""
