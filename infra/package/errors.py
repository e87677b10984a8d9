"""What stops a package from being built or deployed."""


class PackageError(Exception):
    """The package cannot be built as it stands; the message says what is wrong."""
