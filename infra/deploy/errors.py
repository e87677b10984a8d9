"""What stops a deployment."""


class DeployError(Exception):
    """The deployment cannot go on; the message says what to do."""
