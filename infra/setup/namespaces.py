"""User namespaces, in which Chromium confines itself: a part of Linux that nobody can fetch."""

import os
import subprocess
from typing import Final

_NOBODY: Final = 65_534
MISSING: Final = (
    "missing: user namespaces for ordinary users, in which Chromium confines itself -- allow them "
    "with: sudo sysctl user.max_user_namespaces=10000, on Ubuntu also: "
    "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0; a chroot has none"
)


def are_missing() -> bool:
    """Tell whether an ordinary user can make no namespace that it has rights in."""
    user = _NOBODY if os.getuid() == 0 else None
    command = ["unshare", "--user", "--map-root-user", "--net", "true"]
    return subprocess.run(command, user=user, capture_output=True, check=False).returncode != 0
