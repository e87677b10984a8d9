"""dynoxide without the wall that checks signatures, for the tables of tests that do not sign."""

from typing import Final

from infra.local.access.keys import AccessKey
from infra.local.emulators import DYNOXIDE, Emulator
from infra.local.paths import StackFolder, free_port
from infra.local.processes import Spawner

# Any key is good for it, and for LocalStack.
ANY_KEY: Final = AccessKey("test", "test")


def start_open_dynoxide(folder: StackFolder, spawner: Spawner) -> Emulator:
    """Start dynoxide on a free port."""
    port, log = free_port(), folder.private_log("dynoxide")
    command = [str(DYNOXIDE), "--host", "127.0.0.1", "--port", str(port)]
    with log.open("wb") as output:
        process = spawner.start(command, environment={}, output=output)
    return Emulator("dynoxide", f"http://127.0.0.1:{port}", "/", process, log)
